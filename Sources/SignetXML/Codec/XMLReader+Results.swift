/// Elements whose names say nothing, or less than they should.
extension XMLReader {
    /// The accessors of what a remote procedure gives back. The only one may have any name.
    struct Accessor {
        /// How many elements are open around it.
        var depth: Int
        /// Whether there is no other; asked only where the name is not the one of the table.
        var isOnly: () -> Bool
    }

    /// Reads what a remote procedure gives back: as ``structure(_:)``, but the namespaces of values say nothing, nor does the name of the
    /// only one (SOAP 1.1 §7.1).
    ///
    /// - Parameter isOnly: whether one value stands there and no more; asked only where its name is not the one of the type.
    /// - Throws: what ``structure(_:)`` throws.
    package mutating func result<T: XMLFielded>(
        _ type: T.Type = T.self, isOnly: @escaping () -> Bool
    ) throws(XMLError) -> T {
        var known: Bool?
        accessor = Accessor(depth: frames.count) {
            // Asked for each element of another name, and the whole message is read for an answer.
            let found = known ?? isOnly()
            known = found
            return found
        }
        defer { accessor = nil }
        return try structure(type)
    }

    /// The namespace of the element that names the value given back by its accessor (SOAP 1.2 Part 2 §4.2.1).
    package static let procedures = "http://www.w3.org/2003/05/soap-rpc"

    /// Whether the element whose start tag was read last is a value that the procedure gives back: its local name counts alone.
    func isAccessor(_ progress: borrowing Progress) -> Bool {
        guard let accessor, progress.container == nil else { return false }
        return accessor.depth == frames.count - 1 && namespaceURI != Self.procedures
    }

    /// Whether an accessor is the only one, so that not even its local name counts.
    func isOnlyAccessor(_ table: XMLTable, _ progress: borrowing Progress) -> Bool {
        table.elements.count == 1 && table.elements[0].kind == .element && !progress.seen.contains(0)
            && accessor?.isOnly() == true
    }

    /// Whether the element whose start tag was read last has this name, or is called so in another namespace, where ``tolerance``
    /// takes that; then it is noted.
    package mutating func takes(_ name: XMLName) -> Bool {
        if isElement(name) { return true }
        guard tolerance.contains(.namespace), elementName == name.localName else { return false }
        deviate(.namespace, "the element “\(elementName.prefix(80))” is not in the namespace that it should be in.")
        return true
    }
}

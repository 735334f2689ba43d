/// Reads elements whose names have no meaning, or less than usual.
extension XMLReader {
    /// The accessors in the answer of a remote procedure. A single accessor may have any name.
    struct Accessor {
        /// The number of open elements around it.
        var depth: Int
        /// Whether there is no other accessor; called only when the name is not the one of the table.
        var isOnly: () -> Bool
    }

    /// Reads the answer of a remote procedure like ``structure(_:)``, except that the namespaces of values have no
    /// meaning, nor has the name of a single value (SOAP 1.1 §7.1).
    ///
    /// - Parameter isOnly: whether there is exactly one value; called only when its name is not the one of the type.
    /// - Throws: what ``structure(_:)`` throws.
    package mutating func result<T: XMLFielded>(
        _ type: T.Type = T.self, isOnly: @escaping () -> Bool
    ) throws(XMLError) -> T {
        var known: Bool?
        accessor = Accessor(depth: frames.count) {
            // The answer is cached, because this is called for each element of another name, and `isOnly` reads the
            // whole message.
            let found = known ?? isOnly()
            known = found
            return found
        }
        defer { accessor = nil }
        return try structure(type)
    }

    /// The namespace of the element that names the returned value by its accessor (SOAP 1.2 Part 2 §4.2.1).
    package static let procedures = "http://www.w3.org/2003/05/soap-rpc"

    /// Whether the element whose start tag was read last is a value of the procedure's answer: only its local name
    /// counts then.
    func isAccessor(_ progress: borrowing Progress) -> Bool {
        guard let accessor, progress.container == nil else { return false }
        return accessor.depth == frames.count - 1 && namespaceURI != Self.procedures
    }

    /// Whether an accessor is the only one, so that not even its local name counts.
    func isOnlyAccessor(_ table: XMLTable, _ progress: borrowing Progress) -> Bool {
        table.elements.count == 1 && table.elements[0].kind == .element && !progress.seen.contains(0)
            && accessor?.isOnly() == true
    }

    /// Whether the element whose start tag was read last has this name, or the same local name in another namespace if
    /// ``tolerance`` allows that; the deviation is then noted.
    package mutating func takes(_ name: XMLName) -> Bool {
        if isElement(name) { return true }
        guard tolerance.contains(.namespace), elementName == name.localName else { return false }
        deviate(.namespace, "the element “\(elementName.prefix(80))” is not in the namespace that it should be in.")
        return true
    }
}

/// Chooses the prefixes of names, and the places where the prefixes are declared.
extension XMLWriter {
    /// A prefix in scope.
    struct Binding {
        var prefix: [UInt8]
        /// The number of the namespace, or ``unnumbered``.
        var namespace: Int32
        /// The name of a namespace without a number.
        var foreign = ""
        /// The depth of the element that declares it.
        var depth: Int

        /// Namespaces from documents do not get numbers, so that no sender can fill the memory.
        static var unnumbered: Int32 { .min }

        var uri: String { namespace == Self.unnumbered ? foreign : XMLNamespace.uri(of: namespace) }
    }

    /// The greatest number of declarations in the root's start tag: readers limit how many namespaces are in scope.
    private static var mostHoisted: Int { 32 }

    mutating func scopeChanged() {
        lastDeclaration = max(bindings.last?.depth ?? 0, rendered.last?.depth ?? 0)
        ready.forget()
    }

    // MARK: Prefixes

    /// The prefix of a namespace in a value that is a qualified name. The namespace is declared if it is not declared
    /// yet.
    ///
    /// Call this while the start tag is written, or before anything else is written into the element. In a segment, the
    /// element itself or one around it inside the segment declares the prefix, so that the declaration is part of the
    /// digested bytes.
    ///
    /// - Parameters:
    ///   - uri: the name of the namespace; the empty name gives the empty prefix.
    ///   - wished: the prefix to use if the namespace has none yet and the prefix is a name that is free and not
    ///     reserved.
    public mutating func prefix(declaring uri: String, wished: String? = nil) -> String {
        if uri.isEmpty { return "" }
        let prefix = segments.isEmpty ? boundPrefix(uri: uri, wished) : prefixInSegment(uri, wished)
        return String(decoding: prefix, as: UTF8.self)
    }

    /// Whether a prefix in scope means this namespace.
    package func hasPrefix(for namespace: XMLNamespace) -> Bool { prefix(of: namespace.id) != nil }

    /// The namespace name of a prefix in scope, empty for the empty prefix; nil when the prefix is not declared.
    func namespaceURI(ofPrefix prefix: String) -> String? {
        if prefix == "xml" { return XMLNamespace.xml.uri }
        return bindings.last { $0.prefix.elementsEqual(prefix.utf8) }?.uri ?? (prefix.isEmpty ? "" : nil)
    }

    func prefix(of namespace: Int32) -> [UInt8]? {
        if namespace == XMLNamespace.xml.id { return Array("xml".utf8) }
        if segments.count > 1 { return prefixInNested { $0.namespace == namespace } }
        return bindings.last { $0.namespace == namespace }?.prefix
    }

    func prefix(ofURI uri: String) -> [UInt8]? {
        if let known = XMLNamespace.known(uri), let prefix = prefix(of: known.id) { return prefix }
        // A namespace may get its number after it was declared.
        if segments.count > 1 { return prefixInNested { $0.foreign.isExactly(uri) } }
        return bindings.last { $0.foreign.isExactly(uri) }?.prefix
    }

    mutating func boundPrefix(_ namespace: Int32) -> [UInt8] {
        if let known = prefix(of: namespace) { return known }
        return boundPrefix(uri: XMLNamespace.uri(of: namespace), nil)
    }

    mutating func boundPrefix(uri: String, _ wished: String?) -> [UInt8] {
        if let known = prefix(ofURI: uri) { return known }
        let prefix = newPrefix(for: uri, wished)
        declare(uri, prefix: prefix)
        return prefix
    }

    /// A prefix that is not in scope, and never was where a segment relies on its absence.
    func newPrefix(for uri: String, _ wished: String? = nil, besides taken: [String] = []) -> [UInt8] {
        func isFree(_ prefix: String) -> Bool { !taken.contains(prefix) && !isTaken(Array(prefix.utf8)) }
        if let wished, XMLName.isNCName(wished), !Self.isReserved(wished), isFree(wished) { return Array(wished.utf8) }
        if let wish = wishes.first(where: { $0.uri.isExactly(uri) && isFree($0.prefix) }) {
            return Array(wish.prefix.utf8)
        }
        if uri == XMLNamespace.schemaInstance.uri, isFree("xsi") { return Array("xsi".utf8) }
        return Array(Self.freePrefix { !isFree($0) }.utf8)
    }

    func isTaken(_ prefix: [UInt8]) -> Bool {
        bindings.contains { $0.prefix == prefix } || segments.contains { $0.prefixes.contains(prefix) }
            || finished.contains { $0.prefixes.contains(prefix) }
    }

    /// `n1`, or the first after it that is free.
    static func freePrefix(_ isTaken: (String) -> Bool) -> String {
        var number = 1
        while isTaken("n\(number)") { number += 1 }
        return "n\(number)"
    }

    /// Whether a prefix may be bound to a namespace (Namespaces in XML 1.0 §3); otherwise this is a defect.
    mutating func canBind(_ prefix: String, _ uri: String) -> Bool { isUsable(prefix) && canBind(uri) }

    private mutating func isUsable(_ prefix: String) -> Bool {
        if !XMLName.isNCName(prefix) {
            fail("“\(prefix.prefix(80))” is no prefix of a namespace.")
        } else if Self.isReserved(prefix) {
            fail("the prefix “\(prefix.prefix(80))” is reserved, as are all that begin with “xml”.")
        } else {
            return true
        }
        return false
    }

    private static func isReserved(_ prefix: String) -> Bool {
        guard let first = prefix.utf8.first, first | 0x20 == UInt8(ascii: "x") else { return false }
        return prefix.utf8.prefix(3).map { $0 | 0x20 }.elementsEqual("xml".utf8)
    }

    /// Whether a namespace may be declared; otherwise this is a defect.
    private mutating func canBind(_ uri: String) -> Bool {
        // Namespaces that may not be declared have numbers from the start.
        XMLNamespace.known(uri).map { canBind($0) } ?? true
    }

    private mutating func canBind(_ namespace: XMLNamespace) -> Bool {
        switch namespace {
        case .none: fail("a prefix cannot be bound to no namespace.")
        case .xml, .declarations: fail("the namespace “\(namespace)” cannot be declared.")
        default: return true
        }
        return false
    }

    // MARK: Declarations

    /// Brings a prefix into scope: for the whole document if the root's start tag can declare it, otherwise for the
    /// element whose start tag was written last.
    mutating func declare(_ uri: String, prefix: [UInt8]) {
        guard canBind(uri) else { return }
        guard segments.isEmpty else { return bind(prefix, uri, depth: depth) }
        let mark = count
        writeDeclaration(prefix, uri)
        let bytes = cut(from: mark)
        let outer = bindings.firstIndex { $0.depth > 1 } ?? bindings.count
        if let rootTag, outer < Self.mostHoisted {
            hoisted.append(Insertion(offset: rootTag, prefix: prefix, bytes: bytes))
            return bind(prefix, uri, depth: 1, at: outer)
        }
        guard let tag = lastTag(), !tag.hasContent else {
            return fail("a namespace is to be declared on an element that has content already.")
        }
        insert(bytes, at: tagStart + 1 + tag.nameLength)
        bind(prefix, uri, depth: depth)
    }

    mutating func bind(_ prefix: [UInt8], _ uri: String, depth: Int, at index: Int? = nil) {
        let number = XMLNamespace.known(uri)?.id
        let binding = Binding(
            prefix: prefix, namespace: number ?? Binding.unnumbered, foreign: number == nil ? uri : "", depth: depth)
        bindings.insert(binding, at: index ?? bindings.count)
    }

    /// Brings into scope the namespaces that the caller wants to declare on the element whose start tag is being
    /// written.
    mutating func bind(_ wanted: [(prefix: String, namespace: XMLNamespace)]) {
        for (prefix, namespace) in wanted where self.prefix(of: namespace.id) == nil && !prefix.isEmpty {
            let bytes = Array(prefix.utf8)
            if isTaken(bytes) || !isUsable(prefix) || !canBind(namespace) { continue }
            bindings.append(Binding(prefix: bytes, namespace: namespace.id, depth: depth))
        }
    }

    /// Writes ` xmlns:prefix="uri"`.
    mutating func writeDeclaration(_ prefix: some Collection<UInt8>, _ uri: String) {
        raw(prefix.isEmpty ? " xmlns" : " xmlns:")
        raw(prefix)
        raw("=\"")
        escape(uri, isAttribute: true)
        raw(UInt8(ascii: "\""))
    }
}

extension XMLWriter {
    /// The parts of the start tag written last so far.
    struct LastTag {
        var nameLength: Int
        /// Its length with its `>`; nil while it is being written.
        var length: Int?
        /// Whether other tags follow it.
        var hasContent = false
    }

    /// Parses the start tag written last, which is rarely needed; nil when there is none.
    func lastTag() -> LastTag? {
        guard tagStart < count, base[tagStart] == UInt8(ascii: "<") else { return nil }
        let bytes = UnsafeBufferPointer(start: base + tagStart, count: count - tagStart)
        let nameEnd = bytes.firstIndex { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: ">") } ?? bytes.count
        var tag = LastTag(nameLength: nameEnd - 1)
        var isQuoted = false
        for (index, byte) in bytes.enumerated() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if byte == UInt8(ascii: ">"), !isQuoted {
                tag.length = index + 1
                tag.hasContent = bytes[(index + 1)...].contains(UInt8(ascii: "<"))
                break
            }
        }
        return tag
    }
}

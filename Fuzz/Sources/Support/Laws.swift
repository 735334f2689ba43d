public import SignetXML

/// Three texts as values of one of `types`: each is accepted exactly when the standard's own grammar accepts it, and
/// all obey the laws of a value space.
public func requireLaws(_ types: [XSDBuiltInType], _ input: inout Input) {
    let type = types[input.number(below: types.count)]
    let texts = (0..<3).map { _ in String(decoding: input.piece(), as: UTF8.self) }
    for text in texts { requireDecision(type, text) }
    func open<T: XSDValue>(_: T.Type) {
        let values = texts.map { type.value(of: $0, namespaces: XSDBuiltInType.scope) as? T }
        // The other texts are checked when they are in the first place.
        if let text = texts.first, let value = values.first {
            if isText(text) {
                require(
                    (T.read(text) != nil) == (value != nil), "“\(text)” is another xs:\(type.rawValue) in a document")
            }
            if let value { requireForms(text, value) }
        }
        for left in values {
            for right in values {
                guard let left, let right else { continue }
                requirePair(left, right)
                for third in values { if let third { requireTransitive(left, right, third) } }
            }
        }
    }
    open(type.valueType)
}

extension XSDBuiltInType {
    /// The prefixes that qualified names may have.
    static var scope: [String: String] { ["a": "urn:a", "b": "urn:b", "c": "urn:b", "é": "urn:a"] }
}

extension XSDValue {
    /// Reads a text as the content of an element with some namespaces in scope.
    fileprivate static func read(_ text: String) -> Self? {
        let scope = XSDBuiltInType.scope.map { " xmlns:\($0.key)=\"\($0.value)\"" }.joined()
        let content = text.unicodeScalars.reduce(into: "") { $0 += "&#\($1.value);" }
        return try? XMLReader.read(Array("<v\(scope)>\(content)</v>".utf8)) { (reader) throws(XMLError) in
            try reader.root()
            let value = try reader.value(Self.self)
            try reader.finish()
            return value
        }
    }

    /// The value after it was written into an element and read again.
    fileprivate var reread: Self? {
        var writer = XMLWriter()
        let name = XMLName("urn:v", "v")
        writer.startElement(name)
        writeLexical(to: &writer)
        writer.endElement(name)
        guard let bytes = try? writer.finish() else { fatalError("“\(self)” cannot be written") }
        return try? XMLReader.read(bytes) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.value(Self.self)
        }
    }
}

/// Whether XML can carry a text.
public func isText(_ text: String) -> Bool {
    text.unicodeScalars.allSatisfy { scalar in
        switch scalar.value {
        case 0x9, 0xA, 0xD, 0x20...0xFFFD, 0x10000...: true
        default: false
        }
    }
}

private func requireDecision(_ type: XSDBuiltInType, _ text: String) {
    let canonical = type.canonical(text, namespaces: XSDBuiltInType.scope)
    if let expected = Grammar.decides(type, text) {
        require(
            (canonical != nil) == expected,
            "xs:\(type.rawValue) \(canonical == nil ? "refuses" : "takes") “\(text)”, its grammar does not")
    }
    // The white space facets differ, so only XML's own characters are compared.
    if let base = type.base, canonical != nil, isText(text) {
        require(
            base.canonical(text, namespaces: XSDBuiltInType.scope) != nil,
            "xs:\(type.rawValue) takes “\(text)”, its base xs:\(base.rawValue) does not")
    }
}

private func requireForms<T: XSDValue>(_ text: String, _ value: T) {
    guard isText(text) else { return }
    guard let again = value.reread else {
        fatalError("“\(text)” is written as “\(value.lexicalForm)”, which cannot be read")
    }
    require(again.compare(to: value) == .equal, "“\(text)” is written as “\(value.lexicalForm)”, another value")
    require(again.canonicalForm.utf8.elementsEqual(value.canonicalForm.utf8), "“\(text)” has two canonical forms")
    if T.self == XSDQName.self { return }
    let canonical = value.canonicalForm
    guard let third = T.read(canonical) else {
        fatalError("“\(text)” has the canonical form “\(canonical)”, which cannot be read")
    }
    // The canonical form of a time with a zone is in UTC, which loses the day, but the day counts in the order (Part 2
    // §3.2.8, §3.2.8.2).
    require(
        third.compare(to: value) == .equal || T.self == XSDTime.self,
        "“\(text)” has the canonical form “\(canonical)” of another value")
    require(third.canonicalForm.utf8.elementsEqual(canonical.utf8), "“\(canonical)” has another canonical form")
}

private func requirePair<T: XSDValue>(_ left: T, _ right: T) {
    let order = left.compare(to: right)
    let mirrored: XSDOrder? = order.map { $0 == .less ? .greater : $0 == .greater ? .less : .equal }
    require(right.compare(to: left) == mirrored, "“\(left)” and “\(right)” compare otherwise the other way round")
    let isSameForm = left.canonicalForm.utf8.elementsEqual(right.canonicalForm.utf8)
    require(
        order == .equal ? isSameForm : !isSameForm || T.self == XSDTime.self,
        "“\(left)” and “\(right)” are equal in one of value and canonical form only")
    // Swift's `==` treats more strings as equal, and a NaN is not equal to itself.
    if T.self != String.self, left == left, right == right {
        require((order == .equal) == (left == right), "“\(left)” and “\(right)” are equal in one of == and order only")
    }
    if left == right { require(left.hashValue == right.hashValue, "“\(left)” and “\(right)” have two hashes") }
}

private func requireTransitive<T: XSDValue>(_ a: T, _ b: T, _ c: T) {
    guard let first = a.compare(to: b), let second = b.compare(to: c) else { return }
    let expected: XSDOrder?
    switch (first, second) {
    case (.equal, _): expected = second
    case (_, .equal), (.less, .less), (.greater, .greater): expected = first
    default: return
    }
    require(a.compare(to: c) == expected, "the order of “\(a)”, “\(b)”, “\(c)” is not transitive")
}

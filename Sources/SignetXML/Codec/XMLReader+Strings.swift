/// Strings of types that change white space: `collapsed` for `xs:token` and all derived from it, `xs:anyURI` and the like,
/// `replaced` for `xs:normalizedString` (XML Schema Part 2 §4.3.6).
extension XMLReader {
    @usableFromInline mutating func string(_ whiteSpace: XSDWhiteSpace) -> String? {
        guard let bytes = leafBytes() else { return nil }
        if let changed = whiteSpace.applied(to: bytes.span) { return String(decoding: changed, as: UTF8.self) }
        return String(decoding: bytes, as: UTF8.self)
    }

    mutating func text(_ x: inout String, _ whiteSpace: XSDWhiteSpace) {
        if takeNil() { return failNil() }
        if let value = string(whiteSpace) { x = value }
    }

    mutating func text(_ x: inout String?, _ whiteSpace: XSDWhiteSpace) {
        if takeNil() { return acceptNil() }
        x = string(whiteSpace)
    }

    mutating func text(_ x: inout Nillable<String>?, _ whiteSpace: XSDWhiteSpace) {
        x = takeNil() ? .null : string(whiteSpace).map(Nillable.value)
    }

    mutating func text(_ x: inout [String], _ whiteSpace: XSDWhiteSpace) {
        if takeNil() { return failNil() }
        if let value = string(whiteSpace) { x.append(value) }
    }

    mutating func text(_ x: inout [Nillable<String>], _ whiteSpace: XSDWhiteSpace) {
        if takeNil() { x.append(.null) } else if let value = string(whiteSpace) { x.append(.value(value)) }
    }
}

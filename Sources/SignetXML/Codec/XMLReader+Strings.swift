/// Reads strings, also of types that change white space: `collapsed` for `xs:token` and all derived from it,
/// `xs:anyURI` and the like, `replaced` for `xs:normalizedString` (XML Schema Part 2 §4.3.6).
extension XMLReader {
    /// The text of a value that was just read.
    @inline(__always) func text(of value: UnsafeBufferPointer<UInt8>) -> String { Self.text(of: value) }

    @inline(__always) static func text(of value: UnsafeBufferPointer<UInt8>) -> String {
        // A short text needs no memory of its own.
        if value.count <= 15 {
            return String(unsafeUninitializedCapacity: value.count) { $0.update(fromContentsOf: value) }
        }
        // All bytes of a document were checked before anything was read, and values begin and end at ASCII characters:
        // they need not be checked again.
        if #available(macOS 26, iOS 26, *) { return String(copying: UTF8Span(unchecked: value.span)) }
        return String(decoding: value, as: UTF8.self)
    }

    @usableFromInline mutating func string(_ whiteSpace: XSDWhiteSpace) -> String? {
        guard let bytes = leafBytes() else { return nil }
        if let changed = whiteSpace.applied(to: bytes.span) { return String(decoding: changed, as: UTF8.self) }
        return text(of: bytes)
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

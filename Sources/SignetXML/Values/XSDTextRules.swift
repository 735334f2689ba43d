/// The rule of ``XSDNormalizedString``.
public enum XSDNormalizedStringRule: XSDTextRule {
    public static var typeName: String { "xs:normalizedString" }
    /// `replace`: a tab or a line end becomes a space, and spaces are kept (§3.3.1).
    public static var whiteSpace: XSDWhiteSpace { .replace }

    public static func allows(_ text: Span<UInt8>) -> Bool {
        for i in text.indices where text[i] < 0x20 { return false }
        return true
    }
}

/// The rule of ``XSDToken``.
public enum XSDTokenRule: XSDTextRule {
    public static var typeName: String { "xs:token" }
    public static func allows(_ text: Span<UInt8>) -> Bool { XSDWhiteSpace.isCollapsed(text) }
}

/// The rule of ``XSDLanguage``.
public enum XSDLanguageRule: XSDTextRule {
    public static var typeName: String { "xs:language" }

    /// `[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*`
    public static func allows(_ text: Span<UInt8>) -> Bool {
        var length = 0
        var isFirst = true
        for i in text.indices {
            switch text[i] {
            case UInt8(ascii: "-"):
                guard length > 0 else { return false }
                length = 0
                isFirst = false
                continue
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): length += 1
            case 0x30...0x39 where !isFirst: length += 1
            default: return false
            }
            guard length <= 8 else { return false }
        }
        return length > 0
    }
}

/// The rule of ``XSDNMTOKEN``.
public enum XSDNMTOKENRule: XSDTextRule {
    public static var typeName: String { "xs:NMTOKEN" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isName(startsAnyhow: true, colons: true) }
}

/// The rule of ``XSDName``.
public enum XSDNameRule: XSDTextRule {
    public static var typeName: String { "xs:Name" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isName(startsAnyhow: false, colons: true) }
}

/// The rule of ``XSDNCName``.
public enum XSDNCNameRule: XSDTextRule {
    public static var typeName: String { "xs:NCName" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isNCName }
}

/// The rule of ``XSDID``.
public enum XSDIDRule: XSDTextRule {
    public static var typeName: String { "xs:ID" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isNCName }
}

/// The rule of ``XSDIDREF``.
public enum XSDIDREFRule: XSDTextRule {
    public static var typeName: String { "xs:IDREF" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isNCName }
}

/// The rule of ``XSDENTITY``.
public enum XSDENTITYRule: XSDTextRule {
    public static var typeName: String { "xs:ENTITY" }
    public static func allows(_ text: Span<UInt8>) -> Bool { text.isNCName }
}

extension Span where Element == UInt8 {
    /// Whether valid UTF-8 is a name without a colon (Namespaces in XML 1.0, production 4).
    var isNCName: Bool { isName(startsAnyhow: false, colons: false) }

    /// Whether valid UTF-8 consists of the characters of names (XML 1.0 fifth edition, productions 4 to 7).
    func isName(startsAnyhow: Bool, colons: Bool) -> Bool {
        guard !isEmpty else { return false }
        return withUnsafeBufferPointer { bytes in
            guard let start = bytes.baseAddress else { return false }
            var i = 0
            while i < bytes.count {
                let isFirst = i == 0 && !startsAnyhow
                let byte = bytes[i]
                if byte < 0x80 {
                    let wanted = isFirst ? XMLCharacters.nameStart : XMLCharacters.name
                    guard XMLCharacters.classes[Int(byte)] & wanted != 0 || (colons && byte == UInt8(ascii: ":")) else {
                        return false
                    }
                    i += 1
                } else {
                    guard XMLCharacters.sequence(start + i, bytes.count - i) > 0 else { return false }
                    let (scalar, length) = XMLCharacters.scalar(start + i)
                    guard XMLCharacters.isNameScalar(scalar, start: isFirst) else { return false }
                    i += length
                }
            }
            return true
        }
    }
}

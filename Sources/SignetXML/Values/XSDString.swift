extension String: XSDValue {
    public static var typeName: String { "xs:string" }
    public static var _placeholder: String { "" }
    public static var whiteSpace: XSDWhiteSpace { .preserve }

    public init?(lexical bytes: Span<UInt8>) { self = bytes.string }
    public func writeLexical(to writer: inout XMLWriter) { writer.text(self) }

    // Any text is a value, so no attempt is necessary.
    public static func _read(_ x: inout String, from reader: inout XMLReader) { reader.text(&x, .preserve) }
    public static func _read(optional x: inout String?, from reader: inout XMLReader) { reader.text(&x, .preserve) }
    public static func _read(nillable x: inout Nillable<String>?, from reader: inout XMLReader) {
        reader.text(&x, .preserve)
    }
    public static func _read(next x: inout [String], from reader: inout XMLReader) { reader.text(&x, .preserve) }

    public var canonicalForm: String { self }
    /// Strings have no order (XML Schema Part 2 §3.2.1.2).
    public func compare(to other: String) -> XSDOrder? { utf8.elementsEqual(other.utf8) ? .equal : nil }
}

/// The texts that a type derived from `xs:string` allows: the rule of ``XSDText``.
public protocol XSDTextRule: Sendable {
    /// The name of the type in error messages, with the prefix `xs`: `xs:token`.
    static var typeName: String { get }
    /// The facet `whiteSpace` of the type (§4.3.6): `collapse` for all built-in types except `xs:normalizedString`.
    static var whiteSpace: XSDWhiteSpace { get }
    /// Whether a text is in the lexical space. The bytes are valid UTF-8.
    static func allows(_ text: Span<UInt8>) -> Bool
}

extension XSDTextRule {
    /// `collapse`, as for `xs:token` and all types derived from it.
    public static var whiteSpace: XSDWhiteSpace { .collapse }
}

/// A text in the lexical space of a type derived from `xs:string`, or of `xs:anyURI`.
///
/// Texts have no order, and are equal when their characters are (XML Schema Part 2 §3.3.1 to §3.3.12).
public struct XSDText<Rule: XSDTextRule>: XSDValue, LosslessStringConvertible {
    public let description: String

    /// Makes a value; nil for a text that the type does not allow. White space is not changed.
    public init?(_ text: String) {
        var text = text
        guard text.withUTF8({ Rule.allows($0.span) }) else { return nil }
        description = text
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard Rule.allows(bytes) else { return nil }
        description = bytes.string
    }

    private init() { description = "" }

    public func writeLexical(to writer: inout XMLWriter) { writer.text(description) }
    public static func _write(_ x: Self, _ index: Int, to writer: inout XMLWriter) {
        writer.value(index, x, as: x.description)
    }
    public var canonicalForm: String { description }
    public static var typeName: String { Rule.typeName }
    public static var whiteSpace: XSDWhiteSpace { Rule.whiteSpace }
    public static var _placeholder: Self { Self() }

    // Swift treats strings as equal that differ in their scalars, such as two encodings of an accent.
    public static func == (left: Self, right: Self) -> Bool { left.description.isExactly(right.description) }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(description))
    }
}

/// No tabs or line ends (§3.3.1).
public typealias XSDNormalizedString = XSDText<XSDNormalizedStringRule>
/// No white space but single spaces inside (§3.3.2).
public typealias XSDToken = XSDText<XSDTokenRule>
/// A language tag such as `en-GB` (§3.3.3, RFC 3066).
public typealias XSDLanguage = XSDText<XSDLanguageRule>
/// Characters of names, any of them first (§3.3.4).
public typealias XSDNMTOKEN = XSDText<XSDNMTOKENRule>
/// A name, colons allowed (§3.3.6).
public typealias XSDName = XSDText<XSDNameRule>
/// A name without a colon (§3.3.7).
public typealias XSDNCName = XSDText<XSDNCNameRule>
/// A name that is unique in a document; the uniqueness is not checked (§3.3.8).
public typealias XSDID = XSDText<XSDIDRule>
/// A name that is an `ID` of the document; that is not checked (§3.3.9).
public typealias XSDIDREF = XSDText<XSDIDREFRule>
/// The name of an unparsed entity. No DTD is read, so it is unknown whether the entity exists (§3.3.11).
public typealias XSDENTITY = XSDText<XSDENTITYRule>
/// A reference to a resource, as it was written: nothing is escaped or resolved (§3.2.17).
public typealias XSDAnyURI = XSDText<XSDAnyURIRule>

/// An `xs:QName` or `xs:NOTATION`: a name with its namespace (XML Schema Part 2 §3.2.18, §3.2.19).
///
/// While a document is read, the prefix is resolved with the declarations in scope; a name without prefix is in the
/// default namespace, if there is one. While a document is written, the namespace is declared at the place of the name,
/// unless it is declared already.
public struct XSDQName: XSDValue, CustomStringConvertible {
    /// The namespace name; empty for none.
    public var namespaceURI: String
    /// The name without prefix (Namespaces in XML 1.0, production 4). A writer refuses one that is empty or has a
    /// colon.
    public var localName: String
    /// The prefix with which the name came, or with which it is to be written if the prefix is free. It is not part of
    /// the value.
    public var prefix: String

    /// Makes a name; nil when `localName` is not a name without a colon.
    public init?(namespaceURI: String, localName: String, prefix: String = "") {
        guard XMLName.isNCName(localName) else { return nil }
        self.namespaceURI = namespaceURI
        self.localName = localName
        self.prefix = prefix
    }

    private init() { (namespaceURI, localName, prefix) = ("", "", "") }

    /// Reads only texts without a prefix: there is no scope in which to resolve one.
    public init?(lexical bytes: Span<UInt8>) {
        self.init(lexical: bytes) { $0.isEmpty ? "" : nil }
    }

    public init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
        guard let colon = Self.colon(in: bytes) else { return nil }
        let prefix = bytes.extracting(..<max(colon, 0))
        guard let uri = scope.namespaceURI(forValuePrefix: prefix) else { return nil }
        self.init(prefix: prefix.string, uri, bytes.extracting((colon + 1)...).string)
    }

    /// Resolves the prefix with a function that returns its namespace name: an empty one for no namespace, nil for a
    /// prefix that is not declared. The empty prefix means the default namespace.
    init?(lexical bytes: Span<UInt8>, resolving: (String) -> String?) {
        guard let colon = Self.colon(in: bytes) else { return nil }
        let prefix = bytes.extracting(..<max(colon, 0)).string
        guard let uri = resolving(prefix) else { return nil }
        self.init(prefix: prefix, uri, bytes.extracting((colon + 1)...).string)
    }

    private init(prefix: String, _ namespaceURI: String, _ localName: String) {
        self.prefix = prefix
        self.namespaceURI = namespaceURI
        self.localName = localName
    }

    /// The position of the colon of a qualified name, -1 when it has none; nil when the text is not a qualified name.
    private static func colon(in bytes: Span<UInt8>) -> Int? {
        for i in bytes.indices where bytes[i] == UInt8(ascii: ":") {
            return bytes.extracting(..<i).isNCName && bytes.extracting((i + 1)...).isNCName ? i : nil
        }
        return bytes.isNCName ? -1 : nil
    }

    public func writeLexical(to writer: inout XMLWriter) { writer.qualifiedName(self) }

    public static var typeName: String { "xs:QName" }
    public static var _placeholder: Self { Self() }

    /// `{urn:example}name`. Names have no canonical form in XML Schema 1.0, because they need a prefix; this one needs
    /// none.
    public var canonicalForm: String { description }
    public var description: String { namespaceURI.isEmpty ? localName : "{\(namespaceURI)}\(localName)" }

    public static func == (left: Self, right: Self) -> Bool {
        left.localName.isExactly(right.localName) && left.namespaceURI.isExactly(right.namespaceURI)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(localName))
        hasher.combine(ExactText(namespaceURI))
    }
}

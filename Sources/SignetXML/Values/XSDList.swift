/// Values of one type with white space between them: a list type (XML Schema Part 2 §2.5.1.2).
public struct XSDList<Item: XSDValue>: XSDValue, ExpressibleByArrayLiteral {
    /// The items in the order of the text; the list may be empty. White space separates items, so that an item with
    /// white space in its text is read as several.
    public var items: [Item]

    /// Makes a list of any number of items, including none.
    public init(_ items: [Item]) { self.items = items }
    public init(arrayLiteral items: Item...) { self.items = items }

    public init?(lexical bytes: Span<UInt8>) {
        items = []
        var i = 0
        while let word = XSDWhiteSpace.nextWord(bytes, &i) {
            guard let item = Item(lexical: bytes.extracting(word)) else { return nil }
            items.append(item)
        }
    }

    public init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
        guard let items = Item._list(lexical: bytes, in: scope) else { return nil }
        self.items = items
    }

    public func writeLexical(to writer: inout XMLWriter) { Item._write(list: items, to: &writer) }

    public var canonicalForm: String { items.map(\.canonicalForm).joined(separator: " ") }

    /// Lists have no order; they are equal when their items are (§4.2.1).
    public func compare(to other: Self) -> XSDOrder? {
        items.count == other.items.count && zip(items, other.items).allSatisfy { $0.compare(to: $1) == .equal }
            ? .equal : nil
    }

    public static var typeName: String { "a list of \(Item.typeName)" }
    public static var _placeholder: Self { Self([]) }
}

/// A list with at least one item, as the lists among the built-in types are (§3.3.5, §3.3.10, §3.3.12).
public struct XSDNonEmptyList<Item: XSDValue>: XSDValue {
    /// The same items as a list. It is empty only in a placeholder value, which a tolerant reader returns
    /// (``XMLTolerance``).
    public let list: XSDList<Item>

    /// Makes a list; nil when there is no item.
    public init?(_ items: [Item]) { self.init(XSDList(items)) }

    /// Makes a list; nil when there is no item.
    public init?(_ list: XSDList<Item>) {
        guard !list.items.isEmpty else { return nil }
        self.list = list
    }

    public init?(lexical bytes: Span<UInt8>) {
        guard let list = XSDList<Item>(lexical: bytes) else { return nil }
        self.init(list)
    }

    public init?(lexical bytes: Span<UInt8>, in scope: borrowing XMLReader) {
        guard let list = XSDList<Item>(lexical: bytes, in: scope) else { return nil }
        self.init(list)
    }

    private init() { list = [] }

    /// The items in the order of the text; at least one. A text without items is refused (§3.3.5, §3.3.10, §3.3.12).
    public var items: [Item] { list.items }
    public func writeLexical(to writer: inout XMLWriter) { list.writeLexical(to: &writer) }
    public var canonicalForm: String { list.canonicalForm }
    public func compare(to other: Self) -> XSDOrder? { list.compare(to: other.list) }
    public static var typeName: String { "a list of at least one \(Item.typeName)" }
    public static var _placeholder: Self { Self() }
}

/// Name tokens, at least one (§3.3.5).
public typealias XSDNMTOKENS = XSDNonEmptyList<XSDNMTOKEN>
/// References to elements of the document, at least one (§3.3.10).
public typealias XSDIDREFS = XSDNonEmptyList<XSDIDREF>
/// Names of unparsed entities, at least one (§3.3.12).
public typealias XSDENTITIES = XSDNonEmptyList<XSDENTITY>

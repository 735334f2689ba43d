/// The names of a complex type's fields, prepared once so that a reader compares words instead of strings.
public struct XMLTable: @unchecked Sendable {
    // Unchecked: the pointers refer to memory that is written once below and never changed nor released; a table is
    // a static constant of a type.

    enum Occurrence: UInt8 {
        case required, optional, repeated
        /// One of a choice; its group says how many there may be.
        case alternative
    }

    struct Field {
        /// The local name with a `>` behind it and at least sixteen readable bytes.
        var name: UnsafePointer<UInt8>
        var length: Int
        var namespace: Int32
        var occurrence: Occurrence
        /// The number of the choice that the element belongs to, if it is an alternative.
        var group: UInt16 = 0
        /// The first eight bytes of the name and `>`, and which bits of them count.
        var word: UInt64
        var mask: UInt64
    }

    /// A choice: elements that stand in place of each other.
    struct Group {
        var members: Range<Int>
        var occurrence: Occurrence
    }

    let elements: UnsafeMutableBufferPointer<Field>
    let attributes: UnsafeMutableBufferPointer<Field>
    let groups: UnsafeMutableBufferPointer<Group>
    /// The number of the element that stands for any other, or -1.
    let wildcard: Int
    let hasText: Bool
    let hasAnyAttribute: Bool
    /// Whether attributes and content are kept as they were written.
    let isRaw: Bool

    /// Prepares a table.
    ///
    /// - Parameters:
    ///   - namespaces: the namespace names that the lists refer to by number; the first is meant where none is named.
    ///   - elements: local names in schema order, apart by spaces. A name ends with `?` when the element is optional, with `*`
    ///     when it may repeat; a number and a colon before it pick another namespace. Parentheses make a choice: of `(a b)`
    ///     exactly one stands there, of `(a b)?` at most one, of `(a b)*` any number in any order; the names inside carry no
    ///     mark of their own. `#any` (also with `?` or `*`, also in a choice) takes every element that has no other place in
    ///     the list; there is one such item at most.
    ///   - attributes: likewise, without choices; attributes are in no namespace unless a number says so.
    ///   - text: whether the element has simple content.
    ///   - anyAttribute: whether attributes that the list does not name are read too.
    public init(
        _ namespaces: [String], elements: String = "", attributes: String = "", text: Bool = false,
        anyAttribute: Bool = false
    ) {
        let interned = namespaces.map(XMLNamespace.init)
        var list = XMLTableList(interned, byDefault: interned.first ?? .none)
        list.read(elements)
        self.elements = Self.keep(list.fields)
        groups = Self.keep(list.groups)
        wildcard = list.wildcard ?? -1
        list = XMLTableList(interned, byDefault: .none)
        list.read(attributes)
        self.attributes = Self.keep(list.fields)
        hasText = text
        hasAnyAttribute = anyAttribute
        isRaw = false
    }

    /// A table without names, for a type that keeps attributes and content as they were written.
    static let raw = XMLTable()

    private init() {
        elements = Self.keep([])
        groups = Self.keep([])
        attributes = Self.keep([])
        wildcard = -1
        hasText = false
        hasAnyAttribute = false
        isRaw = true
    }

    private static func keep<Item>(_ items: [Item]) -> UnsafeMutableBufferPointer<Item> {
        let kept = UnsafeMutableBufferPointer<Item>.allocate(capacity: items.count)
        _ = kept.initialize(from: items)
        return kept
    }
}

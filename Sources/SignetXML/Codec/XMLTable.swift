/// The names of a complex type's fields, prepared once so that a reader compares words instead of strings.
public struct XMLTable: @unchecked Sendable {
    // Unchecked: the pointers refer to memory that is written once below and never changed nor released; a table is
    // a static constant of a type.

    enum Occurrence: UInt8 { case required, optional, repeated }

    struct Field {
        /// The local name with a `>` behind it and at least sixteen readable bytes.
        var name: UnsafePointer<UInt8>
        var length: Int
        var namespace: Int32
        var occurrence: Occurrence
        /// The first eight bytes of the name and `>`, and which bits of them count.
        var word: UInt64
        var mask: UInt64
    }

    let elements: UnsafeMutableBufferPointer<Field>
    let attributes: UnsafeMutableBufferPointer<Field>
    let hasText: Bool

    /// Prepares a table.
    ///
    /// - Parameters:
    ///   - namespaces: the namespace names that the lists refer to by number; the first is meant where none is named.
    ///   - elements: local names in schema order, apart by spaces. A name ends with `?` when the element is optional, with `*`
    ///     when it may repeat; a number and a colon before it pick another namespace.
    ///   - attributes: likewise; attributes are in no namespace unless a number says so.
    ///   - text: whether the element has simple content.
    public init(_ namespaces: [String], elements: String = "", attributes: String = "", text: Bool = false) {
        let interned = namespaces.map(XMLNamespace.init)
        self.elements = Self.fields(elements, interned, byDefault: interned.first ?? .none)
        self.attributes = Self.fields(attributes, interned, byDefault: .none)
        hasText = text
    }

    private static func fields(
        _ list: String, _ namespaces: [XMLNamespace], byDefault: XMLNamespace
    ) -> UnsafeMutableBufferPointer<Field> {
        let items = list.utf8.split(separator: UInt8(ascii: " ")).map { field(Array($0), namespaces, byDefault) }
        let fields = UnsafeMutableBufferPointer<Field>.allocate(capacity: items.count)
        _ = fields.initialize(from: items)
        return fields
    }

    private static func field(_ item: [UInt8], _ namespaces: [XMLNamespace], _ byDefault: XMLNamespace) -> Field {
        var name = item[...]
        var occurrence = Occurrence.required
        if name.last == UInt8(ascii: "?") || name.last == UInt8(ascii: "*") {
            occurrence = name.removeLast() == UInt8(ascii: "?") ? .optional : .repeated
        }
        var namespace = byDefault
        if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
            let number = Int(String(decoding: name[..<colon], as: UTF8.self)) ?? -1
            namespace = namespaces.indices.contains(number) ? namespaces[number] : .none
            name = name[(colon + 1)...]
        }
        let bytes = Array(name) + [UInt8(ascii: ">")]
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 16)
        memory.initialize(repeating: 0, count: bytes.count + 16)
        for (index, byte) in bytes.enumerated() { memory[index] = byte }
        let mask: UInt64 = bytes.count >= 8 ? .max : (1 << UInt64(bytes.count * 8)) - 1
        let word = UInt64(littleEndian: UnsafeRawPointer(memory).loadUnaligned(as: UInt64.self)) & mask
        return Field(
            name: UnsafePointer(memory), length: bytes.count - 1, namespace: namespace.id, occurrence: occurrence,
            word: word, mask: mask)
    }
}

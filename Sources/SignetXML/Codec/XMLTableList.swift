/// Reads the lists of names that an ``XMLTable`` is prepared from.
struct XMLTableList {
    private let namespaces: [XMLNamespace]
    private let byDefault: XMLNamespace
    private(set) var fields: [XMLTable.Field] = []
    private(set) var groups: [XMLTable.Group] = []
    private(set) var wildcard: Int?

    init(_ namespaces: [XMLNamespace], byDefault: XMLNamespace) {
        self.namespaces = namespaces
        self.byDefault = byDefault
    }

    mutating func read(_ list: String) {
        var first: Int?
        for item in list.utf8.split(separator: UInt8(ascii: " ")) {
            var item = Array(item)
            if item.first == UInt8(ascii: "(") {
                item.removeFirst()
                first = fields.count
            }
            let occurrence = Self.takeMark(&item)
            guard let start = first else {
                append(item, occurrence)
                continue
            }
            let isLast = item.last == UInt8(ascii: ")")
            if isLast { item.removeLast() }
            append(item, .alternative)
            if isLast {
                groups.append(XMLTable.Group(members: start..<fields.count, occurrence: occurrence))
                first = nil
            }
        }
    }

    /// Takes the `?` or `*` off the end of an item.
    private static func takeMark(_ item: inout [UInt8]) -> XMLTable.Occurrence {
        guard let last = item.last, last == UInt8(ascii: "?") || last == UInt8(ascii: "*") else { return .required }
        item.removeLast()
        return last == UInt8(ascii: "?") ? .optional : .repeated
    }

    private mutating func append(_ item: [UInt8], _ occurrence: XMLTable.Occurrence) {
        var name = item[...]
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
        var mask: UInt64 = bytes.count >= 8 ? .max : (1 << UInt64(bytes.count * 8)) - 1
        var word = UInt64(littleEndian: UnsafeRawPointer(memory).loadUnaligned(as: UInt64.self)) & mask
        if Array(name) == Array("#any".utf8) {
            wildcard = wildcard ?? fields.count
            // No bytes of a document fit, so that a start tag is never taken for one of this name.
            (mask, word) = (0, 1)
        }
        fields.append(
            XMLTable.Field(
                name: UnsafePointer(memory), length: bytes.count - 1, namespace: namespace.id, occurrence: occurrence,
                group: UInt16(truncatingIfNeeded: groups.count), word: word, mask: mask))
    }
}

private import Synchronization

/// The parts of an ``XMLTable`` that are needed only when an element is not where it is expected.
final class XMLTableDetails: Sendable {
    /// An element that the table accepts, also inside a group.
    struct Entry: @unchecked Sendable {
        // Unchecked: the name is never changed nor released.
        var hash: UInt32
        var namespace: Int32
        var name: UnsafePointer<UInt8>
        var length: Int
        /// The item of the table that takes the element.
        var item: Int
        /// Whether the content may begin with the element.
        var isFirst: Bool
    }

    /// All elements; those with the same hash are adjacent and in their order.
    let entries: [Entry]
    /// All wildcards, also those inside groups, each with the item of the table.
    let wildcards: [(item: Int, namespaces: XMLWildcard)]
    /// Whether empty content is valid.
    let mayBeEmpty: Bool
    let namespaces: [XMLNamespace]
    /// The names of the types of the elements; nil when no type is written.
    let types: [XMLName?]
    let rules: String
    private let parsed = Mutex<XMLRules?>(nil)

    init(
        _ list: XMLTableList, groups: [XMLTable], isChoice: Bool, namespaces: [XMLNamespace],
        types: String, rules: String
    ) {
        var entries: [Entry] = []
        var wildcards = list.wildcards
        for (item, field) in list.fields.enumerated() {
            let isReached = isChoice || !list.fields[..<item].contains { $0.occurrence == .required }
            switch field.kind {
            case .element:
                let hash = Self.hash(field.namespace, field.name, field.length)
                entries.append(
                    Entry(
                        hash: hash, namespace: field.namespace, name: field.name, length: field.length, item: item,
                        isFirst: isReached))
            case .group:
                let inner = groups[Int(field.group)].details
                entries += inner.entries.map { entry in
                    var entry = entry
                    entry.item = item
                    entry.isFirst = entry.isFirst && isReached
                    return entry
                }
                wildcards += inner.wildcards.map { (item, $0.namespaces) }
            case .wildcard: break
            }
        }
        self.entries = entries.sorted { ($0.hash, $0.item) < ($1.hash, $1.item) }
        self.wildcards = wildcards.sorted { $0.item < $1.item }
        mayBeEmpty =
            isChoice
            ? list.fields.contains { $0.occurrence == .optional }
            : list.fields.allSatisfy { $0.occurrence != .required }
        self.namespaces = namespaces
        self.types = types.xmlWords.map { Self.type($0, namespaces) }
        self.rules = rules
    }

    /// The rules, parsed when they are first needed; nil when there are none.
    var parsedRules: XMLRules? {
        guard !rules.isEmpty else { return nil }
        return parsed.withLock { parsed in
            if let parsed { return parsed }
            let rules = XMLRules(self.rules)
            parsed = rules
            return rules
        }
    }

    private static func type(_ word: String, _ namespaces: [XMLNamespace]) -> XMLName? {
        guard word != "-" else { return nil }
        let (prefix, localName) = word.qualifiedNameParts
        guard let number = Int(prefix), namespaces.indices.contains(number) else {
            return XMLName(namespaces.first ?? .none, word)
        }
        return XMLName(namespaces[number], localName)
    }

    /// FNV-1a. The names come from a schema: no document can choose those that collide.
    private static func hash(_ namespace: Int32, _ name: UnsafePointer<UInt8>, _ length: Int) -> UInt32 {
        var hash = 2_166_136_261 ^ UInt32(bitPattern: namespace)
        for i in 0..<length { hash = (hash ^ UInt32(name[i])) &* 16_777_619 }
        return hash
    }

    /// The entries with the hash of a name.
    func entries(of namespace: Int32, _ name: UnsafePointer<UInt8>, _ length: Int) -> ArraySlice<Entry> {
        let hash = Self.hash(namespace, name, length)
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].hash < hash { low = middle + 1 } else { high = middle }
        }
        var last = low
        while last < entries.count, entries[last].hash == hash { last += 1 }
        return entries[low..<last]
    }
}

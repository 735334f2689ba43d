/// Reads the lists of names from which an ``XMLTable`` is prepared.
struct XMLTableList {
    private let namespaces: [XMLNamespace]
    private let byDefault: XMLNamespace
    private let groups: [XMLTable]
    private(set) var fields: [XMLTable.Field] = []
    /// The forms of the fields that have one.
    private(set) var forms: [XMLForm] = []
    /// The wildcards among the fields, each with its number.
    private(set) var wildcards: [(item: Int, namespaces: XMLWildcard)] = []

    init(_ namespaces: [XMLNamespace], byDefault: XMLNamespace, groups: [XMLTable] = []) {
        self.namespaces = namespaces
        self.byDefault = byDefault
        self.groups = groups
    }

    mutating func read(_ list: String) {
        for item in list.utf8.split(separator: UInt8(ascii: " ")) {
            var item = Array(item)
            let occurrence = Self.takeMark(&item)
            append(item, occurrence)
        }
    }

    /// Adds the values of elements without text.
    mutating func read(presets: String) {
        for (item, value) in XMLTableLines.read(presets) where fields.indices.contains(item) {
            fields[item].preset = Self.keep(Array(value.utf8))
        }
    }

    /// The items that may repeat and must occur at least once, except groups that may be empty.
    static func demanded(_ rules: String, _ fields: [XMLTable.Field], _ groups: [XMLTable]) -> [Int] {
        let mark = "occurs="
        guard rules.contains(mark) else { return [] }
        return XMLTableLines.read(rules).compactMap { item, rule in
            guard rule.hasPrefix(mark), (rule.dropFirst(mark.count).first ?? "0") != "0",
                fields.indices.contains(item), fields[item].occurrence == .repeated
            else { return nil }
            let isGroup = fields[item].kind == .group
            return isGroup && groups[Int(fields[item].group)].details.mayBeEmpty ? nil : item
        }
    }

    /// Sets the forms of the fields; returns the form of simple content, whose number follows both lists.
    static func read(forms: String, _ elements: inout XMLTableList, _ attributes: inout XMLTableList) -> [XMLForm] {
        var text: [XMLForm] = []
        for (item, value) in XMLTableLines.read(forms) {
            guard let form = XMLForm(value) else { continue }
            let attribute = item - elements.fields.count
            if elements.fields.indices.contains(item) {
                guard elements.fields[item].kind == .element else { continue }
                elements.forms.append(form)
                elements.fields[item].group = UInt16(truncatingIfNeeded: elements.forms.count)
            } else if attributes.fields.indices.contains(attribute) {
                attributes.forms.append(form)
                attributes.fields[attribute].group = UInt16(truncatingIfNeeded: attributes.forms.count)
            } else {
                text = [form]
            }
        }
        for index in attributes.fields.indices where attributes.fields[index].group > 0 {
            attributes.fields[index].group &+= UInt16(truncatingIfNeeded: elements.forms.count)
        }
        return text
    }

    /// Removes the `?` or `*` from the end of an item.
    private static func takeMark(_ item: inout [UInt8]) -> XMLTable.Occurrence {
        guard let last = item.last, last == UInt8(ascii: "?") || last == UInt8(ascii: "*") else { return .required }
        item.removeLast()
        return last == UInt8(ascii: "?") ? .optional : .repeated
    }

    private mutating func append(_ item: [UInt8], _ occurrence: XMLTable.Occurrence) {
        switch item.first {
        case UInt8(ascii: "{"): appendGroup(item, occurrence)
        case UInt8(ascii: "#"): appendWildcard(item, occurrence)
        default: appendElement(item, occurrence)
        }
    }

    private mutating func appendElement(_ item: [UInt8], _ occurrence: XMLTable.Occurrence) {
        var name = item[...]
        var namespace = byDefault
        if let colon = name.firstIndex(of: UInt8(ascii: ":")) {
            namespace = self.namespace(name[..<colon])
            name = name[(colon + 1)...]
        }
        let bytes = Array(name) + [UInt8(ascii: ">")]
        let memory = Self.keep(bytes)
        let mask: UInt64 = bytes.count >= 8 ? .max : (1 << UInt64(bytes.count * 8)) - 1
        let word = UInt64(littleEndian: UnsafeRawPointer(memory).loadUnaligned(as: UInt64.self)) & mask
        fields.append(
            XMLTable.Field(
                name: memory, length: bytes.count - 1, namespace: namespace.id, occurrence: occurrence,
                word: word, mask: mask))
    }

    private mutating func appendGroup(_ item: [UInt8], _ occurrence: XMLTable.Occurrence) {
        let number = Int(String(decoding: item.dropFirst().dropLast(), as: UTF8.self)) ?? -1
        guard groups.indices.contains(number) else { return appendElement(item, occurrence) }
        // A group that may be empty needs no content.
        let mayBeAbsent = occurrence == .required && groups[number].details.mayBeEmpty
        append(item, .group, mayBeAbsent ? .optional : occurrence, UInt16(truncatingIfNeeded: number))
    }

    private mutating func appendWildcard(_ item: [UInt8], _ occurrence: XMLTable.Occurrence) {
        let parts = item.split(separator: UInt8(ascii: ":"), maxSplits: 1)
        let numbers = parts.count > 1 ? parts[1].split(separator: UInt8(ascii: ",")).map { namespace($0).id } : []
        let accepted: XMLWildcard
        switch parts[0] {
        case let kind where kind.elementsEqual("#other".utf8): accepted = .other(numbers.first ?? 0)
        case let kind where kind.elementsEqual("#in".utf8): accepted = .among(numbers)
        default: accepted = .any
        }
        wildcards.append((fields.count, accepted))
        append(item, .wildcard, occurrence, 0)
    }

    /// No bytes of a document match the appended bytes, so that no start tag is mistaken for this name.
    private mutating func append(
        _ item: [UInt8], _ kind: XMLTable.Kind, _ occurrence: XMLTable.Occurrence, _ group: UInt16
    ) {
        fields.append(
            XMLTable.Field(
                name: Self.keep(item), length: item.count, namespace: byDefault.id, occurrence: occurrence, kind: kind,
                group: group, word: 1, mask: 0))
    }

    private func namespace(_ digits: some Collection<UInt8>) -> XMLNamespace {
        let number = Int(String(decoding: digits, as: UTF8.self)) ?? -1
        return namespaces.indices.contains(number) ? namespaces[number] : .none
    }

    /// Keeps bytes, followed by zeros.
    private static func keep(_ bytes: [UInt8]) -> UnsafePointer<UInt8> {
        let memory = UnsafeMutablePointer<UInt8>.allocate(capacity: bytes.count + 16)
        memory.initialize(repeating: 0, count: bytes.count + 16)
        for (index, byte) in bytes.enumerated() { memory[index] = byte }
        return UnsafePointer(memory)
    }
}

/// The presets, forms and rules of an ``XMLTable``: a line for each, with the number of an item, a space and a text, in
/// which `&#10;`, `&#13;` and `&amp;` replace characters that would break the line.
enum XMLTableLines {
    static func read(_ text: String) -> [(item: Int, text: String)] {
        // Parsed as bytes: a character after a space may combine with it into one character.
        text.utf8.split(separator: UInt8(ascii: "\n")).compactMap { line in
            let parts = line.split(separator: UInt8(ascii: " "), maxSplits: 1)
            guard parts.count == 2, let item = Int(Substring(parts[0])) else { return nil }
            return (item, plain(Substring(parts[1])))
        }
    }

    private static func plain(_ text: Substring) -> String {
        guard text.utf8.contains(UInt8(ascii: "&")) else { return String(text) }
        return String(text).replacing("&#10;", with: "\n").replacing("&#13;", with: "\r").replacing("&amp;", with: "&")
    }
}

/// The namespaces of the elements that a wildcard accepts (XML Schema Part 1 §3.10).
enum XMLWildcard: Sendable, Hashable {
    case any
    case other(Int32)
    case among([Int32])

    func accepts(_ namespace: Int32) -> Bool {
        switch self {
        case .any: true
        case .other(let target): namespace != target && namespace != XMLNamespace.none.id
        case .among(let numbers): numbers.contains(namespace)
        }
    }
}

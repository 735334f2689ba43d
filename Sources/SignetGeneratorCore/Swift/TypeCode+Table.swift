import SignetWSDL

extension TypeCode {
    /// The table of a structure or a choice.
    func table(_ fields: [FieldPlan]) -> [SwiftCode] {
        if fields.first?.kind == .whole { return [.line("\(modifier)static let xmlTable = XMLTable.whole")] }
        var table = TableText(saysTypes: type.saysTypes)
        for field in fields { table.add(field) }
        var label = ""
        var isChoice = false
        if case .choice = type.content {
            isChoice = true
            label = "choice: "
        }
        var items = [String.swiftArray(table.namespaces.map(\.swiftLiteral), label: label, indent: 12)]
        func add(_ name: String, _ words: [String]) {
            guard !words.isEmpty || isChoice && name == "elements" else { return }
            items.append("\(name): " + words.joined(separator: " ").swiftLiteral(indent: 14 + name.count))
        }
        add("elements", table.elements)
        add("attributes", table.attributes)
        if !table.groups.isEmpty {
            items.append(.swiftArray(table.groups.map { "\($0).xmlTable" }, label: "groups: ", indent: 12))
        }
        if fields.contains(where: { $0.kind == .text }) { items.append("text: true") }
        if fields.contains(where: { $0.kind == .anyAttribute }) { items.append("anyAttribute: true") }
        if type.isMixed { items.append("mixed: true") }
        if type.isUnordered { items.append("unordered: true") }
        if table.types.contains(where: { $0 != "-" }) { add("types", table.types) }
        if !table.rules.isEmpty { items.append("rules: " + table.rules.joined(separator: "\n").swiftLines(indent: 20)) }
        return [.call("\(modifier)static let xmlTable = XMLTable(", items, ")")]
    }
}

/// The lists of a table, as they are written.
private struct TableText {
    let saysTypes: Bool
    var namespaces: [String] = []
    var elements: [String] = []
    var attributes: [String] = []
    var groups: [String] = []
    var types: [String] = []
    var rules: [String] = []
    private var count = 0

    init(saysTypes: Bool) { self.saysTypes = saysTypes }

    private mutating func number(_ namespace: String) -> Int {
        if let index = namespaces.firstIndex(of: namespace) { return index }
        namespaces.append(namespace)
        return namespaces.count - 1
    }

    mutating func add(_ field: FieldPlan) {
        let mark = field.occurrence == .required ? "" : field.occurrence == .optional ? "?" : "*"
        switch field.kind {
        case .element: elements.append(name(field.namespace, field.xmlName) + mark)
        case .wildcard: elements.append(wildcard(field.namespaces ?? .any) + mark)
        case .choice, .group:
            elements.append("{\(groups.count)}" + mark)
            groups.append(field.type)
        case .attribute:
            // An attribute is in no namespace unless a number says so.
            let prefix = field.namespace.isEmpty ? "" : "\(number(field.namespace)):"
            attributes.append(prefix + field.xmlName + mark)
        case .text, .anyAttribute, .whole: break
        }
        if saysTypes && field.kind.isInContent {
            types.append(field.schemaType.map { name($0.namespace, $0.localName) } ?? "-")
        }
        rules += field.rules.map { "\(count) \($0)" }
        if let bounds = field.bounds {
            rules.append("\(count) occurs=\(bounds.minimum)..\(bounds.maximum.map(String.init) ?? "*")")
        }
        count += 1
    }

    private mutating func name(_ namespace: String, _ localName: String) -> String {
        let index = number(namespace)
        return (index == 0 ? "" : "\(index):") + localName
    }

    private mutating func wildcard(_ namespaces: Wildcard.Namespaces) -> String {
        switch namespaces {
        case .any: return "#any"
        case .other(let than): return "#other:\(number(than))"
        case .these(let list):
            return list.isEmpty ? "#any" : "#in:" + list.map { "\(number($0))" }.joined(separator: ",")
        }
    }
}

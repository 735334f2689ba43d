import SignetWSDL

extension TypeCode {
    /// The table of a structure or a choice.
    func table(_ fields: [FieldPlan]) -> [SwiftCode] {
        let table = TablePlan(type, fields)
        if table.isWhole { return [.line("fields.whole()")] }
        let namespaces = table.namespaces.map(\.swiftLiteral)
        var items = [String.swiftArray(namespaces, label: table.isChoice ? "choice: " : "", indent: 12)]
        func add(_ name: String, _ words: [String]) {
            guard !words.isEmpty || table.isChoice && name == "elements" else { return }
            items.append("\(name): " + words.joined(separator: " ").swiftLiteral(indent: 14 + name.count))
        }
        add("elements", table.elements)
        add("attributes", table.attributes)
        if !table.groups.isEmpty {
            items.append(.swiftArray(table.groups.map { "\($0).xmlTable" }, label: "groups: ", indent: 12))
        }
        if table.hasText { items.append("text: true") }
        if table.hasAnyAttribute { items.append("anyAttribute: true") }
        if table.isMixed { items.append("mixed: true") }
        if table.isUnordered { items.append("unordered: true") }
        if table.types.contains(where: { $0 != "-" }) { add("types", table.types) }
        for (name, lines) in [("presets", table.presets), ("forms", table.forms), ("rules", table.rules)]
        where !lines.isEmpty {
            items.append("\(name): " + lines.joined(separator: "\n").swiftLines(indent: 14 + name.count))
        }
        if table.isChoice { return [.call("\(modifier)static let xmlTable = XMLTable(", items, ")")] }
        if namespaces.count == 1, items.count == 2, !table.elements.isEmpty { items[0] = namespaces[0] }
        return [.call("fields.names(", items, ")")]
    }
}

/// The fourth stage for a type: a struct with its table, or an open enum.
struct TypeCode {
    let type: TypePlan
    let access: AccessLevel

    private var modifier: String { access.modifier }

    var code: [SwiftCode] {
        let declaration: SwiftCode =
            switch type.content {
            case .structure(let fields): .block("\(modifier)struct \(type.name): XMLStructure", structure(fields))
            case .enumeration(let cases): .block("\(modifier)enum \(type.name): XMLEnumeration", enumeration(cases))
            }
        return documentation(type.documentation) + [declaration]
    }

    private func documentation(_ text: String?) -> [SwiftCode] { text.map { [.documentation($0)] } ?? [] }

    // MARK: Structures

    private func structure(_ fields: [FieldPlan]) -> [SwiftCode] {
        var code = fields.flatMap(property)
        if !fields.isEmpty { code.append(.blank) }
        let parameters = fields.map { field in
            "\(field.name): \(field.propertyType)" + (field.defaultValue.map { " = \($0)" } ?? "")
        }
        let assignments = fields.map { field -> SwiftCode in
            .line(
                field.isBoxed ? "\(field.storage) = \(field.boxing(field.name))" : "self.\(field.name) = \(field.name)")
        }
        code.append(.function("\(modifier)init(", parameters, ")", assignments))
        code += [.blank, .block("\(modifier)init(_decoding: Void)", fields.compactMap(placeholder))]
        code += [.blank, table(fields), .blank, decoding(fields)]
        let attributes = fields.filter { $0.kind == .attribute }
        if !attributes.isEmpty {
            let writes = attributes.enumerated().map { SwiftCode.line("writer.attribute(\($0), \($1.readable))") }
            code += [.blank, .block("\(modifier)func encodeAttributes(to writer: inout XMLWriter)", writes)]
        }
        var writes: [SwiftCode] = []
        for (index, field) in fields.enumerated() where field.kind == .element {
            let isNillable = field.occurrence == .required && field.isNillable
            writes.append(.line("writer.\(isNillable ? "nillableField" : "field")(\(index), \(field.readable))"))
        }
        for field in fields where field.kind == .text { writes.append(.line("writer.content(\(field.readable))")) }
        code += [.blank, .block("\(modifier)func encodeContent(to writer: inout XMLWriter)", writes)]
        return code
    }

    private func property(_ field: FieldPlan) -> [SwiftCode] {
        let head = "\(modifier)var \(field.name): \(field.propertyType)"
        guard field.isBoxed else { return documentation(field.documentation) + [.line(head)] }
        // An array is the box: its values lie on the heap.
        let accessors: [SwiftCode] = [
            .line("get { \(field.storage).first }"), .line("set { \(field.storage) = \(field.boxing("newValue")) }"),
        ]
        return documentation(field.documentation) + [
            .block(head, accessors), .line("private var \(field.storage): [\(field.propertyType.dropLast())] = []"),
        ]
    }

    /// Optional properties begin as nil and boxed ones as empty without being told.
    private func placeholder(_ field: FieldPlan) -> SwiftCode? {
        if field.isBoxed { return nil }
        switch (field.occurrence, field.isNillable) {
        case (.repeated, _): return .line("\(field.name) = []")
        case (.required, false):
            return .line("\(field.name) = \(field.isStructure ? "\(field.type)(_decoding: ())" : "._placeholder")")
        default: return nil
        }
    }

    private func table(_ fields: [FieldPlan]) -> SwiftCode {
        var namespaces: [String] = []
        func number(_ namespace: String) -> Int {
            if let index = namespaces.firstIndex(of: namespace) { return index }
            namespaces.append(namespace)
            return namespaces.count - 1
        }
        var elements: [String] = []
        var attributes: [String] = []
        for field in fields where field.kind != .text {
            let mark = field.occurrence == .required ? "" : field.occurrence == .optional ? "?" : "*"
            if field.kind == .element {
                let index = number(field.namespace)
                elements.append((index == 0 ? "" : "\(index):") + field.xmlName + mark)
            } else {
                // An attribute is in no namespace unless a number says so.
                let prefix = field.namespace.isEmpty ? "" : "\(number(field.namespace)):"
                attributes.append(prefix + field.xmlName + mark)
            }
        }
        var items = ["[\(namespaces.map(\.swiftLiteral).joined(separator: ", "))]"]
        if !elements.isEmpty {
            items.append("elements: " + elements.joined(separator: " ").swiftLiteral(indent: 22))
        }
        if !attributes.isEmpty {
            items.append("attributes: " + attributes.joined(separator: " ").swiftLiteral(indent: 24))
        }
        if fields.contains(where: { $0.kind == .text }) { items.append("text: true") }
        return .call("\(modifier)static let xmlTable = XMLTable(", items, ")")
    }

    private func decoding(_ fields: [FieldPlan]) -> SwiftCode {
        let cases = fields.enumerated().map { SwiftCode.line("case \($0): reader.field(&\($1.readable))") }
        let body: [SwiftCode] =
            fields.isEmpty ? [] : [.line("switch index {")] + cases + [.line("default: break"), .line("}")]
        return .block("\(modifier)mutating func decodeField(_ index: Int, from reader: inout XMLReader)", body)
    }

    // MARK: Enumerations

    private func enumeration(_ cases: [CasePlan]) -> [SwiftCode] {
        var code: [SwiftCode] = cases.flatMap { documentation($0.documentation) + [.line("case \($0.name)")] }
        code += [
            .documentation("A value that the WSDL does not name."), .line("case unrecognized(String)"), .blank,
            .block(
                "\(modifier)init(rawValue: String)",
                [.line("switch rawValue {")]
                    + cases.map { .line("case \($0.value.swiftLiteral): self = .\($0.name)") }
                    + [.line("default: self = .unrecognized(rawValue)"), .line("}")]),
            .blank,
            .block(
                "\(modifier)var rawValue: String",
                [.line("switch self {")]
                    + cases.map { .line("case .\($0.name): \($0.value.swiftLiteral)") }
                    + [.line("case .unrecognized(let value): value"), .line("}")]),
        ]
        return code
    }
}

extension FieldPlan {
    /// The property inside a method whose parameters might hide it.
    var readable: String { ["index", "reader", "writer"].contains(name) ? "self.\(name)" : name }

    /// The property behind a boxed one.
    var storage: String { "_" + name.filter { $0 != "`" } }

    /// The value of the storage for the value of an optional.
    func boxing(_ value: String) -> String { "\(value).map { [$0] } ?? []" }
}

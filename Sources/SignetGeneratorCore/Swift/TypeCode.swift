/// The fourth stage for a type: a struct with its table, an enum for a choice, or an open enum.
struct TypeCode {
    let type: TypePlan
    let access: AccessLevel

    private var modifier: String { access.modifier }

    var code: [SwiftCode] {
        let declaration: SwiftCode =
            switch type.content {
            case .structure(let fields): .block("\(modifier)struct \(type.name): XMLStructure", structure(fields))
            case .choice(let fields, let isIndirect):
                .block(
                    "\(modifier)\(isIndirect ? "indirect " : "")enum \(type.name): Sendable, Hashable", choice(fields))
            case .array(let array):
                .block("\(modifier)struct \(type.name): XMLStructure", ArrayCode(array: array, access: access).code)
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
        var attributes = fields.filter { $0.kind == .attribute }.enumerated().map {
            SwiftCode.line("writer.attribute(\($0), \($1.readable))")
        }
        attributes += fields.filter { $0.kind == .anyAttribute }.map { .line("writer.anyAttributes(\($0.readable))") }
        if !attributes.isEmpty {
            code += [.blank, .block("\(modifier)func encodeAttributes(to writer: inout XMLWriter)", attributes)]
        }
        code += [.blank, .block("\(modifier)func encodeContent(to writer: inout XMLWriter)", encoding(fields))]
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
        case (.required, false): return .line("\(field.name) = \(field.placeholder)")
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
        func item(_ field: FieldPlan) -> String {
            if field.kind == .wildcard { return "#any" }
            let index = number(field.namespace)
            return (index == 0 ? "" : "\(index):") + field.xmlName
        }
        for field in fields {
            let mark = field.occurrence == .required ? "" : field.occurrence == .optional ? "?" : "*"
            switch field.kind {
            case .element, .wildcard: elements.append(item(field) + mark)
            case .choice: elements.append("(\(field.branches.map(item).joined(separator: " ")))" + mark)
            case .attribute:
                // An attribute is in no namespace unless a number says so.
                let prefix = field.namespace.isEmpty ? "" : "\(number(field.namespace)):"
                attributes.append(prefix + field.xmlName + mark)
            case .text, .anyAttribute: break
            }
        }
        var items = [String.swiftArray(namespaces.map(\.swiftLiteral), label: "", indent: 12)]
        if !elements.isEmpty {
            items.append("elements: " + elements.joined(separator: " ").swiftLiteral(indent: 22))
        }
        if !attributes.isEmpty {
            items.append("attributes: " + attributes.joined(separator: " ").swiftLiteral(indent: 24))
        }
        if fields.contains(where: { $0.kind == .text }) { items.append("text: true") }
        if fields.contains(where: { $0.kind == .anyAttribute }) { items.append("anyAttribute: true") }
        return .call("\(modifier)static let xmlTable = XMLTable(", items, ")")
    }

    /// The fields with their numbers in the table: each alternative of a choice has one of its own.
    private func numbered(_ fields: [FieldPlan]) -> [(number: Int, field: FieldPlan)] {
        var next = 0
        return fields.map { field in
            defer { next += max(1, field.branches.count) }
            return (next, field)
        }
    }

    private func decoding(_ fields: [FieldPlan]) -> SwiftCode {
        let cases = numbered(fields).flatMap { number, field -> [SwiftCode] in
            switch field.kind {
            case .choice:
                field.branches.enumerated().map { index, branch in
                    .line("case \(number + index): reader.choice(&\(field.readable), \(field.type).\(branch.name))")
                }
            case .anyAttribute: [.line("case \(number): reader.anyAttribute(&\(field.readable))")]
            default: [.line("case \(number): reader.field(&\(field.readable))")]
            }
        }
        let body: [SwiftCode] =
            fields.isEmpty ? [] : [.line("switch index {")] + cases + [.line("default: break"), .line("}")]
        return .block("\(modifier)mutating func decodeField(_ index: Int, from reader: inout XMLReader)", body)
    }

    private func encoding(_ fields: [FieldPlan]) -> [SwiftCode] {
        numbered(fields).flatMap { number, field -> [SwiftCode] in
            switch field.kind {
            case .element:
                let isNillable = field.occurrence == .required && field.isNillable
                return [.line("writer.\(isNillable ? "nillableField" : "field")(\(number), \(field.readable))")]
            case .wildcard: return [.line("writer.wildcard(\(field.readable))")]
            case .choice: return encoding(field, number)
            case .text: return [.line("writer.content(\(field.readable))")]
            case .attribute, .anyAttribute: return []
            }
        }
    }

    /// A switch over the alternatives of a choice.
    private func encoding(_ choice: FieldPlan, _ number: Int) -> [SwiftCode] {
        let isOptional = choice.occurrence == .optional
        var code: [SwiftCode] = choice.branches.enumerated().map { index, branch in
            let write =
                branch.kind == .wildcard
                ? "writer.wildcard(value)"
                : "writer.\(branch.isNillable ? "nillableField" : "field")(\(number + index), value)"
            return .line("case .\(branch.name)(let value)\(isOptional ? "?" : ""): \(write)")
        }
        if isOptional { code.append(.line("case nil: break")) }
        if choice.occurrence == .repeated {
            return [.block("for item in \(choice.readable)", [.line("switch item {")] + code + [.line("}")])]
        }
        return [.line("switch \(choice.readable) {")] + code + [.line("}")]
    }

    // MARK: Choices

    private func choice(_ fields: [FieldPlan]) -> [SwiftCode] {
        fields.flatMap { documentation($0.documentation) + [.line("case \($0.name)(\($0.payloadType))")] }
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
    /// What the case of a choice holds.
    var payloadType: String { isNillable ? "\(type)?" : type }

    /// The property inside a method whose parameters might hide it.
    var readable: String { ["index", "reader", "writer"].contains(name) ? "self.\(name)" : name }

    /// The property behind a boxed one.
    var storage: String { "_" + name.filter { $0 != "`" } }

    /// The value of the storage for the value of an optional.
    func boxing(_ value: String) -> String { "\(value).map { [$0] } ?? []" }
}

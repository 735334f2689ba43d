import SignetWSDL

/// The parts of a struct for an array of SOAP's encoding (SOAP 1.1 §5.4.2).
struct ArrayCode {
    let array: ArrayPlan
    let access: AccessLevel
    /// The registry of types that `xsi:type` may name.
    let registry: String

    private var modifier: String { access.modifier }
    private var hasDimensions: Bool { array.dimensions > 1 }
    private var item: FieldPlan { array.item }
    private var listType: String { item.isDerived ? item.propertyType : "[\(item.type)?]" }

    var properties: [SwiftCode] {
        var code = access.property(item, listType)
        var parameters = ["_ items: \(listType) = []"]
        var assignments = [item.assignment()]
        if hasDimensions {
            code.append(.documentation("How many items there are in each dimension; the last one changes fastest."))
            code.append(.line("\(modifier)var dimensions: [Int]"))
            parameters.append("dimensions: [Int] = []")
            assignments.append(.line("self.dimensions = dimensions"))
        }
        return code + [.blank] + access.initialiser(parameters, assignments)
    }

    var coding: [SwiftCode] { [access.fields([table] + fields)] }

    /// The name of a member has no meaning (§5.4.2): any element is a member.
    private var table: SwiftCode {
        let namespaces = [
            array.element.namespace, Namespaces.soapEncoding11, Namespaces.soapEncoding12, array.type.namespace,
        ]
        var items = [
            String.swiftArray(namespaces.map(\.swiftLiteral), label: "", indent: 12),
            "elements: \("\(array.element.localName)* #any*".swiftLiteral)",
        ]
        if hasDimensions { items.append("attributes: \"1:arrayType? 2:arraySize?\"") }
        if !array.tableTypes.isEmpty { items.append("types: \(array.tableTypes.swiftLiteral)") }
        return .call("fields.names(", items, ")")
    }

    private var fields: [SwiftCode] {
        // The table has two entries for them: their name, and any name.
        var code = [
            item.isDerived
                ? item.fieldStatement(registry) : .line("fields.\(FieldMethods.items.name(.repeated))(&x.items)"),
            .line("fields.sameProperty()"),
        ]
        if hasDimensions { code += [.line("fields.dimensions(&x.dimensions)"), .line("fields.sameProperty()")] }
        let size = hasDimensions ? "x.dimensions.isEmpty ? [x.items.count] : x.dimensions" : "[x.items.count]"
        let type = "XMLName(\(array.type.namespace.swiftLiteral), \(array.type.localName.swiftLiteral))"
        let ranks = array.ranks.isEmpty ? [] : ["ranks: \(array.ranks.swiftLiteral)"]
        return code + [
            .closure("fields.arrayType(" + (["&x", type] + ranks).joined(separator: ", ") + ")", "x", [.line(size)])
        ]
    }
}

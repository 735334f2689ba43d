import SignetGeneratorCore
@_spi(Generated) import SignetSOAP
import SignetWSDL
@_spi(Generated) import SignetXML

/// Writes what generated code would write.
struct PlanWriter {
    let plan: InterpretedPlan

    /// The attributes and the content of an open tag.
    func content(_ value: PlanValue, _ writer: inout XMLWriter) {
        if case .any(let any) = value { return writer.content(of: any) }
        if case .null = value { return writer.structure(.whole, attributes: { _ in }, content: { $0.null(0) }) }
        if case .array(let key, let items, let dimensions) = value { return array(key, items, dimensions, &writer) }
        guard case .structure(let key, let values) = value, let type = plan.type(key) else { return }
        writer.structure(type.table) { writer in
            var attribute = 0
            for (field, values) in zip(type.fields, values) {
                switch (field.kind, values.first) {
                case (.attribute, let first):
                    if case .simple(let value)? = first { self.attribute(attribute, value, &writer) }
                    attribute += 1
                case (.anyAttribute, .attributes(let found)?): writer.anyAttributes(found)
                default: break
                }
            }
        } content: { writer in
            fields(type, values, &writer)
        }
    }

    private func array(_ key: TypeKey, _ items: [PlanValue], _ dimensions: [Int], _ writer: inout XMLWriter) {
        guard let type = plan.type(key), let array = type.array else { return }
        writer.structure(type.table) { writer in
            writer.arrayType(
                XMLName(array.itemType.namespace, array.itemType.localName),
                dimensions.isEmpty ? [items.count] : dimensions, ranks: array.ranks)
        } content: { writer in
            fields(type, [items], &writer)
        }
    }

    private func attribute<T: XMLValue>(_ index: Int, _ value: T, _ writer: inout XMLWriter) {
        writer.attribute(index, value)
    }

    private func fields(_ type: InterpretedType, _ values: [[PlanValue]], _ writer: inout XMLWriter) {
        for (index, (field, values)) in zip(type.fields, values).enumerated() {
            for value in values { write(index, field, value, &writer) }
        }
    }

    private func write(_ index: Int, _ field: InterpretedField, _ value: PlanValue, _ writer: inout XMLWriter) {
        switch (field.kind, value) {
        case (.attribute, _), (.anyAttribute, _): break
        case (.text, .simple(let text)): content(text, &writer)
        case (_, .fragment(let fragment)): writer.wildcard(fragment)
        case (.group, _), (.choice, _): member(index, value, &writer)
        case (_, .null): writer.null(index)
        case (_, .simple(let simple)): self.field(index, simple, &writer)
        case (_, .any), (_, .structure), (_, .array): structure(index, field, value, &writer)
        default: break
        }
    }

    private func content<T: XMLValue>(_ value: T, _ writer: inout XMLWriter) { writer.content(value) }
    private func field<T: XMLValue>(_ index: Int, _ value: T, _ writer: inout XMLWriter) { writer.field(index, value) }

    private func structure(
        _ index: Int, _ field: InterpretedField, _ value: PlanValue, _ writer: inout XMLWriter
    ) {
        var named: XMLName?
        if case .structure(let key, _) = value, case .declared(let declared) = field.reference, key != declared {
            named = plan.type(key)?.name
        }
        guard writer.startStructure(index, type: named) else { return }
        content(value, &writer)
        writer.endStructure(index)
    }

    /// Content without an element of its own.
    private func member(_ index: Int, _ value: PlanValue, _ writer: inout XMLWriter) {
        switch value {
        case .structure(let key, let values):
            guard let type = plan.type(key) else { return }
            let outer = writer.enterGroup(index, type.table)
            fields(type, values, &writer)
            writer.leaveTable(outer)
        case .choice(let key, let alternative, let values):
            guard let type = plan.type(key) else { return }
            let outer = writer.enterGroup(index, type.table)
            for value in values {
                if case .text(let text) = value {
                    writer.text(text)
                } else if type.fields.indices.contains(alternative) {
                    write(alternative, type.fields[alternative], value, &writer)
                }
            }
            writer.leaveTable(outer)
        default: break
        }
    }
}

import SignetGeneratorCore
@_spi(Generated) import SignetSOAP
@_spi(Generated) import SignetXML

/// Reads what generated code would read, by the same tables and with the same reader.
struct PlanReader {
    let plan: InterpretedPlan

    /// The content of the element whose start tag was read last.
    func content(of key: TypeKey, _ reader: inout XMLReader) -> PlanValue? {
        guard let type = plan.type(key) else {
            reader.refuse("the type \(key.name) is abstract, or was not planned.")
            return nil
        }
        var progress = reader.beginStructure(type.table)
        if let item = type.fields.first, type.array != nil {
            var items: [PlanValue] = []
            var dimensions: [Int] = []
            while let index = reader.nextField(type.table, &progress) {
                if index > 1 { reader.dimensions(&dimensions) } else { read(item, &items, &reader) }
            }
            return .array(key, items, dimensions: dimensions)
        }
        var values = [[PlanValue]](repeating: [], count: type.fields.count)
        while let index = reader.nextField(type.table, &progress) {
            guard type.fields.indices.contains(index) else { break }
            read(type.fields[index], &values[index], &reader)
        }
        return .structure(key, values)
    }

    /// Elements that stand in the content of the element around them.
    private func members(of key: TypeKey, _ reader: inout XMLReader) -> PlanValue? {
        guard let type = plan.type(key) else { return nil }
        if type.isChoice { return alternative(of: key, type, &reader) }
        var values = [[PlanValue]](repeating: [], count: type.fields.count)
        var progress = reader.beginGroup()
        while let index = reader.nextMember(type.table, &progress) {
            guard type.fields.indices.contains(index) else { break }
            read(type.fields[index], &values[index], &reader)
        }
        return .structure(key, values)
    }

    private func alternative(
        of key: TypeKey, _ type: InterpretedType, _ reader: inout XMLReader
    ) -> PlanValue? {
        guard let index = reader.takeRoute(type.table) else { return nil }
        guard type.fields.indices.contains(index) else {
            return .choice(key, alternative: index, [.text(reader.takeText())])
        }
        var values: [PlanValue] = []
        let place = reader.alternative
        repeat { read(type.fields[index], &values, &reader) } while reader.nextRepetition(place)
        return .choice(key, alternative: index, values)
    }

    private func read(_ field: InterpretedField, _ values: inout [PlanValue], _ reader: inout XMLReader) {
        switch field.kind {
        case .wildcard:
            if let value = reader.keepElement() { values.append(.fragment(value)) }
        case .anyAttribute:
            var found: [XMLAnyAttribute] = []
            reader.anyAttribute(&found)
            if case .attributes(let before)? = values.popLast() { found = before + found }
            values.append(.attributes(found))
        case .group, .choice:
            if case .declared(let key) = field.reference, let value = members(of: key, &reader) { values.append(value) }
        case .element, .attribute, .text, .whole:
            if reader.takeNil() {
                // Generated properties have no room for nil where the schema allows none.
                switch (field.isNillable, field.occurrence) {
                case (true, _): values.append(.null)
                case (false, .optional): reader.acceptNil()
                case (false, _): reader.failNil()
                }
                return
            }
            guard let value = value(field.reference, &reader) else { return }
            if field.occurrence == .repeated { values.append(value) } else { values = [value] }
        }
    }

    func value(_ reference: BoundReference, _ reader: inout XMLReader) -> PlanValue? {
        switch reference {
        case .builtIn(.any):
            var any = XMLAny()
            reader.content(of: &any)
            return .any(any)
        case .builtIn(let type):
            guard let simple = InterpretedPlan.valueType(type) else {
                reader.refuse("\(type) is not interpreted.")
                return nil
            }
            return self.simple(simple, &reader)
        case .list(let item): return plan.listType(of: item).flatMap { simple($0, &reader) }
        case .external(let name, _):
            reader.refuse("\(name) is not interpreted.")
            return nil
        case .declared(let key):
            if plan.isSimple(key) { return simple(plan.simpleType(of: key), &reader) }
            return content(of: plan.actualType(of: key, &reader) ?? key, &reader)
        }
    }

    private func simple<T: XMLValue>(_ type: T.Type, _ reader: inout XMLReader) -> PlanValue? {
        reader.simple(type).map(PlanValue.simple)
    }
}

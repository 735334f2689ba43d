import SignetWSDL
@_spi(Generated) import SignetXML

/// Reads messages as generated code does, by the same tables, into the Swift that makes the same values.
struct PlannedValueReader {
    private let plan: ServicePlan
    private let types: [TypeKey: TypePlan]
    private var tables: [TypeKey: XMLTable] = [:]

    init(_ plan: ServicePlan) {
        self.plan = plan
        types = Dictionary(plan.types.map { ($0.key, $0) }) { first, _ in first }
    }

    mutating func message(
        _ key: TypeKey, _ message: MessagePlan, isEncoded: Bool, _ bytes: [UInt8]
    ) throws(XMLError) -> SwiftExpression {
        guard let reference = plan.schema.messages[key] else { return .placeholder("\(key.name) was not planned") }
        var limits = XMLLimits()
        limits.depth = 100
        let read = try XMLReader.read(bytes, limits: limits) { (reader) throws(XMLError) in
            // What is missing is shown as such. Nothing is left out but attributes that no type declares, such as
            // `arrayType`, which generated code writes itself.
            reader.tolerance = [.missingElement, .missingAttribute, .unknownAttribute]
            if isEncoded { reader.tolerance.insert(.namespace) }
            try reader.root()
            let read = try reader.message { message.isNillable && $0.takeNilMessage() ? .null : value(reference, &$0) }
            try reader.finish()
            return read
        }
        return read ?? .placeholder("\(key.name) cannot be read")
    }

    // MARK: Types

    private mutating func table(_ key: TypeKey) -> XMLTable? {
        if let table = tables[key] { return table }
        guard let type = types[key], let bound = plan.schema.types[key] else { return nil }
        let table: XMLTable
        if case .array(let array) = type.content {
            table = array.xmlTable
        } else {
            guard let plan = plan.tables[key] else { return nil }
            // The content of groups without an element is finite.
            table = plan.xmlTable(
                groups: bound.fields.compactMap { $0.isGroup ? $0.type.declaration.flatMap { self.table($0) } : nil })
        }
        tables[key] = table
        return table
    }

    private func fields(_ key: TypeKey) -> [(plan: FieldPlan, type: BoundReference)] {
        let bound = plan.schema.types[key]?.fields ?? []
        switch types[key]?.content {
        case .structure(let fields), .choice(let fields, _): return Array(zip(fields, bound.map(\.type)))
        case .array(let array): return Array(zip([array.item], bound.map(\.type)))
        case .enumeration, .union, .some(.none), nil: return []
        }
    }

    /// The name for code outside of the service's namespace.
    private func name(_ key: TypeKey) -> String {
        [plan.name, types[key]?.container, types[key]?.name].compactMap { $0 }.joined(separator: ".")
    }

    // MARK: Structures

    /// The content of the element whose start tag was read last.
    private mutating func structure(
        _ key: TypeKey, _ head: String, _ reader: inout XMLReader
    ) -> SwiftExpression? {
        guard let table = table(key) else {
            _ = any(&reader)
            return .placeholder("\(key.name) is abstract: xsi:type must say more")
        }
        let fields = fields(key)
        var values = [[SwiftExpression]](repeating: [], count: fields.count)
        var progress = reader.beginStructure(table)
        if case .array? = types[key]?.content, let item = fields.first {
            var items: [SwiftExpression] = []
            var dimensions: [SwiftExpression] = []
            while let index = reader.nextField(table, &progress) {
                // The table has two entries for items and two for dimensions.
                if index > 1 {
                    dimensions = reader.simple(ScopedText.self)?.dimensions ?? []
                } else {
                    read(item, &items, &reader)
                }
            }
            return array(item.plan, items, dimensions)
        }
        while let index = reader.nextField(table, &progress), fields.indices.contains(index) {
            read(fields[index], &values[index], &reader)
        }
        return initialiser(head, fields.map(\.plan), values)
    }

    private func initialiser(
        _ head: String, _ fields: [FieldPlan], _ values: [[SwiftExpression]]
    ) -> SwiftExpression {
        .call(
            head,
            zip(fields, values).compactMap { field, values in
                field.argument(values).map { SwiftExpression.Argument(field.label, $0) }
            })
    }

    private func array(
        _ item: FieldPlan, _ values: [SwiftExpression], _ dimensions: [SwiftExpression]
    ) -> SwiftExpression {
        let items = SwiftExpression.list(item.isDerived ? values.map(\.inNillable) : values)
        return .call(
            ".init",
            (values.isEmpty ? [] : [.init(nil, items)])
                + (dimensions.isEmpty ? [] : [.init("dimensions", .list(dimensions))]))
    }

    /// Elements in the content of the element around them.
    private mutating func members(_ key: TypeKey, _ reader: inout XMLReader) -> SwiftExpression? {
        guard let table = table(key) else { return nil }
        let fields = fields(key)
        if case .choice? = types[key]?.content {
            guard let index = reader.takeRoute(table) else { return nil }
            guard fields.indices.contains(index) else {
                return .call(".text", .literal(reader.takeText().swiftLiteral))
            }
            var values: [SwiftExpression] = []
            let place = reader.alternative
            repeat { read(fields[index], &values, &reader) } while reader.nextRepetition(place)
            return .call(".\(fields[index].plan.plainName)", fields[index].plan.payload(values))
        }
        var values = [[SwiftExpression]](repeating: [], count: fields.count)
        var progress = reader.beginGroup()
        while let index = reader.nextMember(table, &progress), fields.indices.contains(index) {
            read(fields[index], &values[index], &reader)
        }
        return initialiser(".init", fields.map(\.plan), values)
    }

    private mutating func read(
        _ field: (plan: FieldPlan, type: BoundReference), _ values: inout [SwiftExpression],
        _ reader: inout XMLReader
    ) {
        switch field.plan.kind {
        case .wildcard:
            if let element = reader.keepElement() { values.append(.parsing(element)) }
        case .anyAttribute:
            var attributes: [XMLAnyAttribute] = []
            reader.anyAttribute(&attributes)
            values += attributes.map(SwiftExpression.attribute)
        case .group, .choice:
            if let key = field.type.declaration, let value = members(key, &reader) { values.append(value) }
        case .element, .attribute, .text, .whole:
            if reader.takeNil() {
                switch (field.plan.isNillable, field.plan.occurrence) {
                case (true, _): values.append(.null)
                case (false, .optional): reader.acceptNil()
                case (false, _): reader.failNil()
                }
            } else if let value = value(field.type, &reader) {
                if field.plan.occurrence != .repeated { values.removeAll() }
                values.append(value)
            }
        }
    }

    // MARK: Values

    private mutating func value(_ reference: BoundReference, _ reader: inout XMLReader) -> SwiftExpression? {
        switch reference {
        case .builtIn(.any): return .content(any(&reader))
        case .external(let name, isSimple: false): return .structure(name, any(&reader))
        case .declared(let key):
            guard let type = plan.schema.types[key], !type.isSimple else { break }
            guard type.isBase else { return structure(key, ".init", &reader) }
            let named = reader.namedType().map { QName($0.namespaceURI, $0.localName) }
            let actual = type.variants.first { $0.name == named }
            if actual == nil, let named, named != key.name {
                let content = SwiftExpression.content(any(&reader))
                return type.keepsUnknownVariants ? content : .placeholder("there is no Swift type for \(named)")
            }
            return structure(actual ?? key, name(actual ?? key), &reader)
        default: break
        }
        return reader.simple(ScopedText.self).map { SimpleExpression(plan.schema, types).value(reference, $0) }
    }

    private func any(_ reader: inout XMLReader) -> XMLAny {
        var content = XMLAny()
        reader.content(of: &content)
        return content
    }
}

extension BoundField {
    fileprivate var isGroup: Bool { kind == .group || kind == .choice }
}

extension FieldPlan {
    /// Behind a dot, keywords need no backticks.
    fileprivate var plainName: String { name.filter { $0 != "`" } }

    /// The label of the argument; only these keywords need their backticks there.
    fileprivate var label: String { ["`inout`", "`let`", "`var`"].contains(name) ? name : plainName }

    /// The argument for the property; nil when its default is the same.
    fileprivate func argument(_ values: [SwiftExpression]) -> SwiftExpression? {
        switch (occurrence, isNillable, values.first) {
        case (.repeated, _, _): values.isEmpty && defaultValue != nil ? nil : list(values)
        case (.optional, true, let value): value?.inNillable
        case (_, _, .null?): nil
        case (_, _, let value?): value
        case (_, _, nil): defaultValue == nil ? .placeholder("\(xmlName) is missing") : nil
        }
    }

    /// The value of a choice's case.
    fileprivate func payload(_ values: [SwiftExpression]) -> SwiftExpression {
        let value = occurrence == .repeated ? list(values) : values.first ?? .placeholder("\(xmlName) is missing")
        return isDerived ? .call(".init", value) : value
    }

    private func list(_ values: [SwiftExpression]) -> SwiftExpression {
        .list(isNillable ? values.map(\.inNillable) : values)
    }
}

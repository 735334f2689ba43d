import SignetGeneratorCore
import SignetWSDL
@_spi(Generated) import SignetXML

/// What was planned of a type, ready to be carried out.
struct InterpretedType {
    var table: XMLTable
    var fields: [InterpretedField]
    var isChoice: Bool
    /// The name that `xsi:type` may say.
    var name: XMLName?
    /// What is known of an array of SOAP's encoding, whose items are the only field.
    var array: BoundArray?
}

struct InterpretedField {
    var kind: BoundField.Kind
    var reference: BoundReference
    var occurrence: BoundField.Occurrence
    var isNillable: Bool
}

/// The planned types of a service, each made ready when it is first met.
final class InterpretedPlan {
    private let schema: BoundSchema
    private let tables: [TypeKey: TablePlan]
    private var kept: [TypeKey: InterpretedType] = [:]

    init(_ schema: BoundSchema, _ tables: [TypeKey: TablePlan]) {
        self.schema = schema
        self.tables = tables
    }

    func isSimple(_ key: TypeKey) -> Bool { schema.types[key]?.isSimple == true }

    /// Nil for a simple type, and for an abstract one.
    func type(_ key: TypeKey) -> InterpretedType? {
        if let type = kept[key] { return type }
        guard let bound = schema.types[key], !bound.isSimple else { return nil }
        var array: BoundArray?
        let table: XMLTable
        if case .array(let found) = bound.content {
            array = found
            table = Self.table(found)
        } else {
            guard let plan = tables[key] else { return nil }
            table = self.table(plan, bound.fields)
        }
        let type = InterpretedType(
            table: table,
            fields: bound.fields.map {
                InterpretedField(
                    kind: $0.kind, reference: $0.type, occurrence: $0.occurrence, isNillable: $0.isNillable)
            }, isChoice: bound.isChoice,
            name: key.root == .type && key.path.isEmpty ? XMLName(key.name.namespace, key.name.localName) : nil,
            array: array)
        kept[key] = type
        return type
    }

    private func table(_ plan: TablePlan, _ fields: [BoundField]) -> XMLTable {
        // A group that holds itself without an element between would be no schema.
        let groups = fields.compactMap { field -> XMLTable? in
            guard field.kind == .group || field.kind == .choice, case .declared(let key) = field.type else {
                return nil
            }
            return type(key)?.table
        }
        return plan.xmlTable(groups: groups)
    }

    /// The name of a member says nothing (SOAP 1.1 §5.4.2): any element is one.
    private static func table(_ array: BoundArray) -> XMLTable {
        XMLTable(
            [
                array.item.name.namespace, Namespaces.soapEncoding11, Namespaces.soapEncoding12,
                array.itemType.namespace,
            ], elements: "\(array.item.name.localName)* #any*",
            attributes: array.dimensions > 1 ? "1:arrayType? 2:arraySize?" : "",
            types: array.tableTypes)
    }

    /// The type that `xsi:type` names, when it is one derived from this one.
    func actualType(of key: TypeKey, _ reader: inout XMLReader) -> TypeKey? {
        guard let bound = schema.types[key], bound.isBase, let name = reader.namedType() else { return nil }
        return bound.variants.first { $0.name.namespace == name.namespaceURI && $0.name.localName == name.localName }
    }

    // MARK: Simple types

    /// The Swift type of an enumeration's or a union's text.
    func simpleType(of key: TypeKey) -> any XSDValue.Type {
        if case .enumeration(let values)? = schema.types[key]?.content,
            values.contains(where: { !$0.value.isCollapsed })
        {
            return String.self
        }
        guard case .union(let members)? = schema.types[key]?.content else { return XSDToken.self }
        // A name keeps its meaning only as a name.
        return members == [.builtIn(.qualifiedName)] ? XSDQName.self : XSDToken.self
    }

    func listType(of item: BoundReference) -> (any XMLValue.Type)? {
        switch item {
        case .builtIn(let type):
            guard let item = Self.valueType(type) else { return nil }
            return Self.list(item)
        case .declared(let key):
            return Self.list(simpleType(of: key))
        case .list, .external: return nil
        }
    }

    private static func list<T: XSDValue>(_ type: T.Type) -> any XMLValue.Type { XSDList<T>.self }

    /// The runtime's type; nil for what is no simple type.
    static func valueType(_ type: BuiltInType) -> (any XSDValue.Type)? {
        switch type {
        case .string: String.self
        case .normalized: XSDNormalizedString.self
        case .token: XSDToken.self
        case .bool: Bool.self
        case .int8: Int8.self
        case .int16: Int16.self
        case .int32: Int32.self
        case .int64: Int64.self
        case .uint8: UInt8.self
        case .uint16: UInt16.self
        case .uint32: UInt32.self
        case .uint64: UInt64.self
        case .float: Float.self
        case .double: Double.self
        case .decimal: XSDDecimal.self
        case .integer: XSDInteger.self
        case .positiveInteger: XSDPositiveInteger.self
        case .negativeInteger: XSDNegativeInteger.self
        case .nonNegativeInteger: XSDNonNegativeInteger.self
        case .nonPositiveInteger: XSDNonPositiveInteger.self
        case .date: XSDDate.self
        case .dateTime: XSDDateTime.self
        case .time: XSDTime.self
        case .duration: XSDDuration.self
        case .year: XSDYear.self
        case .yearMonth: XSDYearMonth.self
        case .month: XSDMonth.self
        case .monthDay: XSDMonthDay.self
        case .day: XSDDay.self
        case .base64: XSDBase64Binary.self
        case .hexadecimal: XSDHexBinary.self
        case .qualifiedName: XSDQName.self
        case .any, .fragment, .anyAttribute: nil
        }
    }
}

import SignetWSDL
import SignetXML

/// The content of the table of a structure or a choice.
package struct TablePlan: Sendable {
    package private(set) var namespaces: [String] = []
    package private(set) var elements: [String] = []
    package private(set) var attributes: [String] = []
    /// The Swift types of groups and choices.
    private(set) var groups: [String] = []
    package private(set) var types: [String] = []
    /// The values of elements without text.
    package private(set) var presets: [String] = []
    /// The lexical forms of values that differ from the default form.
    package private(set) var forms: [String] = []
    package private(set) var rules: [String] = []
    package let isWhole: Bool
    package let isChoice: Bool
    package let hasText: Bool
    package let hasAnyAttribute: Bool
    package let isMixed: Bool
    package let isUnordered: Bool
    private let writesTypes: Bool
    private var count = 0

    init(_ type: TypePlan, _ fields: [FieldPlan]) {
        isWhole = fields.first?.kind == .whole
        if case .choice = type.content { isChoice = true } else { isChoice = false }
        hasText = fields.contains { $0.kind == .text }
        hasAnyAttribute = fields.contains { $0.kind == .anyAttribute }
        isMixed = type.isMixed
        isUnordered = type.isUnordered
        writesTypes = type.writesTypes
        for field in fields { add(field) }
    }

    private mutating func number(_ namespace: String) -> Int {
        if let index = namespaces.firstIndex(of: namespace) { return index }
        namespaces.append(namespace)
        return namespaces.count - 1
    }

    private mutating func add(_ field: FieldPlan) {
        let mark = field.occurrence == .required ? "" : field.occurrence == .optional ? "?" : "*"
        switch field.kind {
        case .element: elements.append(name(field.namespace, field.xmlName) + mark)
        case .wildcard: elements.append(wildcard(field.namespaces ?? .any) + mark)
        case .choice, .group:
            elements.append("{\(groups.count)}" + mark)
            groups.append((isChoice ? field.declared?.inside : field.declared?.outside) ?? field.type)
        case .attribute:
            // An attribute has no namespace unless a number gives one.
            let prefix = field.namespace.isEmpty ? "" : "\(number(field.namespace)):"
            attributes.append(prefix + field.xmlName + mark)
        case .text, .anyAttribute, .whole: break
        }
        if writesTypes && field.kind.isInContent {
            types.append(field.schemaType.map { name($0.namespace, $0.localName) } ?? "-")
        }
        if let preset = field.preset { presets.append("\(count) \(preset)") }
        for rule in field.rules {
            if rule.hasPrefix(XMLForm.rule) {
                forms.append("\(count) \(rule.dropFirst(XMLForm.rule.count))")
            } else {
                rules.append("\(count) \(rule)")
            }
        }
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

#if CommandLine
import SignetWSDL

/// Shows simple types: the built-in base, the values, the rules.
struct SimpleContent {
    /// The maximum number of derivation steps; no schema has that many, unless it is circular.
    private static let maximumSteps = 32

    private let schema: SchemaSet

    init(_ schema: SchemaSet) { self.schema = schema }

    /// Writes the content of a simple type into a node.
    func fill(_ node: inout SchemaNode, _ reference: TypeReference) { fill(&node, reference, steps: 0) }

    private func fill(_ node: inout SchemaNode, _ reference: TypeReference, steps: Int) {
        guard steps < Self.maximumSteps else { return }
        switch reference {
        case .unspecified: name("xs:anySimpleType", &node)
        case .named(let type) where type.namespace == Namespaces.schema: name("xs:\(type.localName)", &node)
        case .named(let type):
            if node.type == nil { node.type = type.localName }
            switch schema.types[type] {
            case .simple(let definition): fill(&node, definition, steps: steps)
            // The text of a complex type with simple content.
            case .complex(let definition):
                if let text = definition.textType { fill(&node, text, steps: steps + 1) }
            case nil: node.documentation = node.documentation ?? "The schema lacks its type."
            }
        case .anonymous(.simple(let type)): fill(&node, type, steps: steps)
        case .anonymous(.complex): break
        }
    }

    private func fill(_ node: inout SchemaNode, _ type: SimpleType, steps: Int) {
        switch type.variety {
        case .restriction(let base, let facets):
            // The enumeration of the most derived type is the narrowest.
            if node.values == nil, !type.enumeration.isEmpty { node.values = type.enumeration.map(\.value) }
            let rules = facets.filter { $0.name != "enumeration" }.map { "\($0.name)=\($0.value)" }
            if !rules.isEmpty { node.rules = (node.rules ?? []) + rules }
            fill(&node, base, steps: steps + 1)
        case .list(let item): name("list of \(title(item))", &node)
        case .union(let members): name(members.map(title).joined(separator: " or "), &node)
        }
    }

    /// The name of a member of a list or union. A named type is not followed: unions of unions would multiply.
    private func title(_ reference: TypeReference) -> String {
        switch reference {
        case .unspecified: return "xs:anySimpleType"
        case .named(let type): return type.namespace == Namespaces.schema ? "xs:\(type.localName)" : type.localName
        case .anonymous(.complex): return "values"
        case .anonymous(.simple(let type)):
            switch type.variety {
            case .restriction(let base, _): return title(base)
            case .list(let item): return "list of \(title(item))"
            case .union(let members): return members.map(title).joined(separator: " or ")
            }
        }
    }

    /// For an anonymous type, the built-in base is shown as the type.
    private func name(_ name: String, _ node: inout SchemaNode) {
        if node.type == nil { node.type = name } else { node.base = name }
    }
}
#endif

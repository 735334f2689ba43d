/// The placeholder of each choice and base type: the alternative or derived type that is used until the value is read,
/// chosen so that no placeholder contains itself.
struct Placeholders {
    /// The index of a field, by the key of a choice.
    private(set) var branches: [TypeKey: Int] = [:]
    /// The type of the value, by the key of a base.
    private(set) var variants: [TypeKey: TypeKey] = [:]
    /// Types that have no finite value, sorted.
    private(set) var defects: [TypeKey] = []

    /// A declaration, or any value that may occur where a base is declared.
    private struct Node: Hashable {
        var key: TypeKey
        var isAny = false
    }

    init(_ schema: BoundSchema) {
        let keys = schema.types.keys.filter(schema.isComplete).sorted()
        let complete = Set(keys)
        let bases = schema.types.keys.filter { schema.types[$0]?.isBase == true }.sorted()
        // The number of required fields of a structure that still need a value of another type; a choice needs only one
        // of its alternatives.
        var missing: [Node: Int] = [:]
        var users: [Node: [(node: Node, field: Int)]] = [:]
        var ready: [Node] = []
        for key in keys {
            guard let type = schema.types[key] else { continue }
            var waits = 0
            for (index, field) in type.fields.enumerated() {
                guard field.occurrence == .required, !field.isNillable, case .declared(let inner) = field.type,
                    schema.isPolymorphic(field.type) || complete.contains(inner)
                else {
                    if type.isChoice && branches[key] == nil { branches[key] = index }
                    continue
                }
                waits += 1
                users[Node(key: inner, isAny: schema.isPolymorphic(field.type)), default: []]
                    .append((Node(key: key), index))
            }
            missing[Node(key: key)] = waits
            if type.isChoice ? branches[key] != nil : waits == 0 { ready.append(Node(key: key)) }
        }
        for base in bases {
            for (index, variant) in (schema.types[base]?.variants ?? []).enumerated() {
                users[Node(key: variant), default: []].append((Node(key: base, isAny: true), index))
            }
        }
        var done: Set<Node> = []
        while let node = ready.popLast() {
            guard done.insert(node).inserted else { continue }
            for user in users[node] ?? [] {
                let key = user.node.key
                if user.node.isAny {
                    // The type itself when possible, because then no other type is needed.
                    if variants[key] == nil || node.key == key { variants[key] = node.key }
                    ready.append(user.node)
                } else if schema.types[key]?.isChoice == true {
                    if branches[key] == nil {
                        branches[key] = user.field
                        ready.append(user.node)
                    }
                } else {
                    missing[user.node, default: 0] -= 1
                    if missing[user.node] == 0 { ready.append(user.node) }
                }
            }
        }
        defects = keys.filter { !done.contains(Node(key: $0)) }
    }
}

extension BoundSchema {
    /// Whether a type has values of its own, not of a derived type, that consist of fields.
    func isComplete(_ key: TypeKey) -> Bool {
        types[key].map { !$0.isSimple && !$0.isAbstract } ?? false
    }
}

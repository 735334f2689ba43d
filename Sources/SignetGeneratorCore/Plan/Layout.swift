/// Decides which optional structures and which choices are stored on the heap, so that no type contains itself and none
/// grows too large.
struct Layout {
    /// An optional structure larger than this many words is boxed: stored inline, it would enlarge every level above.
    private static let inlineWords = 16
    /// The maximum size of a value in words. Larger values come from mistakes or attacks, and compilers cannot handle
    /// them.
    private static let largestType = 8192

    private var boxed: [TypeKey: Set<Int>] = [:]
    private var indirect: Set<TypeKey> = []
    /// Types that must contain themselves or are too large, sorted.
    private(set) var defects: [TypeKey] = []

    func isBoxed(_ field: Int, of key: TypeKey) -> Bool { boxed[key]?.contains(field) == true }

    /// Whether a choice keeps its values on the heap.
    func isIndirect(_ key: TypeKey) -> Bool { indirect.contains(key) }

    init(_ schema: BoundSchema) {
        let keys = schema.types.keys.filter(schema.isComplete).sorted()
        var numbers: [TypeKey: Int] = [:]
        for (number, key) in keys.enumerated() { numbers[key] = number }

        // The types that each type stores inline, as edges between indices.
        var inline: [[(field: Int, target: Int, isOptional: Bool)]] = keys.map { key in
            (schema.types[key]?.fields ?? []).enumerated().compactMap { index, field in
                // A value that may have a derived type is boxed.
                guard case .declared(let inner) = field.type, field.occurrence != .repeated,
                    !schema.isPolymorphic(field.type), let target = numbers[inner]
                else { return nil }
                return (index, target, field.occurrence == .optional || field.isNillable)
            }
        }
        var component = Self.components(inline.map { $0.map(\.target) })
        for (number, key) in keys.enumerated() where schema.types[key]?.isChoice == true {
            guard inline[number].contains(where: { component[$0.target] == component[number] }) else { continue }
            indirect.insert(key)
            inline[number] = []
        }
        component = Self.components(inline.map { $0.map(\.target) })
        for (number, edges) in inline.enumerated() {
            for edge in edges where edge.isOptional && component[number] == component[edge.target] {
                boxed[keys[number], default: []].insert(edge.field)
            }
        }
        measure(schema, keys, inline)
    }

    /// Computes sizes from the innermost types outwards; the remaining types form cycles.
    private mutating func measure(
        _ schema: BoundSchema, _ keys: [TypeKey], _ inline: [[(field: Int, target: Int, isOptional: Bool)]]
    ) {
        var words = [Int](repeating: 0, count: keys.count)
        var missing = [Int](repeating: 0, count: keys.count)
        var users = [[Int]](repeating: [], count: keys.count)
        for (number, edges) in inline.enumerated() {
            for edge in edges where !isBoxed(edge.field, of: keys[number]) {
                missing[number] += 1
                users[edge.target].append(number)
            }
        }
        var ready = keys.indices.filter { missing[$0] == 0 }
        var done = Set<Int>()
        while let number = ready.popLast() {
            done.insert(number)
            let targets = Dictionary(inline[number].map { ($0.field, ($0.target, $0.isOptional)) }) { first, _ in first
            }
            let isChoice = schema.types[keys[number]]?.isChoice == true
            for (index, field) in (schema.types[keys[number]]?.fields ?? []).enumerated() {
                var size = 1
                if field.occurrence != .repeated, !isBoxed(index, of: keys[number]) {
                    if let (target, isOptional) = targets[index] {
                        if isOptional && !isChoice && words[target] > Self.inlineWords {
                            boxed[keys[number], default: []].insert(index)
                        } else {
                            size = words[target] + 1
                        }
                    } else if case .builtIn(let type) = field.type {
                        size = type.words
                    } else {
                        size = schema.isPolymorphic(field.type) ? 6 : 3
                    }
                }
                let sum = isChoice ? max(words[number], size) : words[number] + size
                words[number] = min(sum, Self.largestType + 1)
            }
            if isChoice && words[number] > Self.inlineWords { indirect.insert(keys[number]) }
            if indirect.contains(keys[number]) { words[number] = 1 }
            if words[number] > Self.largestType { defects.append(keys[number]) }
            for user in users[number] {
                missing[user] -= 1
                if missing[user] == 0 { ready.append(user) }
            }
        }
        defects += keys.indices.filter { !done.contains($0) }.map { keys[$0] }
        defects.sort()
    }

    /// The strongly connected component of each node (Kosaraju), without recursion.
    private static func components(_ edges: [[Int]]) -> [Int] {
        var reversed = [[Int]](repeating: [], count: edges.count)
        for (from, targets) in edges.enumerated() { for to in targets { reversed[to].append(from) } }
        var visited = [Bool](repeating: false, count: edges.count)
        var finished: [Int] = []
        for root in edges.indices where !visited[root] {
            visited[root] = true
            var path = [(node: root, next: 0)]
            while let (node, next) = path.last {
                if next < edges[node].count {
                    path[path.count - 1].next += 1
                    let target = edges[node][next]
                    if !visited[target] {
                        visited[target] = true
                        path.append((target, 0))
                    }
                } else {
                    finished.append(node)
                    path.removeLast()
                }
            }
        }
        var component = [Int](repeating: -1, count: edges.count)
        for root in finished.reversed() where component[root] < 0 {
            var open = [root]
            component[root] = root
            while let node = open.popLast() {
                for target in reversed[node] where component[target] < 0 {
                    component[target] = root
                    open.append(target)
                }
            }
        }
        return component
    }
}

import SignetWSDL

extension Generator {
    /// From this many lines on, which take the compiler half a minute, the generator explains what they are for.
    static let longService = 20_000

    /// Explains why a large service is large, and which key of the configuration makes it smaller; nil for a service
    /// that is not large.
    static func costs(
        _ files: [GeneratedFile], _ schema: BoundSchema, _ operations: [SelectedOperation], _ options: GeneratorOptions,
        at location: SourceLocation
    ) -> Diagnostic? {
        let lines = files.reduce(0) { $0 + $1.text.utf8.count { $0 == UInt8(ascii: "\n") } }
        guard lines >= longService else { return nil }
        var parts = ["this makes \(lines) lines of Swift for \(schema.types.count) types"]
        if let base = schema.mostDerived, options.derived != .named {
            parts.append(
                "\(base.count) of the types are made only because a value of ‘\(base.key.name.localName)’ may be of them or "
                    + "hold them: with the names of those that are needed under ‘derived’, as in ‘derived: "
                    + "[\(base.examples.joined(separator: ", "))]’, the others are not made")
        }
        let shares = operations.map { (name: $0.name, count: schema.reach(of: $0.messages.map(\.key)).count) }
            .sorted { $0.count > $1.count }
        if let most = shares.first, shares.count > 1 {
            parts.append(
                "the operation ‘\(most.name)’ needs \(most.count) of them by itself: ‘operations’ chooses the operations that "
                    + "are made")
        }
        return Diagnostic(.note, parts.joined(separator: "; ") + ".", at: location)
    }
}

extension BoundSchema {
    /// The types that messages reach.
    fileprivate func reach(of messages: [TypeKey], followsVariants: Bool = true) -> Set<TypeKey> {
        var open = messages.compactMap { self.messages[$0]?.declaration ?? $0 }
        var reached: Set<TypeKey> = []
        while let key = open.popLast() {
            guard let type = types[key], reached.insert(key).inserted else { continue }
            open += type.references.compactMap(\.declaration)
            if followsVariants { open += type.variants }
        }
        return reached
    }

    /// The base type that causes the most declarations: the count includes its derived types and the types that only
    /// these reach.
    fileprivate var mostDerived: (key: TypeKey, count: Int, examples: [String])? {
        let direct = reach(of: Array(messages.keys), followsVariants: false)
        let bases = types.filter { $0.value.isBase }.map { ($0.key, $0.value.variants.filter { !direct.contains($0) }) }
        guard let (key, variants) = bases.max(by: { ($0.1.count, $1.0) < ($1.1.count, $0.0) }), !variants.isEmpty else {
            return nil
        }
        let made = types.count - direct.count
        return (key, made, variants.prefix(2).map(\.name.localName))
    }
}

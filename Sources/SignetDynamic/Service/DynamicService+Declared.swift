import SignetWSDL

extension DynamicService {
    /// The first name on the way into the answer of an operation that its type does not declare, and those that it declares there;
    /// nil when each is declared, or may be there because of a wildcard or a derived type.
    package func undeclared(
        _ path: [String], inAnswerOf operation: String
    ) throws(DynamicError) -> (name: String, known: [String])? {
        guard let output = try callable(operation).plan.output else { return path.first.map { ($0, []) } }
        return try undeclared(path, in: output)
    }

    /// The same in the input of an operation.
    package func undeclared(
        _ path: [String], inInputOf operation: String
    ) throws(DynamicError) -> (name: String, known: [String])? {
        try undeclared(path, in: try callable(operation).input)
    }

    private func undeclared(
        _ path: [String], in element: ElementDeclaration
    ) throws(DynamicError) -> (name: String, known: [String])? {
        var types = TypeTable(schema)
        var type = element.type
        for (place, name) in path.enumerated() {
            let isLast = place == path.count - 1
            if case .named(let named) = type,
                try types.concreteTypes(derivedFrom: named).contains(where: { $0 != named })
            {
                return nil
            }
            switch try types.shape(of: type) {
            case .any: return nil
            case .simple:
                guard name == "#text" else { return (name, []) }
                return isLast ? nil : (path[place + 1], [])
            case .complex(let shape):
                if let use = shape.use(key: name) {
                    type = use.element.type
                    continue
                }
                let isOpen =
                    shape.array != nil || name.hasPrefix("@") || name == "#text" || name == "#xml" && shape.isMixed
                if isOpen || types.isWildKey(name, shape) { return nil }
                return (name, shape.names.map { shape.key(of: $0) })
            }
        }
        return nil
    }
}

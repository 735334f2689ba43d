import SignetWSDL

extension TypeBinder {
    mutating func bindBuiltIn(_ name: String, at location: SourceLocation) -> BoundReference? {
        guard let type = BuiltInType(schemaName: name) else {
            fail("‘xs:\(name)’ is no type of XML Schema", at: location)
            return nil
        }
        if BuiltInType.isLoose(name) {
            remark(.warning, "‘xs:\(name)’ is bound to String: the text is kept as it is written.", at: location)
        }
        return .builtIn(type)
    }

    /// Binds a simple type: an enumeration of strings to an enum, everything else to what it is made from.
    mutating func bind(_ type: SimpleType, _ key: TypeKey) -> BoundReference? {
        var type = type
        var key = key
        var passed: Set<TypeKey> = []
        while passed.insert(key).inserted {
            guard case .restriction(let base, _) = type.variety else { return bindListOrUnion(type) }
            if !type.enumeration.isEmpty {
                if isString(type) {
                    let bound = BoundType(
                        content: .enumeration(type.enumeration), documentation: type.documentation,
                        location: type.location)
                    return enter(bound, key)
                }
                remark(
                    .note,
                    "this enumeration has values that are no strings; it is bound to the type that it restricts.",
                    at: type.location)
            }
            switch base {
            case .unspecified: return bindBuiltIn("anySimpleType", at: type.location)
            case .anonymous(.simple(let inner)):
                type = inner
                key = key.nested("base")
            case .named(let name) where name.namespace == Namespaces.schema:
                return bindBuiltIn(name.localName, at: type.location)
            case .named(let name):
                guard case .simple(let inner) = schema.types[name] else {
                    fail("the simple type \(name) is not there\(hint(for: name.namespace))", at: type.location)
                    return nil
                }
                type = inner
                key = TypeKey(root: .type, name: name)
            case .anonymous(.complex):
                fail("a simple type restricts a complex one", at: type.location)
                return nil
            }
        }
        fail("the simple type ‘\(key.name.localName)’ is derived from itself", at: type.location)
        return nil
    }

    private mutating func bindListOrUnion(_ type: SimpleType) -> BoundReference {
        let kind = if case .list = type.variety { "list" } else { "union" }
        remark(.warning, "this \(kind) is bound to String: the text is kept as it is written.", at: type.location)
        return .builtIn(.string)
    }

    /// Whether a simple type goes back to `xs:string` or one of the types derived from it.
    private func isString(_ type: SimpleType) -> Bool {
        var type = type
        var passed: Set<QName> = []
        while case .restriction(let base, _) = type.variety {
            switch base {
            case .named(let name) where name.namespace == Namespaces.schema:
                return BuiltInType(schemaName: name.localName) == .string && !BuiltInType.isLoose(name.localName)
            case .named(let name):
                guard passed.insert(name).inserted, case .simple(let inner) = schema.types[name] else { return false }
                type = inner
            case .anonymous(.simple(let inner)): type = inner
            case .anonymous(.complex), .unspecified: return false
            }
        }
        return false
    }
}

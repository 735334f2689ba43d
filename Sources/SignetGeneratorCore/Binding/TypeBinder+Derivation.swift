import SignetWSDL

/// Derived types (XML Schema Part 1 §3.4.2): a value of a derived type may occur where its base is declared.
extension TypeBinder {
    static func derived(in schema: SchemaSet) -> [QName: [QName]] {
        var result: [QName: [QName]] = [:]
        for (name, type) in schema.types {
            guard case .complex(let type) = type, let base = type.base, base != name else { continue }
            result[base, default: []].append(name)
        }
        return result.mapValues { $0.sorted() }
    }

    /// Binds a reference to a complex type, and with it the types derived from it.
    mutating func recordReference(_ name: QName, _ type: ComplexType) -> BoundReference {
        let key = TypeKey(root: .type, name: name)
        let isNew = mentioned.insert(key).inserted
        let reference = enter(type, key)
        guard isNew, options.derived != .named else { return reference }
        let user = current
        // An error in a derived type also makes every user of its base unusable.
        current = key
        var open = derived[name] ?? []
        var passed: Set<QName> = [name]
        while let next = open.popLast() {
            guard passed.insert(next).inserted, case .complex(let inner) = schema.types[next] else { continue }
            spend()
            if isExhausted { break }
            if isWanted(next) { _ = enter(inner, TypeKey(root: .type, name: next)) }
            open += derived[next] ?? []
        }
        current = user
        return reference
    }

    /// Whether a derived type gets a declaration because a value may have this type.
    private func isWanted(_ name: QName) -> Bool {
        guard let listed = listedTypes else { return true }
        return listed.contains(name.localName) || listed.contains("{\(name.namespace)}\(name.localName)")
    }

    /// Determines, after all types are bound, which types may have values of derived types; an abstract type without
    /// derived types stays untyped.
    mutating func findVariants() {
        for key in result.types.keys where key.root == .type && key.path.isEmpty {
            guard case .complex(let type) = schema.types[key.name] else { continue }
            result.types[key]?.isAbstract = type.isAbstract
        }
        for key in mentioned.sorted() { addVariants(of: key) }
        for key in result.types.keys where key.root == .type && key.path.isEmpty {
            var passed: Set<QName> = [key.name]
            var next = key.name
            while case .complex(let type) = schema.types[next], let base = type.base, passed.insert(base).inserted {
                let above = TypeKey(root: .type, name: base)
                if result.types[above]?.isBase == true { result.types[key]?.bases.append(above) }
                next = base
                spend()
                if isExhausted { return }
            }
        }
        wrapMessages()
    }

    private mutating func addVariants(of key: TypeKey) {
        guard let type = result.types[key], !type.isChoice, !type.isSimple else { return }
        var variants: [TypeKey] = []
        var keepsUnknownVariants = false
        var open = [key.name]
        var passed: Set<QName> = []
        while let next = open.popLast() {
            guard passed.insert(next).inserted else { continue }
            spend()
            if isExhausted { return }
            let inner = TypeKey(root: .type, name: next)
            if let bound = result.types[inner], !bound.isAbstract, loose[inner] == nil { variants.append(inner) }
            if listedTypes != nil, result.types[inner] == nil { keepsUnknownVariants = true }
            open += derived[next] ?? []
        }
        if variants == [key], !keepsUnknownVariants { return }
        guard !variants.isEmpty else {
            loose[key] = Diagnostic(
                .warning,
                "the type ‘\(key.name.localName)’ is abstract, and no type derived from it is there; it is bound to XMLAny, "
                    + "which keeps all that arrives.", at: type.location)
            return
        }
        result.types[key]?.isBase = true
        result.types[key]?.keepsUnknownVariants = keepsUnknownVariants
        result.types[key]?.variants = variants.sorted()
    }

    /// A message whose type has derived types becomes a structure around the value.
    private mutating func wrapMessages() {
        for (own, reference) in result.messages where result.isPolymorphic(reference) {
            guard case .declared(let key) = reference, let type = result.types[key] else { continue }
            let value = BoundField(
                name: QName("", "value"), kind: .whole, type: reference, occurrence: .required, location: type.location)
            let documentation = own.root == .element ? schema.elements[own.name]?.documentation : nil
            let wrapper = own == key ? own.nested("message") : own
            result.types[wrapper] = BoundType(
                content: .structure([value]), documentation: documentation, location: type.location)
            result.messages[own] = .declared(wrapper)
        }
    }
}

extension ComplexType {
    /// The named base of this type, complex or simple.
    var base: QName? {
        switch content {
        case .derived(let base, _, _): base
        case .simple(.named(let base), _): base
        case .simple, .empty, .particle: nil
        }
    }
}

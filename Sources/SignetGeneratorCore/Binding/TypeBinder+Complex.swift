import SignetWSDL

extension TypeBinder {
    /// The largest number of particles and attributes that are followed for one type; groups can multiply them.
    static var stepLimit: Int { 20_000 }

    mutating func bind(_ type: ComplexType, _ key: TypeKey) {
        let what = "the complex type ‘\(key.path.last ?? key.name.localName)’"
        if type.isAbstract { return fail("\(what) is abstract, which is not supported yet", at: type.location) }
        if type.isMixed {
            return fail("\(what) mixes text and elements, which is not supported yet", at: type.location)
        }
        var steps = 0
        var fields: [BoundField] = []
        switch type.content {
        case .empty: break
        case .particle(let particle): flatten(particle, what, key, isOptional: false, &fields, &steps)
        case .simple:
            guard let text = bindText(type, what, key, &fields, &steps) else { return }
            fields.append(text)
        case .derived(let base, let method, _):
            return fail(
                "\(what) is derived from ‘\(base.localName)’ (complexContent \(method.rawValue)), which is not supported yet",
                at: type.location)
        }
        addAttributes(type.attributes, what, key, &fields, &steps)
        checkDistinct(fields, what)
        // The order of a table: elements, attributes, text.
        let ordered = [BoundField.Kind.element, .attribute, .text].flatMap { kind in fields.filter { $0.kind == kind } }
        result.types[key] = BoundType(
            content: .structure(ordered), documentation: type.documentation ?? documentation(of: key),
            location: type.location)
    }

    /// An element with a type of its own speaks for it.
    private func documentation(of key: TypeKey) -> String? {
        key.root == .element && key.path.isEmpty ? schema.elements[key.name]?.documentation : nil
    }

    /// A reader finds a field by its name, so that a name must mean one field.
    private mutating func checkDistinct(_ fields: [BoundField], _ what: String) {
        var seen: Set<QName> = []
        for field in fields where field.kind == .element && !seen.insert(field.name).inserted {
            fail(
                "the element ‘\(field.name.localName)’ stands at two places of \(what), which is not supported yet",
                at: field.location)
        }
    }

    // MARK: Simple content

    /// The text of a type with simple content, and the attributes of the types that it is derived from.
    private mutating func bindText(
        _ type: ComplexType, _ what: String, _ key: TypeKey, _ fields: inout [BoundField], _ steps: inout Int
    ) -> BoundField? {
        var type = type
        var passed: Set<QName> = []
        while case .simple(let base, _) = type.content {
            if case .named(let name) = base, case .complex(let inner) = schema.types[name] {
                guard passed.insert(name).inserted else {
                    fail("\(what) is derived from itself", at: type.location)
                    return nil
                }
                addAttributes(inner.attributes, what, key, &fields, &steps)
                type = inner
                continue
            }
            guard let reference = bind(base, anonymous: key.nested("value"), at: type.location) else { return nil }
            return BoundField(
                name: QName("", "value"), kind: .text, type: reference, occurrence: .required, location: type.location)
        }
        fail("\(what) extends a type that has no simple content", at: type.location)
        return nil
    }
}

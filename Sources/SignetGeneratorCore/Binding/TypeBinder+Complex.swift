import SignetWSDL

/// What has been gathered of a complex type.
struct ComplexContent {
    /// The type, for messages.
    let what: String
    var fields: [BoundField] = []
    /// Particles and attributes passed.
    var steps = 0
    /// Attributes that a restriction takes away.
    var prohibited: Set<QName> = []
}

extension TypeBinder {
    /// The largest number of particles and attributes that are followed for one type; groups can multiply them.
    static var stepLimit: Int { 20_000 }

    mutating func bind(_ type: ComplexType, _ key: TypeKey) {
        if bindArray(type, key) { return }
        var content = ComplexContent(what: "the complex type ‘\(key.path.last ?? key.name.localName)’")
        if case .simple = type.content {
            addAttributes(type.attributes, key, &content)
            guard let text = bindText(type, key, &content) else { return }
            content.fields.append(text)
        } else {
            guard let line = lineage(of: type, key, content.what) else { return }
            // A restriction says again what is left of the content that it restricts.
            let first = line.firstIndex { step in
                if case .derived(_, .restriction, _) = step.type.content { true } else { false }
            }
            for (step, key) in line[...(first ?? line.count - 1)].reversed() { addContent(of: step, key, &content) }
            // The type itself decides first; those of its bases stand first.
            let start = content.fields.count
            for (step, key) in line {
                let count = content.fields.count
                addAttributes(step.attributes, key, &content)
                let added = content.fields[count...]
                content.fields.removeSubrange(count...)
                content.fields.insert(contentsOf: added, at: start)
            }
        }
        joinWildcards(&content)
        checkDistinct(content)
        let kinds: [BoundField.Kind] = [.element, .attribute, .text, .anyAttribute]
        let ordered = kinds.flatMap { kind in
            content.fields.filter { $0.kind == kind || kind == .element && $0.kind.isInContent }
        }
        result.types[key] = BoundType(
            content: .structure(ordered), documentation: type.documentation ?? documentation(of: key),
            location: type.location)
    }

    /// An element with a type of its own speaks for it.
    private func documentation(of key: TypeKey) -> String? {
        key.root == .element && key.path.isEmpty ? schema.elements[key.name]?.documentation : nil
    }

    /// The field, or what a choice is between.
    private func parts(of field: BoundField) -> [BoundField] {
        guard field.kind == .choice, case .declared(let key) = field.type else { return [field] }
        return result.types[key]?.fields ?? []
    }

    /// A reader finds a field by its name, so that a name must mean one field.
    private mutating func checkDistinct(_ content: ComplexContent) {
        var seen: Set<QName> = []
        for field in content.fields {
            for part in parts(of: field) where part.kind == .element && !seen.insert(part.name).inserted {
                loosen("\(content.what) has the element ‘\(part.name.localName)’ at two places", at: part.location)
            }
        }
    }

    /// Wildcards side by side take the same elements; apart, nothing tells which of them an element belongs to.
    private mutating func joinWildcards(_ content: inout ComplexContent) {
        let places = content.fields.indices.flatMap { place in
            parts(of: content.fields[place]).filter { $0.kind == .wildcard }.map { _ in place }
        }
        guard let first = places.first, let last = places.last, places.count > 1 else { return }
        if content.fields[first...last].contains(where: { $0.kind != .wildcard && $0.kind.isInContent }) {
            return loosen(
                "\(content.what) allows any element (xs:any) at several places", at: content.fields[last].location)
        }
        content.fields[first].occurrence = .repeated
        for place in places.dropFirst().reversed() { content.fields.remove(at: place) }
    }

    // MARK: Complex content

    /// The type and those that it is derived from, the type itself first.
    private mutating func lineage(
        of type: ComplexType, _ key: TypeKey, _ what: String
    ) -> [(type: ComplexType, key: TypeKey)]? {
        var line = [(type: type, key: key)]
        var next = type
        var passed: Set<QName> = []
        while case .derived(let base, _, _) = next.content {
            if base == QName(Namespaces.schema, "anyType") {
                loosen("\(what) extends xs:anyType", at: next.location)
                return nil
            }
            if schema.redefined[base] != nil {
                loosen("\(what) is derived from ‘\(base.localName)’, which is redefined", at: next.location)
                return nil
            }
            guard passed.insert(base).inserted else {
                fail("\(what) is derived from itself", at: type.location)
                return nil
            }
            switch schema.types[base] {
            case .complex(let inner):
                next = inner
                line.append((inner, TypeKey(root: .type, name: base)))
            case .simple:
                fail("\(what) has complex content, but ‘\(base.localName)’ is a simple type", at: next.location)
                return nil
            case nil:
                fail("the type \(base) is not there\(hint(for: base.namespace))", at: next.location)
                return nil
            }
        }
        return line
    }

    /// Adds what a type itself says about its content.
    private mutating func addContent(of type: ComplexType, _ key: TypeKey, _ content: inout ComplexContent) {
        if type.isMixed { return loosen("\(content.what) mixes text and elements", at: type.location) }
        switch type.content {
        case .empty, .derived(_, _, nil): break
        case .particle(let particle), .derived(_, _, let particle?): flatten(particle, key, &content)
        case .simple: loosen("\(content.what) adds elements to simple content", at: type.location)
        }
    }

    // MARK: Simple content

    /// The text of a type with simple content, and the attributes of the types that it is derived from.
    private mutating func bindText(
        _ type: ComplexType, _ key: TypeKey, _ content: inout ComplexContent
    ) -> BoundField? {
        var type = type
        var passed: Set<QName> = []
        while case .simple(let base, _) = type.content {
            if case .named(let name) = base, case .complex(let inner) = schema.types[name] {
                guard passed.insert(name).inserted else {
                    fail("\(content.what) is derived from itself", at: type.location)
                    return nil
                }
                addAttributes(inner.attributes, key, &content)
                type = inner
                continue
            }
            guard let reference = bind(base, anonymous: key.nested("value"), at: type.location) else { return nil }
            return BoundField(
                name: QName("", "value"), kind: .text, type: reference, occurrence: .required, location: type.location)
        }
        // A mixed type restricted to text, for example.
        loosen("\(content.what) makes simple content of a type that has none", at: type.location)
        return nil
    }
}

extension BoundField.Kind {
    /// Whether it stands between the tags.
    var isInContent: Bool { self == .element || self == .choice || self == .wildcard }
}

import SignetWSDL

/// The content of a complex type, or of a part of one, collected so far.
struct ComplexContent {
    /// The type, as diagnostics name it.
    let what: String
    /// The key from which the names of nested groups' declarations are derived.
    let place: TypeKey
    var fields: [BoundField] = []
    /// The number of particles and attributes visited.
    var steps = 0
    /// Whether the elements may occur in any order.
    var isUnordered = false
    /// Attributes that a restriction prohibits.
    var prohibited: Set<QName> = []
    /// The attributes among the fields.
    var attributes: Set<QName> = []
    var hasWildcardOfAttributes = false
    private var numbers: [String: Int] = [:]

    init(what: String, place: TypeKey, steps: Int = 0) {
        self.what = what
        self.place = place
        self.steps = steps
    }

    /// A key for the next nested declaration of a kind. No element can have such a name.
    mutating func nextPlace(_ kind: String, in outer: TypeKey? = nil) -> TypeKey {
        let number = numbers[kind, default: 0] + 1
        numbers[kind] = number
        return (outer ?? place).nested(number == 1 ? "#\(kind)" : "#\(kind)\(number)")
    }
}

extension TypeBinder {
    /// The largest number of particles and attributes that are followed for one type; groups can multiply them.
    static var stepLimit: Int { 20_000 }

    mutating func bind(_ type: ComplexType, _ key: TypeKey) {
        if bindArray(type, key) { return }
        var content = ComplexContent(what: "the complex type ‘\(key.shown)’", place: key)
        if case .simple = type.content {
            guard let text = bindText(type, key, &content) else { return }
            content.fields.append(text)
        } else {
            guard let line = derivationChain(of: type, key, content.what) else { return }
            if bindsText(line, key, &content) { return finish(content, type, key) }
            // A restriction repeats the content that it keeps from its base.
            let first = line.firstIndex { step in
                if case .derived(_, .restriction, _) = step.type.content { true } else { false }
            }
            let parts = line[...(first ?? line.count - 1)]
            for (step, key) in parts.reversed() { addContent(of: step, key, &content) }
            if parts.contains(where: \.type.isMixed) || extendsAnyType(line) { mix(type, key, &content) }
            addAttributes(of: line, at: content.fields.count, &content)
        }
        finish(content, type, key)
    }

    /// Inserts the attributes of a type and its bases among the fields. Declarations of the type take precedence;
    /// attributes of its bases come first in the order.
    private mutating func addAttributes(
        of line: [(type: ComplexType, key: TypeKey)], at place: Int, _ content: inout ComplexContent
    ) {
        let start = content.fields.count
        var steps: [[BoundField]] = []
        for (step, key) in line {
            addAttributes(step.attributes, key, &content)
            steps.append(Array(content.fields[start...]))
            content.fields.removeSubrange(start...)
        }
        content.fields.insert(contentsOf: Array(steps.reversed().joined()), at: place)
    }

    private mutating func finish(_ content: ComplexContent, _ type: ComplexType, _ key: TypeKey) {
        var content = content
        joinWildcards(&content)
        let kinds: [BoundField.Kind] = [.element, .attribute, .text, .anyAttribute]
        let ordered = kinds.flatMap { kind in
            content.fields.filter { $0.kind == kind || kind == .element && $0.kind.isInContent }
        }
        result.types[key] = BoundType(
            content: .structure(ordered), isUnordered: content.isUnordered,
            documentation: type.documentation ?? documentation(of: key), location: type.location)
    }

    /// The documentation of an element also documents its anonymous type.
    private func documentation(of key: TypeKey) -> String? {
        key.root == .element && key.path.isEmpty ? schema.elements[key.name]?.documentation : nil
    }

    /// Merges adjacent wildcards that allow the same elements.
    func joinWildcards(_ content: inout ComplexContent) {
        for place in content.fields.indices.dropFirst().reversed() {
            let (field, before) = (content.fields[place], content.fields[place - 1])
            guard field.kind == .wildcard, before.kind == .wildcard, field.namespaces == before.namespaces else {
                continue
            }
            content.fields[place - 1].occurrence = .repeated
            content.fields[place - 1].bounds = nil
            content.fields.remove(at: place)
        }
    }

    // MARK: Complex content

    /// The type and its bases, the type itself first.
    private mutating func derivationChain(
        of type: ComplexType, _ key: TypeKey, _ what: String
    ) -> [(type: ComplexType, key: TypeKey)]? {
        var line = [(type: type, key: key)]
        var next = type
        var passed: Set<QName> = []
        while case .derived(let base, _, _) = next.content {
            // `xs:anyType` has no base to follow.
            if base == .anyType { return line }
            guard passed.insert(base).inserted else {
                fail("\(what) is derived from itself", at: type.location)
                return nil
            }
            spend()
            if isExhausted { return nil }
            switch schema.types[base] {
            case .complex(let inner):
                next = inner
                line.append((inner, TypeKey(root: .type, name: base)))
            case .simple:
                fail("\(what) has complex content, but ‘\(base.localName)’ is a simple type", at: next.location)
                return nil
            case nil:
                fail("the type \(base) is not there\(hint(missingType: base))", at: next.location)
                return nil
            }
        }
        return line
    }

    /// Whether a type extends `xs:anyType`, so that it may hold anything.
    private func extendsAnyType(_ line: [(type: ComplexType, key: TypeKey)]) -> Bool {
        if case .derived(.anyType, .extension, _) = line.last?.type.content {
            return !line.contains {
                if case .derived(_, .restriction, _) = $0.type.content { true } else { false }
            }
        }
        return false
    }

    /// Adds the content that a type itself declares, without its bases.
    private mutating func addContent(of type: ComplexType, _ key: TypeKey, _ content: inout ComplexContent) {
        switch type.content {
        case .empty: break
        case .derived(let base, let method, let particle):
            if base == .anyType && method == .extension {
                content.fields.append(
                    BoundField(
                        name: QName("", "any"), kind: .wildcard, type: .builtIn(.fragment), occurrence: .repeated,
                        namespaces: .any, location: type.location))
                addWildcard(at: type.location, &content)
            }
            if let particle { flatten(particle, key, &content) }
        case .particle(let particle): flatten(particle, key, &content)
        case .simple: makeUntyped("\(content.what) adds elements to simple content", at: type.location)
        }
    }

    /// Allows text between the elements: the content becomes a list of elements and texts, in document order.
    private mutating func mix(_ type: ComplexType, _ key: TypeKey, _ content: inout ComplexContent) {
        var branches: [BoundField] = []
        var names: Set<QName> = []
        var types: Set<TypeKey> = []
        func gather(_ fields: [BoundField]) {
            for var field in fields where field.kind.isInContent {
                let holder = field.type.declaration
                if field.kind == .group || field.kind == .choice && holder?.root != .substitution {
                    if let holder, types.insert(holder).inserted { gather(result.types[holder]?.fields ?? []) }
                    continue
                }
                field.occurrence = .required
                field.bounds = nil
                if field.kind == .wildcard {
                    if let other = branches.firstIndex(where: { $0.kind == .wildcard }) {
                        if branches[other].namespaces != field.namespaces { branches[other].namespaces = .any }
                        continue
                    }
                } else if !names.insert(field.name).inserted {
                    continue
                }
                branches.append(field)
            }
        }
        gather(content.fields)
        content.fields.removeAll { $0.kind.isInContent }
        content.isUnordered = false
        guard !branches.isEmpty else {
            content.fields.append(
                BoundField(
                    name: QName("", "value"), kind: .text, type: .builtIn(.string), occurrence: .required,
                    location: type.location))
            return
        }
        let inner = enter(
            BoundType(content: .choice(branches), isMixed: true, location: type.location), key.nested("#content"))
        content.fields.insert(
            BoundField(
                name: QName("", "content"), kind: .choice, type: inner, occurrence: .repeated,
                documentation: "The elements and the text between them.", location: type.location), at: 0)
    }

    // MARK: Simple content

    /// Binds a type declared with complex content that only adds attributes to a type with simple content.
    private mutating func bindsText(
        _ line: [(type: ComplexType, key: TypeKey)], _ key: TypeKey, _ content: inout ComplexContent
    ) -> Bool {
        guard let last = line.last?.type, line.count > 1, case .simple = last.content else { return false }
        let addsElements = line.dropLast().contains {
            if case .derived(_, _, let particle?) = $0.type.content { needsOrAllows(particle) } else { false }
        }
        if addsElements { return false }
        for (step, key) in line { addAttributes(step.attributes, key, &content) }
        guard let text = bindText(last, key, &content) else { return false }
        content.fields.append(text)
        return true
    }

    private func needsOrAllows(_ particle: Particle) -> Bool {
        if case .group(_, let parts) = particle.term { return parts.contains(where: needsOrAllows) }
        return particle.maximum != 0
    }

    /// Binds the text of a type with simple content, and the attributes of the type and its bases.
    private mutating func bindText(
        _ type: ComplexType, _ key: TypeKey, _ content: inout ComplexContent
    ) -> BoundField? {
        let outermost = type
        var type = type
        var line = [(type: type, key: key)]
        var text: TypeReference?
        var passed: Set<QName> = []
        while case .simple(let base, _) = type.content {
            // The most derived type of the text counts.
            if text == nil, let own = type.simpleContentType { text = .anonymous(.simple(own)) }
            if case .named(let name) = base, case .complex(let inner) = schema.types[name] {
                guard passed.insert(name).inserted else {
                    fail("\(content.what) is derived from itself", at: type.location)
                    return nil
                }
                spend()
                if isExhausted { return nil }
                line.append((inner, key))
                type = inner
                continue
            }
            addAttributes(of: line, at: 0, &content)
            return textField(text ?? base, of: outermost, key)
        }
        // A restriction of a mixed type may leave only the text.
        if let text {
            addAttributes(of: line, at: 0, &content)
            for (base, _) in (derivationChain(of: type, key, content.what) ?? []).dropFirst() {
                addAttributes(base.attributes, key, &content)
            }
            return textField(text, of: outermost, key)
        }
        makeUntyped("\(content.what) makes simple content of a type that has none", at: type.location)
        return nil
    }

    private mutating func textField(_ text: TypeReference, of type: ComplexType, _ key: TypeKey) -> BoundField? {
        guard let reference = bind(text, anonymous: key.nested("value"), at: type.location) else { return nil }
        return BoundField(
            name: QName("", "value"), kind: .text, type: reference, occurrence: .required,
            rules: fieldRules(of: type.name.map { .named($0) } ?? .anonymous(.complex(type)), at: type.location),
            location: type.location)
    }
}

extension BoundField.Kind {
    /// Whether it is part of the element's content, not an attribute.
    var isInContent: Bool { self == .element || self == .choice || self == .group || self == .wildcard }
}

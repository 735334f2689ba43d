import SignetWSDL

extension TypeBinder {
    /// The alternatives of a choice collected so far.
    private struct Alternatives {
        var occurrences: Occurrences
        /// Its declaration.
        var key: TypeKey
        var owner: TypeKey
        private(set) var fields: [BoundField] = []
        /// The indices of the fields by name, because there may be thousands.
        private var numbers: [QName: [Int]] = [:]

        init(occurrences: Occurrences, key: TypeKey, owner: TypeKey) {
            self.occurrences = occurrences
            self.key = key
            self.owner = owner
        }

        /// Adds a field unless its element is already an alternative: a reader could not tell the two apart.
        mutating func add(_ field: BoundField) {
            let isKnown = numbers[field.name, default: []].contains { number in
                let other = fields[number]
                return other.kind == field.kind
                    && (field.kind == .element || other.type == field.type && other.namespaces == field.namespaces)
            }
            if isKnown { return }
            numbers[field.name, default: []].append(fields.count)
            fields.append(field)
        }
    }

    /// Adds a choice: a field whose type is an enum with a case for each alternative (XML Schema Part 1 §3.8).
    mutating func addChoice(
        _ parts: [Particle], _ particle: Particle, _ owner: TypeKey, _ occurrences: Occurrences, _ label: QName?,
        _ depth: Int, _ content: inout ComplexContent
    ) {
        guard !parts.isEmpty else { return }
        let key = label.map { TypeKey(root: .group, name: $0) } ?? content.nextPlace("choice")
        var all = Alternatives(occurrences: occurrences, key: key, owner: owner)
        for part in parts { addAlternative(part, owner, depth + 1, &all, &content) }
        guard let first = all.fields.first else { return }
        var field = BoundField(
            name: QName("", label?.localName ?? key.shown.withoutMark), kind: .choice, type: first.type,
            occurrence: all.occurrences.bound, bounds: all.occurrences.told, documentation: particle.documentation,
            location: particle.location)
        if all.fields.count == 1 {
            field = first
            field.occurrence = first.occurrence == .repeated ? .repeated : all.occurrences.bound
            field.bounds = first.occurrence == .repeated ? nil : all.occurrences.told
        } else {
            field.type = enter(
                BoundType(
                    content: .choice(all.fields), documentation: label == nil ? nil : particle.documentation,
                    location: particle.location), key)
        }
        content.fields.append(field)
    }

    private mutating func addAlternative(
        _ particle: Particle, _ owner: TypeKey, label: QName? = nil, _ depth: Int, _ all: inout Alternatives,
        _ content: inout ComplexContent
    ) {
        guard step(&content, depth, at: particle.location), particle.maximum != 0 else { return }
        // An alternative without content makes the whole choice optional.
        if needs(particle, depth: depth) == 0 { all.occurrences.minimum = 0 }
        let isRepeated = Occurrences().around(particle).isRepeated && !all.occurrences.isRepeated
        let occurrences = Occurrences(minimum: 1, maximum: isRepeated ? particle.maximum : 1)
        switch particle.term {
        case .element, .reference:
            if let field = elementField(particle, owner, occurrences) { all.add(field) }
        case .wildcard(let wildcard): all.add(wildcardField(wildcard, particle, occurrences))
        case .group(let compositor, let all_):
            let parts = all_.filter { $0.maximum != 0 }
            if parts.isEmpty { return }
            if !isRepeated && (compositor == .choice || parts.count == 1) {
                for part in parts { addAlternative(part, owner, depth + 1, &all, &content) }
                return
            }
            addGroup(particle, owner, label, isRepeated, depth, &all, &content)
        case .groupReference(let name):
            guard var group = openGroup(name, at: particle.location) else { return }
            defer { openGroups.removeLast() }
            if isRepeated { group.maximum = nil }
            addAlternative(group, TypeKey(root: .group, name: name), label: name, depth + 1, &all, &content)
        }
    }

    /// Adds an alternative of several elements.
    private mutating func addGroup(
        _ particle: Particle, _ owner: TypeKey, _ label: QName?, _ isRepeated: Bool, _ depth: Int,
        _ all: inout Alternatives, _ content: inout ComplexContent
    ) {
        var passed: Set<QName> = []
        let own = content.nextPlace(firstName(particle, &passed) ?? "alternative", in: all.key)
        if !isRepeated {
            let key = label.map { TypeKey(root: .group, name: $0) } ?? own
            guard var field = groupField(particle, owner, key, depth, &content) else { return }
            if let label, field.kind == .group { field.name = QName("", label.localName) }
            if field.occurrence == .optional { field.occurrence = .required }
            return all.add(field)
        }
        // A repeated element in a choice that is not repeated becomes an array.
        var inner = ComplexContent(what: content.what, place: own, steps: content.steps)
        flatten(particle, owner, in: .init(), label: label, depth: depth + 1, &inner)
        content.steps = inner.steps
        guard var field = inner.fields.first, inner.fields.count == 1 else { return }
        if field.kind == .group || field.kind == .choice, label == nil, let key = field.type.declaration,
            let first = result.types[key]?.fields.first
        {
            field.name = QName("", first.name.localName)
        }
        all.add(field)
    }

    /// The name of the first element of a content model; a group without elements is visited once.
    private func firstName(_ particle: Particle, _ passed: inout Set<QName>, depth: Int = 0) -> String? {
        guard particle.maximum != 0, depth < 64 else { return nil }
        switch particle.term {
        case .element(let element): return element.name.localName
        case .reference(let name): return name.localName
        case .wildcard: return "any"
        case .group(_, let parts):
            for part in parts {
                if let name = firstName(part, &passed, depth: depth + 1) { return name }
            }
            return nil
        case .groupReference(let name):
            guard passed.insert(name).inserted, let group = schema.groups[name] else { return nil }
            return firstName(group, &passed, depth: depth + 1)
        }
    }
}

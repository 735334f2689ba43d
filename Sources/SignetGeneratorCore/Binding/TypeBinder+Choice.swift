import SignetWSDL

extension TypeBinder {
    /// Adds a choice: a field whose type is an enum with a case for each element (XML Schema Part 1 §3.8).
    mutating func addChoice(
        _ parts: [Particle], _ particle: Particle, _ key: TypeKey, _ occurrence: Occurrence, _ depth: Int,
        _ content: inout ComplexContent
    ) {
        var occurrence = occurrence
        var branches: [BoundField] = []
        for part in parts {
            guard addBranches(part, key, &occurrence, depth + 1, &branches, &content) else {
                return loosen("\(content.what) has a choice of more than single elements", at: part.location)
            }
        }
        guard let first = branches.first else { return }
        guard branches.count > 1 else {
            var only = first
            only.occurrence = occurrence.bound
            content.fields.append(only)
            return
        }
        // No element can have such a name.
        let number = content.fields.filter { $0.kind == .choice }.count + 1
        let name = number == 1 ? "choice" : "choice\(number)"
        let type = enter(
            BoundType(content: .choice(branches), location: particle.location), key.nested("#\(name)"))
        content.fields.append(
            BoundField(
                name: QName("", name), kind: .choice, type: type, occurrence: occurrence.bound,
                documentation: particle.documentation, location: particle.location))
    }

    /// Adds the elements of one alternative; false when it is more than a choice of single elements.
    private mutating func addBranches(
        _ particle: Particle, _ key: TypeKey, _ occurrence: inout Occurrence, _ depth: Int,
        _ branches: inout [BoundField], _ content: inout ComplexContent
    ) -> Bool {
        guard step(&content, depth, at: particle.location) else { return true }
        if particle.maximum == 0 { return true }
        let own = occurrence.around(particle)
        switch particle.term {
        case .element, .reference, .wildcard:
            if own.isRepeated && !occurrence.isRepeated {
                remark(
                    .note,
                    "an element of this choice may be repeated; that all of them must be of one kind is not checked.",
                    at: particle.location)
            }
            if case .wildcard = particle.term {
                branches.append(wildcardField(particle, .init()))
            } else if let field = elementField(particle, key, .init()) {
                branches.append(field)
            }
        case .group(let compositor, let all):
            let parts = all.filter { $0.maximum != 0 }
            guard compositor == .choice || parts.count < 2 else { return false }
            occurrence = own
            // An alternative without content: none of the others need be there.
            if parts.isEmpty { occurrence.isOptional = true }
            return parts.allSatisfy { addBranches($0, key, &occurrence, depth + 1, &branches, &content) }
        case .groupReference(let name):
            guard let group = group(name, content.what, at: particle.location) else { return true }
            occurrence = own
            return addBranches(group, key, &occurrence, depth + 1, &branches, &content)
        }
        occurrence = own
        return true
    }
}

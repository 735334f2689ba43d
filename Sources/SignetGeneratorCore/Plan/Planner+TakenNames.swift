import SignetWSDL

extension Planner {
    /// Warns of configured names that another declaration has: a user who configures a name does not expect a number
    /// after it, neither on this declaration nor on the one that had the name before.
    func reportTakenNames(
        _ types: [TypeKey: TypePlan], _ operations: [OperationPlan], _ selected: SelectedService,
        _ diagnostics: inout Diagnostics
    ) {
        guard let chosenNames = options.names, !chosenNames.isEmpty else { return }
        func report(_ name: String, _ component: String, _ location: SourceLocation) {
            diagnostics.error(
                "‘names’ calls ‘\(component)’ ‘\(name)’, but something else beside it is called so, or Swift or Signet needs the "
                    + "name; choose another.", at: location)
        }
        let chosenTypes = types.keys.filter { TypeNames.chosen($0, options) != nil }
        for key in types.keys.sorted() {
            guard let bound = schema.types[key], let type = types[key] else { continue }
            if let name = TypeNames.chosen(key, options) {
                if names.refused.contains(key) { report(name, "\(key.name)", bound.location) }
            } else if let plain = names.wanted[key], plain != type.name {
                // Another declaration got its preferred name; names are compared without regard to case.
                let robber = chosenTypes.filter {
                    $0.name != key.name && types[$0]?.container == type.container
                        && types[$0]?.name.lowercased() == plain.lowercased()
                }.min()
                if let robber, let taken = types[robber]?.name {
                    report(taken, "\(robber.name)", schema.types[robber]?.location ?? bound.location)
                }
            }
            let members = zip(bound.members, type.content.memberNames).map { (member: $0, given: $1) }
            let others = members.filter { chosen($0.member.name, key) == nil }
                .filter { SwiftName.escaped($0.member.swiftName) != $0.given }.map(\.member.swiftName)
            for (member, given) in members {
                guard let name = chosen(member.name, key) else { continue }
                let allowed = [name, "\(name)Attribute"].map(SwiftName.escaped)
                if !allowed.contains(given) || others.contains(name) && given == SwiftName.escaped(name) {
                    report(name, "\(key.name).\(member.name)", member.location)
                }
            }
        }
        reportUnknownMembers(chosenNames.keys.sorted(), &diagnostics)
        reportShadowedNames(chosenNames, selected, &diagnostics)
        for (operation, plan) in zip(selected.operations, operations) {
            let name = options.operationName(operation.name)
            guard name != SwiftName.member(operation.name), plan.name != SwiftName.escaped(name) else { continue }
            report(name, operation.name, selected.service.location)
        }
    }

    /// Warns of a configured name without a namespace that has no effect, because every component with this local name
    /// is configured with its namespace.
    private func reportShadowedNames(
        _ chosenNames: [String: String], _ selected: SelectedService, _ diagnostics: inout Diagnostics
    ) {
        let owners = Dictionary(grouping: schema.types.keys.filter { $0.path.isEmpty }, by: \.name.localName)
        let operations = Set(selected.operations.map(\.name))
        for (component, name) in chosenNames.sorted(by: { $0.key < $1.key }) where !component.hasPrefix("{") {
            // A configured name in lower case is for an operation.
            if operations.contains(component), SwiftName.member(name) == name { continue }
            let member = GeneratorOptions.member(component) { owners[$0] != nil }
            guard let found = owners[component] ?? member.flatMap({ owners[$0.type] }), let first = found.min(),
                found.allSatisfy({ chosenNames["{\($0.name.namespace)}\(component)"] != nil })
            else { continue }
            diagnostics.warning(
                "‘names’ has ‘\(component)’ and ‘{\(first.name.namespace)}\(component)’; the name with the namespace counts, and "
                    + "nothing else is called so: ‘\(component)’ has no effect. Remove it.",
                at: options.place(
                    of: component, under: "names", else: schema.types[first]?.location ?? selected.service.location))
        }
    }

    /// Warns of configured properties and cases that their types do not have.
    private func reportUnknownMembers(_ components: [String], _ diagnostics: inout Diagnostics) {
        let owners = Dictionary(grouping: schema.types.filter { $0.key.path.isEmpty }, by: \.key.name.localName)
        for component in components {
            let local = GeneratorOptions.localName(component)
            // The text after a dot names a property or a case, unless the component's own name contains a dot.
            guard owners[local] == nil, let (owner, member) = GeneratorOptions.member(local, { owners[$0] != nil }),
                let types = owners[owner], let first = types.min(by: { $0.key < $1.key })
            else { continue }
            let members = Set(types.flatMap { $0.value.members.map(\.name) })
            if members.contains(member) { continue }
            diagnostics.warning(
                "‘names’ has ‘\(component)’, but the type ‘\(first.key.name.localName)’ has no ‘\(member)’"
                    + "\(NearMatch.hint(member, among: members.sorted())) It has no effect.",
                at: options.place(of: component, under: "names", else: first.value.location))
        }
    }
}

/// A property or a case that may be given a name.
private struct NameableMember {
    /// The name of the element or attribute, or the value of the enumeration.
    var name: String
    /// The name that it has when none is configured.
    var swiftName: String
    var location: SourceLocation
}

extension BoundType {
    fileprivate var members: [NameableMember] {
        guard case .enumeration(let facets) = content else {
            return fields.map { field in
                let name = field.name.localName
                return NameableMember(name: name, swiftName: SwiftName.member(name), location: field.location)
            }
        }
        return facets.withDistinctValues.map { facet in
            NameableMember(
                name: facet.value, swiftName: SwiftName.enumerationCase(facet.value), location: facet.location)
        }
    }
}

extension TypePlan.Content {
    /// The names of the properties or cases, in the order in which they were bound.
    fileprivate var memberNames: [String] {
        switch self {
        case .structure(let fields), .choice(let fields, _): fields.map(\.name)
        case .enumeration(let cases): cases.map(\.name)
        case .array, .union, .none: []
        }
    }
}

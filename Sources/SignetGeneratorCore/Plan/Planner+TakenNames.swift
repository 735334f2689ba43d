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
            let fields = Array(zip(bound.fields, type.content.fields))
            let others = fields.filter { chosen($0.0, key) == nil }
                .filter { SwiftName.escaped(SwiftName.member($0.0.name.localName)) != $0.1.name }
                .map { SwiftName.member($0.0.name.localName) }
            for (field, plan) in fields {
                guard let name = chosen(field, key) else { continue }
                let given = [name, "\(name)Attribute"].map(SwiftName.escaped)
                if !given.contains(plan.name) || others.contains(name) && plan.name == SwiftName.escaped(name) {
                    report(name, "\(key.name).\(field.name.localName)", field.location)
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
            let type = component.unicodeScalars.lastIndex(of: ".").map { String(component[..<$0]) }
            guard let found = owners[component] ?? type.flatMap({ owners[$0] }), let first = found.min(),
                found.allSatisfy({ chosenNames["{\($0.name.namespace)}\(component)"] != nil })
            else { continue }
            diagnostics.warning(
                "‘names’ has ‘\(component)’ and ‘{\(first.name.namespace)}\(component)’; the name with the namespace counts, and "
                    + "nothing else is called so: ‘\(component)’ has no effect. Remove it.",
                at: options.place(
                    of: component, under: "names", else: schema.types[first]?.location ?? selected.service.location))
        }
    }

    /// Warns of configured properties or cases that their types do not have.
    private func reportUnknownMembers(_ components: [String], _ diagnostics: inout Diagnostics) {
        let owners = Dictionary(grouping: schema.types.filter { $0.key.path.isEmpty }, by: \.key.name.localName)
        for component in components {
            let local = GeneratorOptions.localName(component)
            // The text after a dot names a property, unless the component's own name contains a dot.
            guard owners[local] == nil, let dot = local.unicodeScalars.lastIndex(of: "."),
                let types = owners[String(local[..<dot])], let first = types.min(by: { $0.key < $1.key })
            else { continue }
            let member = String(local.unicodeScalars[dot...].dropFirst())
            let members = Set(types.flatMap { $0.value.fields.map(\.name.localName) })
            if members.contains(member) { continue }
            diagnostics.warning(
                "‘names’ has ‘\(component)’, but the type ‘\(first.key.name.localName)’ has no ‘\(member)’"
                    + "\(NearMatch.hint(member, among: members.sorted())) It has no effect.",
                at: options.place(of: component, under: "names", else: first.value.location))
        }
    }
}

extension TypePlan.Content {
    /// The properties or cases, in the order in which they were bound.
    fileprivate var fields: [FieldPlan] {
        switch self {
        case .structure(let fields), .choice(let fields, _): fields
        case .enumeration, .array, .union, .none: []
        }
    }
}

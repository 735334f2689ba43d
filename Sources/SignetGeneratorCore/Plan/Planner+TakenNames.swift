import SignetWSDL

extension Planner {
    /// Says which chosen names cannot be given because something else has them: who chose a name does not look for one with a
    /// number behind it.
    func reportTakenNames(
        _ types: [TypeKey: TypePlan], _ operations: [OperationPlan], _ selected: SelectedService,
        _ diagnostics: inout Diagnostics
    ) {
        func report(_ name: String, _ component: String, _ location: SourceLocation) {
            diagnostics.error(
                "‘names’ calls ‘\(component)’ ‘\(name)’, but something else beside it is called so, or Swift or Signet needs the "
                    + "name; choose another.", at: location)
        }
        if options.names?.isEmpty ?? true { return }
        for key in types.keys.sorted() {
            guard let bound = schema.types[key], let type = types[key] else { continue }
            if names.refused.contains(key), let name = TypeNames.chosen(key, options) {
                report(name, "\(key.name)", bound.location)
            }
            for (field, plan) in zip(bound.fields, type.content.fields) {
                guard let name = chosen(field, key) else { continue }
                let given = [name, "\(name)Attribute"].map(SwiftName.escaped)
                if !given.contains(plan.name) {
                    report(name, "\(key.name).\(field.name.localName)", field.location)
                }
            }
        }
        for (operation, plan) in zip(selected.operations, operations) {
            let name = options.operationName(operation.name)
            guard name != SwiftName.member(operation.name), plan.name != SwiftName.escaped(name) else { continue }
            report(name, operation.name, selected.service.location)
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

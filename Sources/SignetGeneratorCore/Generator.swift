package import SignetWSDL

/// Turns a WSDL into Swift. Each stage is a function from one value to the next:
///
///     definitions → selected service → bound schema → plan → Swift structure → text
package enum Generator {
    package struct Result: Sendable {
        /// Empty after an error.
        package var files: [GeneratedFile]
        package var diagnostics: [Diagnostic]

        package init(files: [GeneratedFile], diagnostics: [Diagnostic]) {
            self.files = files
            self.diagnostics = diagnostics
        }

        package var hasErrors: Bool { diagnostics.contains { $0.severity == .error } }
    }

    /// A planned service without its Swift source, for dynamic calls.
    package struct Planned: Sendable {
        package var operations: [SelectedOperation]
        package var schema: BoundSchema
        package var tables: [TypeKey: TablePlan]
        /// The Swift namespace.
        package var namespace: String
        /// The Swift types of the messages, as code outside of the namespace names them.
        package var messageTypes: [TypeKey: String]
    }

    /// Makes the files for loaded definitions.
    ///
    /// - Parameters:
    ///   - base: the beginning of the files' names.
    ///   - source: the WSDL's name for the files' first line.
    package static func generate(
        _ definitions: WSDLDefinitions, base: String, source: String, options: GeneratorOptions = .init()
    ) -> Result {
        var (planned, diagnostics) = plan(definitions, options)
        guard let (selected, plan) = planned else { return Result(files: [], diagnostics: diagnostics) }
        let files = GeneratedFile.files(
            for: plan, base: base, source: source, access: options.access ?? .internal, imports: options.imports ?? [],
            shards: options.shards ?? GeneratedFile.shards)
        if let costs = costs(files, plan.schema, selected.operations, options, at: selected.service.location) {
            diagnostics.append(costs)
        }
        return Result(files: files, diagnostics: diagnostics)
    }

    /// Plans the Swift of a service; nil after an error.
    package static func planned(
        _ definitions: WSDLDefinitions, options: GeneratorOptions = .init()
    ) -> (planned: Planned?, diagnostics: [Diagnostic]) {
        let (planned, diagnostics) = plan(definitions, options)
        return (
            planned.map {
                Planned(
                    operations: $0.selected.operations, schema: $0.plan.schema, tables: $0.plan.tables,
                    namespace: $0.plan.name, messageTypes: $0.plan.messageTypes)
            },
            diagnostics
        )
    }

    static func plan(
        _ definitions: WSDLDefinitions, _ options: GeneratorOptions
    ) -> (planned: (selected: SelectedService, plan: ServicePlan)?, diagnostics: [Diagnostic]) {
        var diagnostics = Diagnostics()
        for diagnostic in definitions.diagnostics {
            if let operation = diagnostic.operation, options.operations?.contains(operation) == false { continue }
            if diagnostic.isOmission {
                diagnostics.leftOut(
                    diagnostic.message, at: diagnostic.location, isError: options.isStrict && options.port == nil)
            } else {
                diagnostics.add(diagnostic)
            }
        }
        SwiftNamespaces.check(options, definitions, &diagnostics)
        options.reportUnknownNames(definitions, &diagnostics)
        var selector = Selector(definitions: definitions, options: options, diagnostics: diagnostics)
        let selected = selector.select()
        diagnostics = selector.diagnostics
        guard var selected,
            let schema = TypeBinder.bind(
                &selected.operations, wanted: options.operations, definitions.schema, options, &diagnostics),
            let plan = Planner.plan(selected, schema, options, &diagnostics)
        else { return (nil, diagnostics.all) }
        return ((selected, plan), diagnostics.all)
    }
}

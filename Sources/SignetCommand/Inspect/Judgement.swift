#if CommandLine
import SignetDynamic
import SignetGeneratorCore
import SignetWSDL

/// Determines which operations of a service can be called and generated, by asking the caller and the generator
/// themselves.
struct Judgement {
    private var notCallable: [String: String] = [:]
    private var notGenerated: [String: [String]] = [:]
    private var judgements = 0

    /// The maximum number of generator runs: each reads the service's whole schema.
    private static let maximumJudgements = 128

    /// - Parameter wanted: the one operation to judge; nil for all.
    init(_ definitions: WSDLDefinitions, service: Service, wanted: String?) {
        let operations = service.ports.flatMap { port in
            definitions.bindings[port.binding].flatMap { definitions.portTypes[$0.portType]?.operations } ?? []
        }
        let names = Set(operations.map(\.name)).filter { wanted == nil || $0 == wanted }.sorted()
        judgeCalls(definitions, service: service)
        var options = GeneratorOptions()
        options.service = service.name.localName
        if !names.isEmpty { judgeGeneration(names[...], definitions, options) }
    }

    func reasonNotCallable(_ operation: String) -> String? { notCallable[operation] }
    func reasonsNotGenerated(_ operation: String) -> [String] { notGenerated[operation] ?? [] }

    /// An operation can be called when one of the ports allows it.
    private mutating func judgeCalls(_ definitions: WSDLDefinitions, service: Service) {
        var callable: Set<String> = []
        for port in service.ports {
            do throws(DynamicError) {
                let bound = try DynamicService(definitions, service: service.name.localName, port: port.name)
                for operation in bound.operations {
                    if let reason = operation.reasonNotCallable {
                        notCallable[operation.name] = notCallable[operation.name] ?? reason
                    } else {
                        callable.insert(operation.name)
                    }
                }
            } catch {
                let binding = definitions.bindings[port.binding]
                for operation in binding?.operations ?? [] {
                    notCallable[operation.name] = notCallable[operation.name] ?? error.message
                }
            }
        }
        for name in callable { notCallable[name] = nil }
    }

    /// Tests all operations together, and divides them into halves only after a failure: most operations are fine.
    private mutating func judgeGeneration(
        _ names: ArraySlice<String>, _ definitions: WSDLDefinitions, _ options: GeneratorOptions
    ) {
        var options = options
        options.operations = Array(names)
        judgements += 1
        let errors = Generator.planned(definitions, options: options).diagnostics
            .filter { $0.severity == .error }.map(\.message)
        guard !errors.isEmpty else { return }
        if names.count > 1, judgements >= Self.maximumJudgements {
            let together = "at least one of \(names.count) operations, which were judged together, cannot be generated"
            for name in names { notGenerated[name] = [together] + errors }
        } else if names.count > 1 {
            let half = names.count / 2
            judgeGeneration(names.prefix(half), definitions, options)
            judgeGeneration(names.dropFirst(half), definitions, options)
        } else if let name = names.first {
            notGenerated[name] = errors
        }
    }
}
#endif

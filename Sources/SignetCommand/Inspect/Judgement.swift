import SignetDynamic
import SignetGeneratorCore
import SignetWSDL

/// Which operations of a service can be called and generated, as those who do it say.
struct Judgement {
    private var notCallable: [String: String] = [:]
    private var notGenerated: [String: [String]] = [:]

    init(_ definitions: WSDLDefinitions, service: Service) {
        let operations = service.ports.flatMap { port in
            definitions.bindings[port.binding].flatMap { definitions.portTypes[$0.portType]?.operations } ?? []
        }
        let names = Set(operations.map(\.name))
        judgeCalls(definitions, service: service)
        judgeGeneration(names, definitions, service: service)
    }

    func reasonNotCallable(_ operation: String) -> String? { notCallable[operation] }
    func reasonsNotGenerated(_ operation: String) -> [String] { notGenerated[operation] ?? [] }

    /// An operation can be called when it can at one of the ports.
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

    private mutating func judgeGeneration(_ names: Set<String>, _ definitions: WSDLDefinitions, service: Service) {
        var options = GeneratorOptions()
        options.service = service.name.localName
        // Most services are fine as a whole.
        guard Self.errors(definitions, options) != [] else { return }
        for name in names {
            options.operations = [name]
            notGenerated[name] = Self.errors(definitions, options)
        }
    }

    private static func errors(_ definitions: WSDLDefinitions, _ options: GeneratorOptions) -> [String] {
        Generator.generate(definitions, base: "", source: "", options: options).diagnostics
            .filter { $0.severity == .error }.map(\.message)
    }
}

/// The fourth stage for a service: its namespace with client, protocol, dispatcher and operations.
struct ServiceFile {
    let plan: ServicePlan
    let access: AccessLevel

    private var modifier: String { access.modifier }

    var code: [SwiftCode] {
        var body: [SwiftCode] = []
        if let address = plan.address {
            body += [
                .documentation("The address that the WSDL names for the port `\(plan.portName)`."),
                .line("\(modifier)static let address = \(address.swiftLiteral)"), .blank,
            ]
        }
        body += client + [.blank] + service + [.blank] + dispatcher + [.blank] + operations
        return [
            .documentation(plan.documentation ?? "The service \(plan.serviceName)."),
            .block("\(modifier)enum \(plan.name)", body),
        ]
    }

    private func documentation(of operation: OperationPlan) -> [SwiftCode] {
        [.documentation(operation.documentation ?? "The operation \(operation.wsdlName).")]
    }

    private var client: [SwiftCode] {
        var body: [SwiftCode] = [
            .line("\(modifier)let caller: ServiceCaller"), .blank,
            .line("\(modifier)init(_ caller: ServiceCaller) { self.caller = caller }"),
        ]
        for operation in plan.operations {
            body.append(.blank)
            body += documentation(of: operation)
            body.append(
                .function(
                    "\(modifier)func \(operation.name)(", ["_ input: \(operation.input.type)"],
                    ") async throws -> \(operation.output.type)",
                    [.call("try await caller.call(", ["Operations.\(operation.name)", "input"], ")")]))
        }
        return [
            .documentation("Calls the service \(plan.serviceName)."),
            .block("\(modifier)struct Client: ServiceClient", body),
        ]
    }

    private var service: [SwiftCode] {
        var body: [SwiftCode] = []
        for operation in plan.operations {
            if !body.isEmpty { body.append(.blank) }
            body += documentation(of: operation)
            body.append(
                .function(
                    "func \(operation.name)(", ["_ input: \(operation.input.type)", "_ context: ServiceContext"],
                    ") async throws -> \(operation.output.type)", nil))
        }
        return [
            .documentation("What a server implements to be the service \(plan.serviceName)."),
            .block("\(modifier)protocol Service: Sendable", body),
        ]
    }

    private var dispatcher: [SwiftCode] {
        let routes = plan.operations.map { operation -> SwiftCode in
            let head = "Operations.\(operation.name).route"
            let call = "try await service.\(operation.name)($0, $1)"
            let line = "\(head) { \(call) },"
            return .line(line.count + 16 <= SwiftRenderer.width ? line : "\(head) {\n    \(call)\n},")
        }
        let call: [SwiftCode] = [
            .line("ServiceDispatcher("), .line("    name: \(plan.serviceName.swiftLiteral),"), .line("    routes: ["),
        ]
        return [
            .documentation("Routes messages to a service."),
            .block(
                "\(modifier)static func dispatcher(_ service: some Service) -> ServiceDispatcher",
                call + routes.map { $0.indented(8) } + [.line("    ])")]),
        ]
    }

    private var operations: [SwiftCode] {
        var body: [SwiftCode] = []
        for operation in plan.operations {
            if !body.isEmpty { body.append(.blank) }
            var items = [
                "name: \(operation.wsdlName.swiftLiteral)", "soapAction: \(operation.soapAction.swiftLiteral)",
                "version: .soap11", "input: \(name(of: operation.input))", "output: \(name(of: operation.output))",
            ]
            if !operation.faults.isEmpty {
                let faults = operation.faults.map { ".declared(\(name(of: $0)), \($0.type).self)" }
                items.append(.swiftArray(faults, label: "faults", indent: 12))
            }
            if !operation.namespaces.isEmpty {
                items.append(.swiftArray(operation.namespaces.map(\.swiftLiteral), label: "namespaces", indent: 12))
            }
            let type = "ServiceOperation<\(operation.input.type), \(operation.output.type)>"
            body.append(.call("\(modifier)static let \(operation.name) = \(type)(", items, ")"))
        }
        return [
            .documentation("The operations of the service \(plan.serviceName)."),
            .block("\(modifier)enum Operations", body),
        ]
    }

    private func name(of message: MessagePlan) -> String {
        "XMLName(\(message.namespace.swiftLiteral), \(message.localName.swiftLiteral))"
    }
}

extension SwiftCode {
    /// A line moved to the right.
    func indented(_ count: Int) -> SwiftCode {
        guard case .line(let text) = self else { return self }
        let space = String(repeating: " ", count: count)
        return .line(text.split(separator: "\n").map { space + $0 }.joined(separator: "\n"))
    }
}

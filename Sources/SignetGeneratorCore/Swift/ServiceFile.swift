import SignetWSDL

/// The fourth stage for a service: its namespace with client, protocols, dispatcher and operations.
struct ServiceFile {
    let plan: ServicePlan
    let access: AccessLevel

    private var modifier: String { access.modifier }

    var code: [SwiftCode] {
        var sections =
            plan.isPlainHTTP
            ? [ports, api, client, operations] : [ports, api, client, service, dispatcher, operations]
        if !plan.headers.isEmpty { sections.insert(headers, at: 1) }
        for namespace in plan.namespaces {
            let uris = namespace.uris.map { "`\($0)`" }.joined(separator: ", ")
            sections.append([
                .documentation("The types of \(uris)."), .line("\(modifier)enum \(namespace.name) {}"),
            ])
        }
        return [
            .documentation(plan.documentation ?? "The service \(plan.serviceName)."),
            .block("\(modifier)enum \(plan.name)", Array(sections.joined(separator: [.blank]))),
        ] + shortForms
    }

    // MARK: Ports and header blocks

    private var ports: [SwiftCode] {
        var body: [SwiftCode] = []
        for port in plan.ports {
            if let documentation = port.documentation { body.append(.documentation(documentation)) }
            let address = port.address?.swiftLiteral ?? "nil"
            var items = ["name: \(port.wsdlName.swiftLiteral)", "address: \(address)", "version: \(version(port))"]
            if let addressing = port.addressing { items.append("addressing: .\(addressing)") }
            if !port.requirements.isEmpty {
                items.append(.swiftArray(port.requirements, label: "requires: ", indent: 12))
            }
            if !port.accepted.isEmpty {
                items.append(.swiftArray(port.accepted, label: "accepts: ", indent: 12))
            }
            if !port.operations.isEmpty {
                items.append(.swiftArray(port.operations, label: "operations: ", indent: 12))
            }
            body.append(.call("\(modifier)static let \(port.name) = ServicePort(", items, ")"))
        }
        let names = String.swiftArray(plan.ports.map(\.name), label: "\(modifier)static let all = ", indent: 8)
        return [
            .documentation("Where the WSDL says that the service is, the port that it was generated from first."),
            .block("\(modifier)enum Ports", body + [.line(names)]),
        ]
    }

    private func version(_ port: PortPlan) -> String { port.version.map { ".\($0)" } ?? "nil" }

    private var headers: [SwiftCode] {
        let body = plan.headers.map { header in
            SwiftCode.call(
                "\(modifier)static let \(header.name) = HeaderElement<\(header.element.type)>(",
                [header.element.element.map(name) ?? ""], ")")
        }
        return [
            .documentation("The header blocks that the WSDL declares."),
            .block("\(modifier)enum Headers", body),
        ]
    }

    // MARK: Both sides

    private var api: [SwiftCode] {
        let body = plan.operations.map { operation -> [SwiftCode] in
            [.documentation(operation.documentation), method("", operation, operation.types, Extra.of(operation), nil)]
        }
        return [
            .documentation(
                "What code that calls the service \(plan.serviceName) needs of its client; "
                    + "a test gives it a value of its own."
            ),
            .block("\(modifier)protocol API: Sendable", Array(body.joined(separator: [.blank]))),
        ]
    }

    private var client: [SwiftCode] {
        var body: [SwiftCode] = [
            .line("\(modifier)let caller: ServiceCaller"), .blank,
            .line("\(modifier)init(_ caller: ServiceCaller) { self.caller = caller }"),
        ]
        for operation in plan.operations {
            let verb = operation.output == nil ? "send" : "call"
            let extras = Extra.of(operation)
            let arguments =
                ["Operations.\(operation.name)", operation.input.wrapped("input")] + extras.map(\.argument)
            let call = SwiftCode.call(
                "try await caller.\(verb)(", arguments, ")\(operation.output?.unwrapping ?? "")")
            body += [
                .blank, .documentation(operation.documentation),
                method(modifier, operation, operation.types, extras, [call]),
            ]
        }
        return [
            .documentation("Calls the service \(plan.serviceName)."),
            .block("\(modifier)struct Client: ServiceClient, API", body),
        ]
    }

    /// Protocol requirements cannot have default arguments: additional methods leave out the optional parameters.
    private var shortForms: [SwiftCode] {
        let body = plan.operations.flatMap { operation -> [[SwiftCode]] in
            let extras = Extra.of(operation)
            func form(_ extras: [Extra]) -> [SwiftCode] {
                let given = Extra.of(operation).map { extras.contains($0) ? $0.argument : "\($0.rawValue): []" }
                let call = SwiftCode.call("try await \(operation.name)(", ["input"] + given, ")")
                return [
                    .documentation(operation.documentation),
                    method(modifier, operation, operation.outsideTypes, extras, [call]),
                ]
            }
            return extras.isEmpty ? [] : [form([])] + (extras.count > 1 ? extras.map { form([$0]) } : [])
        }
        if body.isEmpty { return [] }
        return [.blank, .block("extension \(plan.name).API", Array(body.joined(separator: [.blank])))]
    }

    /// The optional parameters of a call beside its input.
    private enum Extra: String {
        case headerBlocks, attachments

        var parameter: String {
            switch self {
            case .headerBlocks: "headerBlocks: [HeaderBlock]"
            case .attachments: "attachments: [MessageAttachment]"
            }
        }
        var argument: String { "\(rawValue): \(rawValue)" }

        static func of(_ operation: OperationPlan) -> [Extra] {
            (operation.takesHeaderBlocks ? [.headerBlocks] : []) + (operation.takesAttachments ? [.attachments] : [])
        }
    }

    private func method(
        _ modifier: String, _ operation: OperationPlan, _ types: OperationPlan.Types, _ extras: [Extra],
        _ body: [SwiftCode]?
    ) -> SwiftCode {
        .function(
            "\(modifier)func \(operation.name)(", ["_ input: \(types.input)"] + extras.map(\.parameter),
            ") async throws\(types.result)", body)
    }

    private var service: [SwiftCode] {
        var body: [SwiftCode] = []
        for operation in plan.operations {
            if !body.isEmpty { body.append(.blank) }
            body += [
                .documentation(operation.documentation),
                .function(
                    "func \(operation.name)(",
                    ["_ input: \(operation.types.input)", "_ context: OperationContext"],
                    ") async throws\(operation.types.result)", nil),
            ]
        }
        return [
            .documentation("What a server implements to be the service \(plan.serviceName)."),
            .block("\(modifier)protocol Service: Sendable", body),
        ]
    }

    /// Handlers for a server that is yet to be written: each throws a fault.
    ///
    /// - Parameter name: the name of their type.
    func handlers(named name: String) -> [SwiftCode] {
        var body: [SwiftCode] = []
        for operation in plan.operations {
            if !body.isEmpty { body.append(.blank) }
            let reason = "The operation \(operation.wsdlName) is not built yet."
            body += [
                .documentation(operation.documentation),
                .function(
                    "func \(operation.name)(",
                    ["_ input: \(operation.types.input)", "_ context: OperationContext"],
                    ") async throws\(operation.types.result)",
                    [.line("throw SOAPFault.server(\(reason.swiftLiteral))")]),
            ]
        }
        return [
            .block(
                "extension \(plan.name)",
                [.documentation("What the server does for each operation."), .block("struct \(name): Service", body)])
        ]
    }

    private var dispatcher: [SwiftCode] {
        // Appended one by one: for a literal of a thousand closures the compiler needs gigabytes.
        let routes = plan.operations.map { operation -> SwiftCode in
            let call = "service.\(operation.name)($0\(operation.input.unwrapping), $1)"
            let result = operation.output?.wrapped(call) ?? call
            let route = "Operations.\(operation.name).route { try await \(result) }"
            let line = "routes.append(\(route))"
            return .line(line.count + 8 <= SwiftRenderer.width ? line : "routes.append(\n    \(route))")
        }
        var versions: [String] = []
        for version in plan.ports.map(version) where !versions.contains(version) { versions.append(version) }
        var words = "Routes messages to a service."
        if plan.operations.contains(where: \.takesHeaderBlocks) {
            words +=
                "\n\nA request with a header block that must be understood is refused, unless the dispatcher's "
                + "`understoodHeaderBlocks` names the block."
        }
        return [
            .documentation(words),
            .block(
                "\(modifier)static func dispatcher(_ service: some Service) -> ServiceDispatcher",
                [.line("var routes: [ServiceRoute] = []")] + routes + [
                    .line("return ServiceDispatcher("), .line("    name: \(plan.serviceName.swiftLiteral),"),
                    .line("    versions: [\(versions.joined(separator: ", "))],"),
                ] + (plan.takesAttachments ? [.line("    takesAttachments: true,")] : []) + [
                    .line("    routes: routes)")
                ]),
        ]
    }

    private var operations: [SwiftCode] {
        var body: [SwiftCode] = []
        for operation in plan.operations {
            if !body.isEmpty { body.append(.blank) }
            if let exchange = operation.http {
                body.append(httpOperation(operation, exchange))
                continue
            }
            var items = [
                "name: \(operation.wsdlName.swiftLiteral)", "soapAction: \(operation.soapAction.swiftLiteral)",
                "version: \(plan.ports.first.map(version) ?? "nil")",
            ]
            items.append("input: \(operation.input.element.map(name) ?? "nil")")
            var type = "OneWayOperation<\(operation.input.messageType)>"
            if let output = operation.output {
                items.append("output: \(output.element.map(name) ?? "nil")")
                type = "ServiceOperation<\(operation.input.messageType), \(output.messageType)>"
            }
            if !operation.faults.isEmpty {
                let faults = operation.faults.map(declared)
                items.append(.swiftArray(faults, label: "faults: ", indent: 12))
            }
            if operation.isEncoded { items.append("isEncoded: true") }
            if operation.isRPC && operation.output != nil { items.append("isRPC: true") }
            if !operation.requirements.isEmpty {
                items.append(.swiftArray(operation.requirements, label: "requires: ", indent: 12))
            }
            if !operation.namespaces.isEmpty {
                items.append(.swiftArray(operation.namespaces.map(\.swiftLiteral), label: "namespaces: ", indent: 12))
            }
            let actions = [("input", operation.actions.input), ("output", operation.actions.output)].compactMap {
                name, action in
                action.map { "\(name): \($0.swiftLiteral)" }
            }
            if !actions.isEmpty { items.append(.swiftArguments(actions, label: "actions: .init", indent: 12)) }
            body.append(.call("\(modifier)static let \(operation.name) = \(type)(", items, ")"))
        }
        return [
            .documentation("The operations of the service \(plan.serviceName)."),
            .block("\(modifier)enum Operations", body),
        ]
    }

    private func declared(_ fault: MessagePlan) -> String {
        let name = fault.element.map(name) ?? "nil"
        guard let action = fault.action else { return ".declared(\(name), \(fault.type).self)" }
        return ".declared(\n        \(name),\n        \(fault.type).self,\n        action: \(action.swiftLiteral))"
    }

    private func httpOperation(_ operation: OperationPlan, _ exchange: HTTPExchange) -> SwiftCode {
        let input =
            switch exchange.encoding {
            case .query: ".query"
            case .path: ".path"
            case .form: ".form"
            case .document(let type):
                ".document(\(operation.input.element.map(name) ?? "nil")"
                    + (type == "text/xml" ? ")" : ", mediaType: \(type.swiftLiteral))")
            }
        let items = [
            "name: \(operation.wsdlName.swiftLiteral)", "verb: .\(exchange.verb.lowercased())",
            "location: \(exchange.location.swiftLiteral)", "input: \(input)",
            "output: \(name(exchange.output.name))",
        ]
        let type = "HTTPOperation<\(operation.input.messageType), \(operation.output?.messageType ?? "")>"
        return .call("\(modifier)static let \(operation.name) = \(type)(", items, ")")
    }

    private func name(_ element: QName) -> String {
        "XMLName(\(element.namespace.swiftLiteral), \(element.localName.swiftLiteral))"
    }
}

extension OperationPlan {
    /// The types in a function's declaration.
    fileprivate struct Types {
        var input: String
        /// The text after the parameters.
        var result: String
    }

    fileprivate var types: Types { types(\.type) }
    /// The types for code outside of the service's namespace.
    fileprivate var outsideTypes: Types { types(\.outsideType) }

    private func types(_ name: KeyPath<MessagePlan, String>) -> Types {
        /// The type that clients and services see.
        func shown(_ message: MessagePlan) -> String { message[keyPath: name] + (message.isNillable ? "?" : "") }
        return Types(input: shown(input), result: output.map { " -> \(shown($0))" } ?? "")
    }
}

extension MessagePlan {
    /// The type that the codec reads and writes.
    fileprivate var messageType: String { isNillable ? "NillableMessage<\(type)>" : type }

    /// Converts an expression for the visible value into one for the value that the codec reads and writes.
    fileprivate func wrapped(_ value: String) -> String { isNillable ? "NillableMessage(\(value))" : value }

    /// The suffix that converts an expression for the read value into one for the visible value.
    fileprivate var unwrapping: String { isNillable ? ".content" : "" }
}

extension SwiftCode {
    /// A line moved to the right.
    func indented(_ count: Int) -> SwiftCode {
        guard case .line(let text) = self else { return self }
        let space = String(repeating: " ", count: count)
        return .line(text.split(separator: "\n").map { space + $0 }.joined(separator: "\n"))
    }
}

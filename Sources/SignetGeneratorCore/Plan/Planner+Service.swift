import SignetWSDL

extension Planner {
    // MARK: Ports and header blocks

    func plan(_ ports: [BoundPort]) -> [PortPlan] {
        var table = NameTable(reserved: ["all", "init"])
        return ports.map { bound in
            PortPlan(
                name: SwiftName.escaped(table.take(SwiftName.member(bound.port.name))), wsdlName: bound.port.name,
                address: bound.port.address, version: bound.binding.format.soapVersion,
                addressing: bound.addressing?.rawValue, requirements: bound.requirements.map(\.swiftCase),
                accepted: bound.accepted.map(\.swiftCase),
                operations: bound.operations.map {
                    "\($0.name.swiftLiteral): [\($0.requirements.map(\.swiftCase).joined(separator: ", "))]"
                }, documentation: bound.port.documentation)
        }
    }

    /// The header blocks of all operations, in order of appearance.
    func headers(of operations: [SelectedOperation]) -> [(message: SelectedMessage, plan: HeaderPlan)] {
        var table = NameTable(reserved: ["init"])
        var seen: Set<SelectedMessage> = []
        return operations.flatMap { $0.inputHeaders + $0.outputHeaders }.filter { seen.insert($0).inserted }.map {
            let name = SwiftName.escaped(table.take(SwiftName.member($0.element?.localName ?? $0.key.name.localName)))
            return ($0, HeaderPlan(name: name, element: message($0), documentation: nil))
        }
    }

    // MARK: Operations

    func plan(
        _ operations: [SelectedOperation], headers: [(message: SelectedMessage, plan: HeaderPlan)]
    ) -> [OperationPlan] {
        let members = Dictionary(headers.map { ($0.message, $0.plan.name) }) { first, _ in first }
        var table = NameTable(reserved: ["caller", "init", "with"])
        return operations.map { operation in
            OperationPlan(
                name: SwiftName.escaped(table.take(options.operationName(operation))), wsdlName: operation.name,
                soapAction: operation.soapAction, actions: actions(of: operation), http: operation.http,
                input: body(operation.input),
                output: operation.output.map(body),
                faults: operation.faults.map(message),
                isEncoded: operation.input.isEncoded || operation.output?.isEncoded == true,
                isRPC: operation.style == .rpc,
                takesHeaderBlocks: !operation.inputHeaders.isEmpty,
                takesAttachments: operation.inputAttachments != nil,
                hasAttachments: operation.inputAttachments != nil || operation.outputAttachments != nil,
                requirements: operation.requirements.map(\.swiftCase), namespaces: namespaces(of: operation),
                documentation: documentation(of: operation, members))
        }
    }

    private func actions(of operation: SelectedOperation) -> (input: String?, output: String?) {
        let input = operation.actions?.input
        return (input == operation.soapAction ? nil : input, operation.actions?.output)
    }

    /// The WSDL's documentation of an operation, and facts that its signature does not show; empty when there are
    /// neither.
    private func documentation(of operation: SelectedOperation, _ members: [SelectedMessage: String]) -> String {
        var parts = operation.documentation.map { [$0] } ?? []
        for (verb, blocks) in [("takes", operation.inputHeaders), ("gives", operation.outputHeaders)] {
            let names = blocks.compactMap { members[$0] }.map { "`Headers.\($0.filter { $0 != "`" })`" }
            guard let last = names.last else { continue }
            let list =
                names.count == 1
                ? "block \(last)" : "blocks \(names.dropLast().joined(separator: ", ")) and \(last)"
            parts.append("It \(verb) the header \(list).")
        }
        for (verb, names) in [("takes", operation.inputAttachments), ("gives", operation.outputAttachments)] {
            guard let names else { continue }
            let list = names.map { "`\($0)`" }.joined(separator: ", ")
            parts.append(
                "It \(verb) attachments\(list.isEmpty ? "" : ": \(list)")."
                    + (verb == "gives" ? " `caller.answer(to:_:)` has them." : ""))
        }
        let faults = operation.faults.map { "`DeclaredFault<\(message($0).type)>`" }
        if let last = faults.last {
            let list = faults.count == 1 ? last : "\(faults.dropLast().joined(separator: ", ")) or \(last)"
            parts.append("- Throws: \(list), as the WSDL declares, beside what any call throws.")
        }
        return parts.joined(separator: "\n\n")
    }

    /// An input or an output.
    private func body(_ message: SelectedMessage) -> MessagePlan {
        var plan = self.message(message)
        plan.isNillable = schema.nillableMessages.contains(message.key)
        return plan
    }

    private func message(_ message: SelectedMessage) -> MessagePlan {
        let type = schema.messages[message.key]
        return MessagePlan(
            element: message.element, type: type.map(names.name(of:)) ?? "",
            outsideType: type.map(outsideName) ?? "", action: message.action)
    }

    /// The namespaces of all elements that the operation's messages can hold, in order of appearance.
    private func namespaces(of operation: SelectedOperation) -> [String] {
        var found: [String] = []
        var reached: Set<TypeKey> = []
        func add(_ namespace: String) {
            if !namespace.isEmpty && namespace != Namespaces.xml && !found.contains(namespace) {
                found.append(namespace)
            }
        }
        for message in [operation.input] + (operation.output.map { [$0] } ?? []) + operation.faults {
            if let element = message.element { add(element.namespace) }
            var open: ArraySlice<TypeKey> = []
            if case .declared(let key) = schema.messages[message.key] { open.append(key) }
            while let key = open.popFirst() {
                guard reached.insert(key).inserted else { continue }
                for field in schema.types[key]?.fields ?? [] {
                    add(field.name.namespace)
                    if case .declared(let inner) = field.type { open.append(inner) }
                }
            }
        }
        return found
    }
}

extension PolicyRequirement {
    /// The case of `ServiceRequirement`.
    fileprivate var swiftCase: String {
        switch self {
        case .tls: ".tls"
        case .clientCertificate: ".clientCertificate"
        case .httpAuthentication(let scheme): ".httpAuthentication(\(scheme.swiftLiteral))"
        case .timestamp: ".timestamp"
        case .usernameToken(let form): ".usernameToken(.\(form.rawValue))"
        case .issuedToken(let policy): ".issuedToken(\(policy.swiftValue))"
        case .asymmetricBinding(let policy): ".asymmetricBinding(\(policy.swiftValue))"
        case .unsupported(let text): ".unsupported(\(text.swiftLiteral))"
        case .addressing: ".addressing"
        case .mtom: ".mtom"
        }
    }
}

extension IssuedTokenPolicy {
    /// An `IssuedTokenDemand`.
    fileprivate var swiftValue: String {
        var arguments: [String] = []
        if let issuer { arguments.append("issuer: \(issuer.swiftLiteral)") }
        if let type { arguments.append("type: .init(rawValue: \(type.swiftLiteral))") }
        if isForHolder { arguments.append("keyType: .publicKey") }
        if !claims.isEmpty {
            let list = claims.map { ".init(\($0.uri.swiftLiteral)\($0.isOptional ? ", isOptional: true" : ""))" }
            arguments.append("claims: [\(list.joined(separator: ", "))]")
        }
        if isOldTrust { arguments.append("version: .v2005") }
        return ".init(\(arguments.joined(separator: ", ")))"
    }
}

extension AsymmetricPolicy {
    /// An `AsymmetricBinding`.
    fileprivate var swiftValue: String {
        var arguments = [".\(suite.rawValue)"]
        if client != .certificate { arguments.append("client: .\(client.rawValue)") }
        if service != .issuerSerial { arguments.append("service: .\(service.rawValue)") }
        if confirmsSignature { arguments.append("confirmsSignature: true") }
        if usesTokenTransform { arguments.append("usesTokenTransform: true") }
        arguments.append("request: \(request.swiftValue)")
        arguments.append("answer: \(answer.swiftValue)")
        return ".init(\(arguments.joined(separator: ", ")))"
    }
}

extension AsymmetricPolicy.Protection {
    fileprivate var swiftValue: String {
        let lists = [("signed", signed), ("encrypted", encrypted)].filter { !$0.1.isEmpty }
        return
            ".init(\(lists.map { "\($0): [\($1.map(\.swiftCase).joined(separator: ", "))]" }.joined(separator: ", ")))"
    }
}

extension AsymmetricPolicy.Part {
    /// The case of `MessagePart`.
    fileprivate var swiftCase: String {
        switch self {
        case .body: ".body"
        case .timestamp: ".timestamp"
        case .usernameToken: ".usernameToken"
        case .signingToken: ".signingToken"
        case .allHeaderBlocks: ".allHeaderBlocks"
        case .attachments: ".attachments"
        case .headerBlocks(let namespace): ".headerBlocks(.init(\(namespace.swiftLiteral)))"
        case .headerBlock(let name):
            ".headerBlock(.init(\(name.namespace.swiftLiteral), \(name.localName.swiftLiteral)))"
        }
    }
}

extension Binding.Format {
    /// The case of `SOAPVersion`.
    fileprivate var soapVersion: String? {
        switch self {
        case .soap11: "soap11"
        case .soap12: "soap12"
        case .http, .other: nil
        }
    }
}

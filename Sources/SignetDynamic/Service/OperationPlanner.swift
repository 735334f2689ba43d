import SignetSOAP
import SignetWSDL

/// Makes the plans of a port's operations from the resolved operations.
struct OperationPlanner {
    private let definitions: WSDLDefinitions
    private let port: Port
    /// The demands of the port's policies.
    private let portRequirements: PolicyRequirements

    init(definitions: WSDLDefinitions, port: Port) {
        (self.definitions, self.port) = (definitions, port)
        portRequirements = definitions.requirements(of: port)
    }

    func plan(_ operation: ResolvedOperation, in portType: QName) -> OperationPlan {
        let bound = operation.bound
        var plan = OperationPlan(
            name: operation.distinctName, wsdlName: operation.name, soapAction: bound.soapAction ?? "")
        if let abstract = operation.abstract {
            plan.documentation = abstract.documentation
            plan.actions = abstract.actions(soapAction: plan.soapAction, in: portType)
            plan.requirements = definitions.requirements(of: bound, beyond: port).map(ServiceRequirement.init)
            let requirements = definitions.requirements(of: bound, at: port) ?? portRequirements
            plan.unsupported = requirements.unsupportedTexts(areJudged: true)
            plan.unknown = requirements.unsupportedTexts(areJudged: false)
        }
        switch operation.exchange {
        case .success(let exchange): fill(&plan, exchange)
        case .failure(let refusal): plan.reasonNotCallable = refusal.reason
        }
        return plan
    }

    private func fill(_ plan: inout OperationPlan, _ exchange: ResolvedExchange) {
        plan.http = exchange.http
        plan.isRPC = exchange.style == .rpc
        plan.isEncoded = exchange.isEncoded
        plan.headers = exchange.inputHeaders.compactMap(block)
        plan.answerHeaders = exchange.outputHeaders.compactMap(block)
        plan.faults = exchange.faults.map(\.block).compactMap(block)
        do throws(NotCallable) {
            let input = try body(exchange.input)
            let output: ElementDeclaration? = if let message = exchange.output { try body(message) } else { nil }
            (plan.input, plan.output) = (input, output)
            plan.inputIsContent = exchange.input.isContent
            plan.outputIsContent = exchange.output?.isContent ?? false
        } catch {
            plan.reasonNotCallable = error.reason
        }
    }

    private struct NotCallable: Error {
        var reason: String
    }

    /// The element in a body; the planner makes one when no schema declares it.
    private func body(_ message: ResolvedMessage) throws(NotCallable) -> ElementDeclaration {
        switch message.content {
        case .element(let name): return try element(name)
        case .type(let type): return .message(message.message, type, at: message.location)
        case .wrapper(let name, let parts): return try made(name, parts, message)
        case .parts(let parts): return try made(message.message, parts, message)
        }
    }

    private func made(
        _ name: QName, _ parts: [ResolvedMessage.Part], _ message: ResolvedMessage
    ) throws(NotCallable) -> ElementDeclaration {
        for part in parts {
            if case .element(let name) = part.content { _ = try element(name) }
        }
        return .message(name, parts.map { $0.accessor() }, at: message.location)
    }

    private func element(_ name: QName) throws(NotCallable) -> ElementDeclaration {
        guard let element = definitions.schema.elements[name] else {
            throw NotCallable(
                reason: "the element \(name) is not defined in any schema that was read"
                    + definitions.schema.hint(missingElement: name))
        }
        return element
    }

    /// Returns nil when the schema lacks the block's element, which does not happen for a block that was resolved with
    /// that schema.
    private func block(_ block: ResolvedBlock) -> PlannedBlock? {
        let element =
            if let type = block.type {
                ElementDeclaration.block(block.element, type: type, at: block.location)
            } else {
                definitions.schema.elements[block.element]
            }
        return element.map { PlannedBlock(element: $0, isEncoded: block.isEncoded) }
    }
}

extension ResolvedMessage {
    /// Whether the message is the content of the body itself, without an element around it.
    fileprivate var isContent: Bool {
        switch content {
        case .element, .wrapper: false
        case .type, .parts: true
        }
    }
}

extension ServiceRequirement {
    init(_ requirement: PolicyRequirement) {
        self =
            switch requirement {
            case .tls: .tls
            case .clientCertificate: .clientCertificate
            case .httpAuthentication(let scheme): .httpAuthentication(scheme)
            case .timestamp: .timestamp
            case .usernameToken(.noPassword): .usernameToken(.noPassword)
            case .usernameToken(.text): .usernameToken(.text)
            case .usernameToken(.textWithNonce): .usernameToken(.textWithNonce)
            case .usernameToken(.digest): .usernameToken(.digest)
            case .issuedToken(let policy):
                .issuedToken(
                    IssuedTokenDemand(
                        issuer: policy.issuer, type: policy.type.map(TokenType.init(rawValue:)),
                        keyType: policy.isForHolder ? .publicKey : .bearer,
                        claims: policy.claims.map { TokenClaim($0.uri, isOptional: $0.isOptional) },
                        version: policy.isOldTrust ? .v2005 : .v13))
            case .asymmetricBinding(let policy): .asymmetricBinding(AsymmetricBinding(policy))
            case .unsupported(let text): .unsupported(text)
            case .addressing: .addressing
            case .mtom: .mtom
            }
    }
}

extension PolicyRequirements {
    /// The demands that Signet does not meet, or those that are unknown, each with its place.
    fileprivate func unsupportedTexts(areJudged: Bool) -> [String] {
        unsupported.filter { $0.isJudged == areJudged }.map { "\($0.text), at \($0.location)" }
    }
}

import HTTPTypes

extension ServiceCaller {
    /// All requirements of an operation; where two are about the same, the later one counts.
    package func allRequirements(of operation: String, _ own: [ServiceRequirement]) -> [ServiceRequirement] {
        let all = settings.requirements + own + (settings.operationRequirements[operation] ?? [])
        let binding = all.asymmetricBinding
        return all.filter { $0.asymmetricBinding == nil || $0.asymmetricBinding == binding }
    }

    private static let security =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

    /// Checks the requirements on the connection to the service, before any header block is made.
    func checkConnection(to endpoint: Endpoint, for operation: String, _ requirements: [ServiceRequirement]) throws {
        for requirement in requirements where !settings.uncheckedRequirements.contains(requirement) {
            switch requirement {
            case .tls: if endpoint.origin.scheme != .https { throw unmet(requirement, operation, endpoint) }
            case .clientCertificate:
                if transport.proofs(at: endpoint.origin)?.hasIdentity == false {
                    throw unmet(requirement, operation, endpoint)
                }
            case .httpAuthentication:
                if transport.proofs(at: endpoint.origin)?.hasCredentials == false,
                    settings.fields[.authorization] == nil
                {
                    throw unmet(requirement, operation, endpoint)
                }
            case .unsupported: throw unmet(requirement, operation, endpoint)
            default: break
            }
        }
    }

    /// Checks the requirements on the message.
    func checkMessage<Input>(of call: ServiceCall<Input>, _ requirements: [ServiceRequirement]) throws {
        guard call.version != nil else { return }
        for requirement in requirements where !settings.uncheckedRequirements.contains(requirement) {
            let isMet =
                switch requirement {
                // Where nothing of a request is protected, it needs no header block.
                case .asymmetricBinding(let binding) where binding.request == .init(): true
                case .asymmetricBinding:
                    // Only what sees a message as a whole can sign it.
                    call.hasBlock("Security", in: [Self.security], isForService: true)
                        && settings.headerProviders.contains(where: \.needsWholeMessages)
                case .timestamp, .usernameToken, .issuedToken: call.hasBlock("Security", in: [Self.security])
                case .addressing: call.hasBlock("Action", in: AddressingVersion.all.map(\.namespace.uri))
                case .mtom: settings.attachments.mtom.threshold(isRequested: false) != nil
                case .tls, .clientCertificate, .httpAuthentication, .unsupported: true
                }
            if !isMet { throw unmet(requirement, call.operation, call.endpoint) }
        }
    }

    private func unmet(_ requirement: ServiceRequirement, _ operation: String, _ endpoint: Endpoint) -> ServiceError {
        if case .unsupported = requirement {
            return ServiceError(
                .unmetRequirement,
                "The WSDL demands \(requirement) for the operation \(operation) at \(endpoint). Nothing was sent, because Signet does "
                    + "not do that. Name it in uncheckedRequirements (signet: --ignore-policies) where the program meets it, by its own "
                    + "signature and encryption or another provider, or where the service does not insist on it.")
        }
        return ServiceError(
            .unmetRequirement,
            "The WSDL demands \(requirement) for the operation \(operation) at \(endpoint), and the call has none. Nothing was "
                + "sent: \(requirement.advice), or name it in uncheckedRequirements where Signet does not see how it is met, "
                + "as by a middleware that adds credentials, or where the service does not insist on it."
        )
    }
}

extension ServiceCall {
    /// Whether the call has a header block of that name, in one of these namespaces.
    fileprivate func hasBlock(_ localName: String, in namespaces: [String], isForService: Bool = false) -> Bool {
        headerBlocks.contains { block in
            block.localName == localName && namespaces.contains(block.namespaceURI)
                && (!isForService || SOAPRole.isFor(block.role, []))
        }
    }
}

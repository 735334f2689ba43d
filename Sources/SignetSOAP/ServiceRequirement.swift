import HTTPTypes

/// A requirement of a port, or of one of its operations, on every call, from the policies of its WSDL (WS-Policy 1.5,
/// WS-SecurityPolicy 1.1 to 1.3). Generated code lists them. New cases may be added: keep a `default` when switching.
public enum ServiceRequirement: Sendable, Hashable {
    /// Calls are made over TLS.
    case tls
    /// The client shows a certificate in TLS.
    case clientCertificate
    /// The client authenticates over HTTP, by this scheme (RFC 9110 §11.1), such as `Basic`.
    case httpAuthentication(String)
    /// A Timestamp in the message (SOAP Message Security 1.1 §10).
    case timestamp
    /// A UsernameToken in the message (UsernameToken Profile 1.1).
    case usernameToken(UsernameTokenForm)
    /// Header blocks of WS-Addressing.
    case addressing
    /// Binary content beside the envelope (MTOM).
    case mtom

    /// The contents of a UsernameToken besides the user's name.
    public enum UsernameTokenForm: Sendable, Hashable {
        /// Nothing: the token names the user and proves nothing (`sp:NoPassword`, WS-SecurityPolicy 1.2 §5.4.1).
        case noPassword
        /// The password as it is.
        case text
        /// The password as it is, a nonce and the time.
        case timedText
        /// A digest of the password, a nonce and the time.
        case digest
    }
}

extension ServiceRequirement: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tls: "TLS"
        case .clientCertificate: "a client certificate in TLS"
        case .httpAuthentication(let scheme): "HTTP authentication \(scheme)"
        case .timestamp: "a Timestamp"
        case .usernameToken(.noPassword): "a UsernameToken without a password"
        case .usernameToken(.text): "a UsernameToken with the password in text"
        case .usernameToken(.timedText): "a UsernameToken with the password in text, a nonce and the time"
        case .usernameToken(.digest): "a UsernameToken with a digest of the password"
        case .addressing: "header blocks of WS-Addressing"
        case .mtom: "MTOM"
        }
    }
}

extension ServiceRequirement {
    /// What to do to meet the requirement.
    var advice: String {
        switch self {
        case .tls: "give an address with https"
        case .clientCertificate: "give the configuration an identity"
        case .httpAuthentication: "give the configuration credentials in its authentication"
        case .timestamp, .usernameToken:
            "put a SecurityHeader(for:) of SignetWSSecurity, made for the port, among the header providers"
        case .addressing: "put an AddressingHeader among the header providers"
        case .mtom: "give the configuration MTOM in its attachments"
        }
    }
}

extension ServiceCaller {
    private static let security =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-wssecurity-secext-1.0.xsd"

    /// Checks the requirements on the connection to the service, before any header block is made.
    func checkWay(to endpoint: Endpoint, for operation: String, _ requirements: [ServiceRequirement]) throws {
        for requirement in requirements where !settings.metRequirements.contains(requirement) {
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
            default: break
            }
        }
    }

    /// Checks the requirements on the message.
    func checkMessage<Input>(of call: ServiceCall<Input>, _ requirements: [ServiceRequirement]) throws {
        guard call.version != nil else { return }
        for requirement in requirements where !settings.metRequirements.contains(requirement) {
            let isMet =
                switch requirement {
                case .timestamp, .usernameToken: call.hasBlock("Security", in: [Self.security])
                case .addressing: call.hasBlock("Action", in: AddressingVersion.all.map(\.namespace.uri))
                case .mtom: settings.attachments.mtomThreshold != nil
                case .tls, .clientCertificate, .httpAuthentication: true
                }
            if !isMet { throw unmet(requirement, call.operation, call.endpoint) }
        }
    }

    private func unmet(_ requirement: ServiceRequirement, _ operation: String, _ endpoint: Endpoint) -> ServiceError {
        ServiceError(
            .unmetRequirement,
            "The WSDL demands \(requirement) for the operation \(operation) at \(endpoint), and the call has none. Nothing was "
                + "sent: \(requirement.advice), or name it in metRequirements where Signet does not see how it is met, "
                + "as by a middleware that adds credentials, or where the service does not insist on it."
        )
    }
}

extension ServiceCall {
    /// Whether the call has a header block of that name, in one of these namespaces.
    fileprivate func hasBlock(_ localName: String, in namespaces: [String]) -> Bool {
        headerBlocks.contains { $0.localName == localName && namespaces.contains($0.namespaceURI) }
    }
}

/// A requirement of a port, or of one of its operations, on every call, from the policies of its WSDL (WS-Policy 1.5,
/// WS-SecurityPolicy 1.1 to 1.3). Generated code lists them. New cases may be added: keep a `default` when switching.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
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
    /// A token that a security token service issues, in the message (WS-Trust).
    case issuedToken(IssuedTokenDemand)
    /// Messages that are signed, or signed and encrypted, with certificates. That of an operation takes the place of that of its port.
    case asymmetricBinding(AsymmetricBinding)
    /// Another protection of messages, in words, that Signet does not do. A call is refused, because it would send the message with less than
    /// the WSDL demands; a program that meets the demand itself names it in ``CallSettings/uncheckedRequirements``.
    case unsupported(String)
    /// Header blocks of WS-Addressing.
    case addressing
    /// Binary content beside the envelope (MTOM).
    case mtom
}

extension ServiceRequirement: CustomStringConvertible {
    public var description: String {
        switch self {
        case .tls: "TLS"
        case .clientCertificate: "a client certificate in TLS"
        case .httpAuthentication(let scheme): "HTTP authentication \(scheme)"
        case .timestamp: "a Timestamp"
        case .usernameToken(let form): "a UsernameToken \(form)"
        case .issuedToken(let demand): demand.description
        case .asymmetricBinding(let binding): binding.description
        case .unsupported(let text): text
        case .addressing: "header blocks of WS-Addressing"
        case .mtom: "MTOM"
        }
    }
}

extension ServiceRequirement {
    /// Whether it is about the protection of messages, which only SOAP has.
    package var isAboutMessages: Bool {
        switch self {
        case .asymmetricBinding, .unsupported: true
        default: false
        }
    }
    package var asymmetricBinding: AsymmetricBinding? {
        if case .asymmetricBinding(let binding) = self { binding } else { nil }
    }

    /// What to do to meet the requirement.
    var advice: String {
        switch self {
        case .tls: "give an address with https"
        case .clientCertificate: "give the configuration an identity"
        case .httpAuthentication: "give the configuration credentials in its authentication"
        case .timestamp, .usernameToken:
            "put a SecurityHeader(for:) of SignetWSSecurity, made for the port, among the header providers"
        case .issuedToken:
            "put a SecurityHeader of SignetWSSecurity with issuedTokens among the header providers"
        case .asymmetricBinding:
            "put a SecurityHeader(for:) of SignetWSSecurity, made for the port with an identity, among the header providers"
        case .unsupported: "meet it by a provider of your own"
        case .addressing: "put an AddressingHeader among the header providers"
        case .mtom: "give the configuration MTOM in its attachments"
        }
    }
}

extension Sequence<ServiceRequirement> {
    /// How messages are signed and encrypted: the demand of an operation, which comes last, takes the place of that of its port.
    package var asymmetricBinding: AsymmetricBinding? {
        reduce(nil) { $1.asymmetricBinding ?? $0 }
    }
}

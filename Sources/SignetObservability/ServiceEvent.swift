#if Observability
public import SignetAuthentication
public import SignetHTTP
public import SignetTLS

/// What an operator should know about a service that the program calls, before or when calls fail.
///
/// It contains names of certificates, origins and codes: no secret, nothing from messages, and no text that a service wrote,
/// other than the names in its certificates. New cases may be added: keep a `default` when switching.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum ServiceEvent: Sendable, Hashable {
    /// At which end a certificate is.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Owner: String, Sendable, Hashable {
        /// The program itself.
        case client
        /// The service.
        case server
        /// The proxy on the way, where it uses TLS.
        case proxy
    }

    /// How the server or a proxy refused the client.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Refusal: Sendable, Hashable {
        /// The server requires a client certificate, and the client has none for it.
        case clientCertificateRequired
        /// The server refused the client certificate.
        case clientCertificateRefused
        /// HTTP authentication with the server did not succeed.
        case server(AuthenticationError.Code)
        /// HTTP authentication with the proxy did not succeed.
        case proxy(AuthenticationError.Code)
        /// The proxy opens no tunnel to the server.
        case proxyRefused
        /// The last answer has this status: 401, 403 or 407.
        case status(Int)
    }

    /// A certificate expires within its margin, or has expired. The time is in seconds since 1970 in UTC.
    case certificateExpires(Owner, subject: String, at: Int64, server: Origin)
    /// The client shows a certificate with the same subject as before, which expires later. The time is in seconds since
    /// 1970 in UTC.
    case certificateRenewed(subject: String, until: Int64, server: Origin)
    /// The pins for this server expire within their margin, or have expired; the client ignores them from then on. The
    /// time is in seconds since 1970 in UTC.
    case pinsExpire(at: Int64, server: Origin)
    /// Pins that are only reported match no certificate in the path. Enforced, they would end every call.
    case pinsDoNotMatch(Owner, message: String, server: Origin)
    /// The policy refuses the certificate, and an exception accepts it. The reason is that of the person who decided.
    case trustedByException(Owner, reason: String, server: Origin)
    /// The server, or the proxy on the way, is not trusted; the client sent it nothing.
    case notTrusted(TrustError.Code, server: Origin)
    /// The identity of the client cannot be used: it is expired or not for clients, or its source failed.
    case identityUnusable(server: Origin)
    /// The server or a proxy refused the client.
    case refused(Refusal, server: Origin)

    /// The name of the case, for a field of a log or a rule of an alarm.
    public var name: String {
        switch self {
        case .certificateExpires: "certificateExpires"
        case .certificateRenewed: "certificateRenewed"
        case .pinsExpire: "pinsExpire"
        case .pinsDoNotMatch: "pinsDoNotMatch"
        case .trustedByException: "trustedByException"
        case .notTrusted: "notTrusted"
        case .identityUnusable: "identityUnusable"
        case .refused: "refused"
        }
    }

    /// The origin of the service that the program called.
    public var server: Origin {
        switch self {
        case .certificateExpires(_, _, _, let server), .certificateRenewed(_, _, let server),
            .pinsExpire(_, let server), .pinsDoNotMatch(_, _, let server), .trustedByException(_, _, let server),
            .notTrusted(_, let server), .identityUnusable(let server), .refused(_, let server):
            server
        }
    }

    /// Whether the call to which the event belongs has failed.
    var isFailure: Bool {
        switch self {
        case .notTrusted, .identityUnusable, .refused: true
        default: false
        }
    }
}

extension ServiceEvent: CustomStringConvertible {
    public var description: String {
        switch self {
        case .certificateExpires(let owner, let subject, let end, _):
            "\(server): the certificate of the \(owner.rawValue), “\(subject)”, expires at \(UnixTime.text(end))"
        case .certificateRenewed(let subject, let end, _):
            "\(server): the client's certificate “\(subject)” was renewed, until \(UnixTime.text(end))"
        case .pinsExpire(let end, _): "\(server): pins expire at \(UnixTime.text(end))"
        case .pinsDoNotMatch(let owner, let message, _):
            "\(server): pins of the \(owner.rawValue) do not match (only reported): \(message)"
        case .trustedByException(let owner, let reason, _):
            "\(server): the \(owner.rawValue) is trusted by an exception (“\(reason)”)"
        case .notTrusted(let code, _): "\(server): the server, or the proxy on the way, is not trusted: \(code)"
        case .identityUnusable: "\(server): the client's identity cannot be used"
        case .refused(let refusal, _): "\(server): refused: \(refusal)"
        }
    }
}

extension ServiceEvent.Refusal: CustomStringConvertible {
    public var description: String {
        switch self {
        case .clientCertificateRequired: "the server requires a client certificate"
        case .clientCertificateRefused: "the server refused the client certificate"
        case .server(let code): "authentication with the server failed: \(code)"
        case .proxy(let code): "authentication with the proxy failed: \(code)"
        case .proxyRefused: "the proxy opens no tunnel"
        case .status(let status): "status \(status)"
        }
    }
}
#endif

public import SignetAuthentication
public import SignetSOAP
public import SignetTLS
import SignetXML
import Synchronization

/// Gets tokens for one service from a security token service (WS-Trust, Issue), and a new one before the last expires or when the service
/// refuses it. However many calls need a token, one request is sent at a time. When the token service refuses the client with a fault, no further
/// request is sent, for a time or for good. The transport remembers which credentials for HTTP were refused.
///
/// ```swift
/// let tokens = IssuedTokens(from: tokenService, TokenRequest(for: "https://records.example/documents"))
/// var security = SecurityHeader(lifetime: .seconds(300))
/// security.issuedTokens = tokens
/// ```
///
/// Over HTTP, the tokens are Bearer tokens: a JSON web token as it is, any other token in base64url (RFC 7522 §2.1).
public final class IssuedTokens: Sendable {
    /// A token, as it was kept.
    struct Kept: Sendable {
        let token: IssuedToken
        /// Later tokens have greater numbers.
        let number: UInt64
        /// How long before its expiry it is no longer used, in seconds.
        let leeway: Int64
        /// Since 1970.
        let issued: Duration
    }

    /// Whose key signs the messages that carry the tokens; nil for bearer tokens.
    public let holder: Identity?
    /// The tokens of requests that were sent and not answered yet.
    let pending = PendingValues<Kept>()
    private let issued: IssuedValue<Kept>
    private let isFixed: Bool

    private struct Refusals {
        /// The number of the last token that a service has refused.
        var last: UInt64 = 0
        /// The number of the last token that a service has accepted.
        var accepted: UInt64 = 0
        /// Until when no other token is asked for, because the service has refused one that was new.
        var pauseEnd: Duration?
    }

    private let refusals = Mutex(Refusals())
    private let now: @Sendable () -> Duration
    /// How long no token is asked for after a service has refused two tokens in a row, the second within this time after its issue.
    private static let pause = Duration.seconds(60)

    /// How long before its expiry a token is no longer used, in seconds; less for a token that is valid for less than ten times this long.
    private static let usualLeeway: Int64 = 60

    /// Asks a token service.
    ///
    /// - Parameters:
    ///   - service: calls the token service. It shows the identity by which the token service knows the client, or has a `SecurityHeader` for a
    ///     UsernameToken or a signature. Header blocks of WS-Addressing are added when no `AddressingHeader` is among its providers. Messages
    ///     are in SOAP 1.2, unless the caller's `version` says otherwise.
    ///   - request: what to ask for.
    ///   - allowsPlaintext: allows a token service over plain HTTP, where an attacker on the network path can take the tokens.
    public convenience init(
        from service: ServiceCaller, _ request: TokenRequest, allowsPlaintext: Bool = false
    ) {
        let query = TokenQuery(service, request, allowsPlaintext: allowsPlaintext) { .systemTime }
        self.init(query)
    }

    init(_ query: TokenQuery) {
        (holder, isFixed, now) = (query.request.holder, false, query.now)
        let numbers = Atomic<UInt64>(0)
        issued = IssuedValue { kept in
            kept.token.isValid(at: query.now().wholeSeconds, leeway: kept.leeway)
        } refusal: { error in
            query.refusal(error)
        } request: {
            let token = try await query.send()
            let left = token.expires.map { $0.subtractingClamped(query.now().wholeSeconds) } ?? .max
            let number = numbers.wrappingAdd(1, ordering: .relaxed).newValue
            return Kept(
                token: token, number: number, leeway: min(Self.usualLeeway, left / 10), issued: query.now())
        }
    }

    /// Keeps a token that the program has. When it has expired, calls end with an error.
    public init(_ token: IssuedToken) {
        (holder, isFixed, now) = (token.holder, true, { .systemTime })
        issued = IssuedValue(keeping: Kept(token: token, number: 1, leeway: 0, issued: .zero)) { kept in
            kept.token.isValid(at: Duration.systemTime.wholeSeconds, leeway: 0)
        } refusal: { _ in
            nil
        } request: {
            throw WSSecurityError(
                .unusableToken,
                "\(token) has expired, and there is no token service that issues another: give a new token."
            )
        }
    }

    /// A token that can be used now. Use it for something else than the messages of a ``SecurityHeader``, such as keeping it for a time without
    /// a network (``IssuedToken/exported()``).
    ///
    /// - Throws: ``WSSecurityError`` with `noToken` or `unusableToken`, and the errors of the call of the token service; `CancellationError`.
    public func token() async throws -> IssuedToken { try await kept().token }

    func kept() async throws -> Kept {
        let (last, isPaused) = refusals.withLock { refusals in
            (refusals.last, refusals.pauseEnd.map { now() < $0 } ?? false)
        }
        return try await issued.value { $0.number <= last && !isPaused }
    }

    /// Whether there is a token in place of one that a service has refused. The caller gets the service's refusal otherwise, which says more
    /// than an error of the token service.
    func hasOther(than refused: Kept) async -> Bool {
        guard let other = try? await kept() else { return false }
        return other.number != refused.number
    }

    /// A service has refused the token, which is not used any more. Where it has refused one that was new, another would not help either.
    func refuse(_ kept: Kept) {
        guard !isFixed else { return }
        refusals.withLock { refusals in
            guard kept.number > refusals.last else { return }
            let isNew = now() - kept.issued < Self.pause
            if isNew, refusals.last > 0, refusals.accepted <= refusals.last { refusals.pauseEnd = now() + Self.pause }
            refusals.last = kept.number
        }
    }

    /// A service has accepted the token.
    func accept(_ kept: Kept) {
        refusals.withLock { refusals in
            refusals.accepted = max(refusals.accepted, kept.number)
            if kept.number > refusals.last { refusals.pauseEnd = nil }
        }
    }
}

extension IssuedTokens: TokenSource {
    public func token(for question: CredentialQuestion) async throws -> AccessToken {
        guard holder == nil else {
            throw AuthenticationError(
                .invalidCredentials,
                "The tokens for \(question.space) are for the holder of a key, which HTTP cannot prove: ask for bearer tokens."
            )
        }
        var kept = try await kept()
        if let text = question.refusedToken, try kept.token.accessToken().isValue(text) {
            refuse(kept)
            kept = try await self.kept()
        }
        return try kept.token.accessToken()
    }
}

extension IssuedToken {
    /// The token as one of HTTP.
    func accessToken() throws(WSSecurityError) -> AccessToken {
        guard content.isElement(SecurityName.binarySecurityToken) else {
            let text = Text.base64(content.bytes).replacing("+", with: "-").replacing("/", with: "_")
            return AccessToken(text.filter { $0 != "=" }, expires: expires)
        }
        let encoding = content.attribute("EncodingType")
        guard encoding == nil || encoding == SecurityName.base64Binary,
            let bytes = Text.bytes(base64: content.text.utf8), let text = String(validating: bytes, as: UTF8.self)
        else { throw WSSecurityError(.unusableToken, "\(self) is no text in base64, and cannot be sent over HTTP.") }
        return AccessToken(text, expires: expires)
    }

    /// How a signature of the holder's key names the token (SAML Token Profile 1.1 §3.4, §3.5.2).
    ///
    /// - Parameter identifier: that of the `SecurityTokenReference`; nil for none.
    func text(
        identifier: String?
    ) throws(WSSecurityError) -> (keyInfo: String, token: String, tokenIdentifier: String) {
        let id = identifier.map { " xmlns:wsu=\"\(SecurityName.utility.uri)\" wsu:Id=\"\($0)\"" } ?? ""
        if let assertion {
            let names = assertion.version.names
            let begin =
                "<wsse:SecurityTokenReference xmlns:wsse=\"\(SecurityName.extensions.uri)\" xmlns:wsse11=\"\(SecurityName.extensions11.uri)\" wsse11:TokenType=\"\(names.tokenType.rawValue)\"\(id)>"
            let content =
                "<wsse:KeyIdentifier ValueType=\"\(names.keyIdentifierType)\">\(assertion.identifier)</wsse:KeyIdentifier>"
            return ("\(begin)\(content)</wsse:SecurityTokenReference>", "", assertion.identifier)
        }
        guard let reference else {
            throw WSSecurityError(
                .cannotSign,
                "\(self) is no assertion that can be read, and the token service does not say how a signature refers to it."
            )
        }
        guard identifier == nil else {
            throw WSSecurityError(
                .cannotSign,
                "\(self) cannot be read, and so not be signed: take signingToken out of the parts of the SignatureProfile."
            )
        }
        return (String(decoding: reference.bytes, as: UTF8.self), "", "")
    }
}

extension SOAPFault {
    /// Whether the service refuses a token of the request: the codes of SOAP Message Security 1.1 §12, and the one that WSS4J has in place of all of
    /// them.
    var refusesToken: Bool { ([code] + subcodes).contains { Self.tokenRefusals.contains($0) } }

    private static let tokenRefusals: Set<SOAPFault.Code> = [
        .failedAuthentication, .invalidSecurityToken, .securityTokenUnavailable, .invalidSecurity,
        SOAPFault.Code(namespaceURI: "http://ws.apache.org/wss4j", localName: "SecurityError"),
    ]
}

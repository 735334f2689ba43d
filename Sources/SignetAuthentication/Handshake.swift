import SwiftASN1

/// One handshake of a scheme that takes several messages over one connection.
struct Handshake: Sendable {
    private enum Mechanism: Sendable {
        case ntlm(NTLMClient.Account)
        /// NTLM within Negotiate.
        case wrapped(NTLMClient.Account)
        case system(any NegotiateContext)
    }

    /// ``AuthenticationChannel/number``
    let channel: Int
    let scheme: AuthenticationScheme
    private let space: ProtectionSpace
    private let binding: [UInt8]?
    private let mechanism: Mechanism
    private var hasAnswered = false
    private var rounds = 0
    /// More rounds than any mechanism takes.
    private static let maximumRounds = 8
    /// The session after a complete NTLM handshake.
    private var session: NTLMClient.Session?
    /// Whether ``message`` proves the user's identity; a first message only announces the proof.
    var isDecisive: Bool {
        switch mechanism {
        case .ntlm, .wrapped: hasAnswered
        case .system: true
        }
    }
    /// Whether a refusal of ``message`` means that the password is wrong; for a ticket it does not.
    var provesPassword: Bool {
        switch mechanism {
        case .ntlm, .wrapped: hasAnswered
        case .system: false
        }
    }
    /// The message of the next request.
    private(set) var message: [UInt8]?

    static func ntlm(
        _ account: Credentials.Account, at space: ProtectionSpace, over channel: AuthenticationChannel
    ) -> Handshake {
        .init(channel, .ntlm, space, .ntlm(.init(account)), message: NTLMClient.negotiation)
    }

    static func ntlmWithinNegotiate(
        _ account: Credentials.Account, at space: ProtectionSpace, over channel: AuthenticationChannel
    ) throws -> Handshake {
        .init(
            channel, .negotiate, space, .wrapped(.init(account)),
            message: try SPNEGO.initial(SPNEGO.ntlm, token: NTLMClient.negotiation))
    }

    static func kerberos(
        _ kerberos: any NegotiateMechanism, _ credentials: Credentials, at space: ProtectionSpace,
        over channel: AuthenticationChannel
    ) async throws -> Handshake {
        // A proxy's answer to CONNECT has no field for a proof.
        let context = try await kerberos.context(
            host: space.host, credentials: credentials, channelBinding: channel.binding, mutual: !space.isProxy)
        let message = try await context.step(nil).map { try SPNEGO.initial(SPNEGO.kerberos, token: $0) }
        return .init(channel, .negotiate, space, .system(context), message: message)
    }

    private init(
        _ channel: AuthenticationChannel, _ scheme: AuthenticationScheme, _ space: ProtectionSpace,
        _ mechanism: Mechanism, message: [UInt8]?
    ) {
        self.channel = channel.number
        self.scheme = scheme
        self.space = space
        binding = channel.binding
        self.mechanism = mechanism
        self.message = message
    }

    /// Processes the peer's answer to ``message``. Afterwards, ``message`` is nil if the handshake has no further
    /// message.
    mutating func take(_ token: [UInt8]) async throws {
        defer { hasAnswered = true }
        rounds += 1
        guard rounds <= Self.maximumRounds else {
            throw AuthenticationError(
                .malformedChallenge, "\(space) continues \(scheme) without end; the client ended it.", space: space)
        }
        switch mechanism {
        case .ntlm(let account):
            message = hasAnswered ? nil : try answer(account, token).message
        case .wrapped(let account):
            let said = try inner(of: token, SPNEGO.ntlm)
            guard let said, !hasAnswered else { return message = nil }
            let (answer, session) = try answer(account, said)
            // A client that sends a code in NTLM's last message must send this one too (MS-SPNG).
            let code = session.signature(of: try SPNEGO.list(SPNEGO.ntlm), toServer: true)
            message = try SPNEGO.response(token: answer, code: code)
            self.session = session
        case .system(let context):
            guard let said = try inner(of: token, SPNEGO.kerberos), !context.isComplete else { return message = nil }
            message = try await context.step(said).map { try SPNEGO.response(token: $0) }
        }
    }

    /// Whether the peer answers the client's last message with an NTLM challenge: it began again, and has not checked
    /// the password. An answer that cannot be read does not count.
    func beginsAnew(with token: [UInt8]) -> Bool {
        guard hasAnswered else { return false }
        let said: [UInt8]?
        switch mechanism {
        case .ntlm: said = token
        case .wrapped:
            let answer = try? SPNEGO.ServerToken(token, space: space)
            said = answer?.state == .rejected ? nil : answer?.token
        case .system: return false
        }
        guard let said else { return false }
        return (try? NTLMChallenge(said, space: space)) != nil
    }

    /// The peer's token of a mechanism within SPNEGO; nil when it sends none, or refuses.
    private func inner(of token: [UInt8], _ mechanism: ASN1ObjectIdentifier) throws(AuthenticationError) -> [UInt8]? {
        let answer = try SPNEGO.ServerToken(token, space: space)
        if answer.state == .rejected { return nil }
        guard answer.mechanism.map({ $0 == mechanism }) ?? true else {
            throw AuthenticationError(
                .noUsableScheme,
                "\(space) wants another mechanism within Negotiate than \(mechanism == SPNEGO.ntlm ? "NTLM, and there is no ticket for Kerberos" : "Kerberos").",
                space: space, offeredSchemes: ["Negotiate"])
        }
        return answer.token
    }

    private func answer(_ account: NTLMClient.Account, _ token: [UInt8]) throws(AuthenticationError)
        -> (message: [UInt8], session: NTLMClient.Session)
    {
        NTLMClient.authentication(
            account, for: try NTLMChallenge(token, space: space), service: "HTTP/\(space.host)",
            channelBinding: binding, .now())
    }

    /// Checks the peer's proof in its successful answer.
    ///
    /// - Throws: ``AuthenticationError`` with `peerNotProved` when the peer must prove its identity and has not.
    func verify(_ token: [UInt8]?) async throws {
        if let session, let token {
            let expected = session.signature(of: try SPNEGO.list(SPNEGO.ntlm), toServer: false)
            // A token that cannot be read proves nothing either.
            let said = try? SPNEGO.ServerToken(token, space: space)
            guard let said, said.code.map({ ConstantTime.equal($0, expected) }) ?? true else {
                throw AuthenticationError(
                    .peerNotProved,
                    "\(space) has accepted the credentials, and its own code over them is wrong (RFC 4178 §5). An attacker may intercept the connection.",
                    space: space)
            }
        }
        guard case .system(let context) = mechanism else { return }
        do {
            if let token, let said = try inner(of: token, SPNEGO.kerberos), !context.isComplete {
                _ = try await context.step(said)
            }
        } catch {
            throw AuthenticationError(
                .peerNotProved,
                "\(space) has accepted the ticket, and its own proof does not hold (RFC 4559 §5). An attacker may intercept the connection.",
                space: space, cause: error)
        }
        guard space.isProxy || context.isComplete else {
            throw AuthenticationError(
                .peerNotProved,
                "\(space) has accepted the ticket without proving that it could read it (RFC 4559 §5). An attacker may intercept the connection.",
                space: space)
        }
    }
}

extension NTLMClient.Account {
    fileprivate init(_ account: Credentials.Account) {
        self.init(user: account.split.user, domain: account.split.domain, password: account.password)
    }
}

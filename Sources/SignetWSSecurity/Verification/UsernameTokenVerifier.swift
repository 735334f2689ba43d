import Crypto
public import SignetCredentials
public import SignetSOAP

/// Accepts only requests whose `Security` header block has a UsernameToken with the right password (UsernameToken
/// Profile 1.1) that is fresh and was not sent before.
///
/// ```swift
/// let dispatcher = WebEase.dispatcher(Diary()).verified(
///     by: UsernameTokenVerifier { user in try await accounts.password(of: user) })
/// ```
///
/// A handler finds the user in ``/SignetSOAP/PeerDescription/user``. Nothing binds a token to the rest of its message:
/// without TLS, an attacker on the network path can attach the token to another body. A `SOAPServer` gives out its WSDL
/// without this check, because a request for the WSDL has no header blocks.
public struct UsernameTokenVerifier: Sendable {
    private enum Passwords: Sendable {
        case known(@Sendable (_ user: String) async throws -> String?)
        case checked(@Sendable (_ user: String, _ password: String) async throws -> Bool)
        case accounts(Accounts)
    }

    /// The forms that are accepted. A token without a password never is: with ``/SignetSOAP/UsernameTokenForm/noPassword``, every request
    /// ends with an internal error.
    public var forms: Set<UsernameTokenForm>
    /// How old the Timestamp and the `Created` of a UsernameToken may be, and how far they may be ahead of the local
    /// clock.
    public var freshness = Freshness()
    /// Whether each message must have a Timestamp. A Timestamp that is present is always checked.
    public var requiresTimestamp = false
    /// The cache of nonces. Use one cache for all services that accept the same passwords: a digest does not say for
    /// which of them it was made.
    public var replayCache: any ReplayCache
    private let passwords: Passwords
    /// Returns the current time, since 1970.
    var now: @Sendable () -> Duration = { .systemTime }

    /// Accepts digests, and passwords in text.
    ///
    /// - Parameters:
    ///   - replayCache: the cache of nonces; by default, the one that this process shares.
    ///   - password: returns the password of a user, or nil when there is no user of this name or the account is
    ///     disabled. It should take equally long in both cases, so that the time reveals nothing. An error that it
    ///     throws is logged, and the client gets an internal error.
    public init(
        replayCache: any ReplayCache = MemoryReplayCache.shared,
        password: @escaping @Sendable (_ user: String) async throws -> String?
    ) {
        self.replayCache = replayCache
        passwords = .known(password)
        forms = [.digest, .text, .textWithNonce]
    }

    /// Accepts passwords in text only, for services that store no more than a hash of them.
    ///
    /// - Parameters:
    ///   - replayCache: the cache of nonces; by default, the one that this process shares.
    ///   - check: says whether the password is that of the user.
    public init(
        replayCache: any ReplayCache = MemoryReplayCache.shared,
        checking check: @escaping @Sendable (_ user: String, _ password: String) async throws -> Bool
    ) {
        self.replayCache = replayCache
        passwords = .checked(check)
        forms = [.text, .textWithNonce]
    }

    /// Accepts the passwords of accounts: digests when their ``/SignetCredentials/Accounts/verifiers`` have `password`, and passwords in text.
    /// Nonces are remembered in the accounts' state.
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `unsupported` when the verifiers have neither `hash` nor `password`.
    public init(accounts: Accounts) throws {
        guard !accounts.verifiers.isDisjoint(with: [.hash, .password]) else {
            throw CredentialStoreError(
                .unsupported,
                "The accounts cannot verify UsernameTokens: add .hash or .password to their verifiers, and set the passwords anew."
            )
        }
        replayCache = accounts.state
        passwords = .accounts(accounts)
        forms = [.text, .textWithNonce]
        if accounts.verifiers.contains(.password) { forms.insert(.digest) }
    }
}

extension UsernameTokenVerifier: RequestVerifier {
    public var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }

    public func verify(_ context: inout OperationContext) async throws {
        guard !forms.contains(.noPassword) else {
            throw WSSecurityError(
                .missingCredentials,
                "forms of the UsernameTokenVerifier has noPassword: a token without a password proves nothing.")
        }
        do {
            let user = try await user(of: context)
            if context.peer.issuer != nil, context.peer.user != user {
                throw SecurityDefect(.invalidSecurityToken, "the UsernameToken names another user than the assertion")
            }
            context.peer.user = user
        } catch let defect as SecurityDefect {
            throw defect.refusal
        }
    }

    private func user(of context: OperationContext) async throws -> String {
        let blocks = context.headerBlocks(SecurityName.security)
        guard let block = blocks.first else { throw SecurityDefect(.invalidSecurity, "no Security header block") }
        // The standard does not say which of several blocks counts (SOAP Message Security 1.1 §5).
        guard blocks.count == 1 else { throw SecurityDefect(.invalidSecurity, "several Security header blocks") }
        let security = try ReceivedSecurity(block.fragment)
        if block.mustUnderstand, let unknownElement = security.unknownElement {
            throw SecurityDefect(.unsupportedSecurityToken, "“\(unknownElement)” in the header block is not understood")
        }
        let now = now()
        if security.timestamp == nil, requiresTimestamp { throw SecurityDefect(.invalidSecurity, "no Timestamp") }
        try security.timestamp?.check(freshness, now: now)
        guard let token = security.usernameToken else { throw SecurityDefect(.invalidSecurity, "no UsernameToken") }
        try checkForm(of: token, now)
        // Only tokens with the right password are remembered, so that strangers cannot fill the cache.
        if let problem = try await problem(with: token) { throw SecurityDefect(.failedAuthentication, problem) }
        // Checking the password may have taken a while.
        let later = self.now()
        try checkForm(of: token, later)
        try await refuseReplay(of: token, later)
        return token.user
    }

    private func checkForm(of token: ReceivedUsernameToken, _ now: Duration) throws(SecurityDefect) {
        guard forms.contains(token.form) else {
            throw SecurityDefect(.unsupportedSecurityToken, "passwords in this form are not accepted")
        }
        if token.form == .digest, token.nonce == nil || token.created == nil {
            throw SecurityDefect(.invalidSecurityToken, "a digest without Nonce or Created could be sent again")
        }
        if token.nonce != nil, token.created == nil {
            throw SecurityDefect(.invalidSecurityToken, "a Nonce without Created names no time of expiry")
        }
        // Two spellings of a name could look alike: one would be checked as the account, and a handler would get the
        // other.
        guard !token.user.unicodeScalars.contains(where: \.isUnprintable), token.user.first?.isWhitespace != true,
            token.user.last?.isWhitespace != true
        else {
            throw SecurityDefect(
                .invalidSecurityToken,
                "the user name “\(token.user.printable)” has white space around it, or is unprintable")
        }
        if let created = token.created {
            try freshness.check("the UsernameToken", created: created.value.moment, now: now)
        }
    }

    /// Why a password is wrong, for the log; nil when it is right.
    private func problem(with token: ReceivedUsernameToken) async throws -> String? {
        let name = token.user.printable
        switch passwords {
        case .known(let password):
            // An empty password marks an account that is disabled.
            let found = try await password(token.user).flatMap { $0.isEmpty ? nil : $0 }
            // The same work is done for an unknown user, so that the time taken reveals nothing.
            let isRight = Self.isRight(token, found ?? "")
            guard found != nil else { return "there is no user “\(name)”" }
            return isRight ? nil : "wrong password for user “\(name)”"
        case .checked(let check):
            guard token.form.isText else { return "a digest cannot be checked without the password" }
            return try await check(token.user, token.password) ? nil : "wrong password for user “\(name)”"
        case .accounts(let accounts):
            switch try await finding(token, accounts) {
            case .accepted: return nil
            case .refused(let reason): return reason
            }
        }
    }

    private func finding(_ token: ReceivedUsernameToken, _ accounts: Accounts) async throws -> Accounts.Finding {
        do {
            guard token.form == .digest else {
                return try await accounts.check(token.user, password: SecretBytes(token.password))
            }
            return try await accounts.check(token.user) { account in
                let password = account?.password?.text
                let isRight = Self.isRight(token, password ?? "")
                return password == nil ? nil : isRight
            }
        } catch let error as CredentialStoreError where error.code == .busy {
            throw RequestRefusal.busy(error.message)
        }
    }

    private static func isRight(_ token: ReceivedUsernameToken, _ password: String) -> Bool {
        guard token.form == .digest else {
            return isSame(Array(token.password.utf8), Array(password.utf8))
        }
        let expected = PasswordDigest.bytes(
            nonce: token.nonce ?? [], created: token.created?.text ?? "", password: password)
        return isSame(ReceivedUsernameToken.base64(token.password) ?? [], expected)
    }

    /// Compares digests of both, in a time that reveals neither where they differ nor the length of the expected value.
    private static func isSame(_ presented: [UInt8], _ expected: [UInt8]) -> Bool {
        SHA256.hash(data: presented) == SHA256.hash(data: expected)
    }

    private func refuseReplay(of token: ReceivedUsernameToken, _ now: Duration) async throws {
        guard let nonce = token.nonce else { return }
        // The key covers exactly what the digest covers besides the password. The boundary between nonce and time is
        // not digested and could be moved. The user is not digested either: an attacker could spell the name
        // differently, or use another user with the same password.
        let key = Array(SHA256.hash(data: nonce + Array((token.created?.text ?? "").utf8)))
        let last = (token.created?.value.moment ?? now + freshness.maximumClockLead) + freshness.maximumAge
        try await replayCache.refuse(
            key, freshUntil: last, now: now,
            SecurityDefect(
                .invalidSecurityToken, "the UsernameToken of “\(token.user.printable)” was sent before"))
    }
}

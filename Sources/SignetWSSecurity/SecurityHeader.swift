public import SignetSOAP
import SignetTLS

/// The header block `Security` that a client sends with each attempt of a call (SOAP Message Security 1.1 §5): a
/// UsernameToken, a Timestamp or both, with a new nonce and the time of the attempt, a signature, and an encryption.
///
/// ```swift
/// var service = try ServiceConfiguration("https://camera.example/onvif/device_service")
/// service.headerProviders = [SecurityHeader(.init(.digest, user: "admin", password: password))]
/// ```
///
/// The client understands a `Security` header block in an answer. One marked `mustUnderstand` may contain a Timestamp
/// only, which the client checks; with ``answers``, the client verifies the signature of each answer.
public struct SecurityHeader: Sendable {
    /// The token to send; nil sends no token.
    public var usernameToken: UsernameToken?
    /// Further tokens, such as SAML assertions that a token service has signed. The message carries them byte for byte.
    ///
    /// A token that anyone may use who has it goes over plain HTTP only with ``allowsPlaintext``.
    public var tokens: [XMLFragment] = []
    /// The token to send that a security token service issues for this service; nil sends none. Where the token is for the holder of a key, that key signs the
    /// messages, and the signature leads to the token: set ``signature`` with the same identity to choose what is signed and how.
    ///
    /// When the service refuses the token, the client gets another one, and sends the message once more.
    public var issuedTokens: IssuedTokens?
    /// How long after its creation the message expires; nil sends no Timestamp.
    public var lifetime: Duration?
    /// Whether the receiver must answer with a fault when it does not know WS-Security.
    public var mustUnderstand = true
    /// The role that the block is addressed to; nil for the ultimate receiver.
    public var role: SOAPRole?
    /// Whether times are written with milliseconds. Some servers cannot read milliseconds.
    public var writesMilliseconds = true
    /// Allows sending over plain HTTP a password in text, which an attacker on the network path can read, or a digest,
    /// from which an attacker can guess the password. A digest needs no permission on a connection that does not leave
    /// this machine, or when ``encryption`` names the UsernameToken and hides its digest in a signature.
    public var allowsPlaintext = false
    /// Signs the messages; nil sends them unsigned, or as a WSDL demands it (``init(for:user:password:identity:answers:encryptingFor:clock:)``). A signed message has no MTOM, and is not sent in pieces.
    public var signature: SignatureProfile?
    /// Encrypts the messages, after they are signed; nil sends them unencrypted, or as a WSDL demands it. An encrypted message has no attachments, and is
    /// not sent in pieces.
    public var encryption: EncryptionProfile?
    /// Allows signatures with SHA-1 where the policies of the WSDL demand them. SHA-1 no longer protects against a signer who makes two
    /// messages with one signature.
    public var allowsSHA1 = false
    /// What must be signed in the answers, and by whom; nil takes answers without a signature, unless a WSDL demands one. With it, a fault that is not
    /// signed ends a call with `ServiceError.unverifiedFault`, and an answer with MTOM is refused. An answer without
    /// content, as to a one-way message, has no signature.
    public var answers: SignaturePolicy?
    /// Whether each answer must confirm the signature of its request (SOAP Message Security 1.1 §8.5), which binds the
    /// answer to the request. Needs ``signature`` and ``answers``.
    public var requiresConfirmation = false
    /// The values of the signatures of requests whose answers must confirm them.
    private let pending = PendingValues<[UInt8]>()
    /// The clock of the receiver of the message.
    public var clock: ServerClock
    /// How old the Timestamp of an answer may be; nil for the default of ``Freshness``. Where ``answers`` are set, their
    /// ``SignaturePolicy/freshness`` says so: a call with both throws ``WSSecurityError`` with `cannotSign`.
    public var freshness: Freshness?
    /// What the policies of a WSDL demand, which replaces the properties above; nil when the properties above are sent.
    var demanded: DemandedSecurity?

    /// - Parameters:
    ///   - usernameToken: the token to send; nil sends no token.
    ///   - lifetime: how long after it is made the message expires; nil sends no Timestamp.
    ///   - clock: the clock of the receiver; unless given, the client assumes that the receiver's clock agrees with its
    ///     own.
    public init(_ usernameToken: UsernameToken? = nil, lifetime: Duration? = nil, clock: ServerClock = ServerClock()) {
        self.usernameToken = usernameToken
        self.lifetime = lifetime
        self.clock = clock
    }
}

extension SecurityHeader: HeaderBlockProvider {
    public var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }

    public var verifiesAnswers: Bool { answers != nil }
    public var needsWholeMessages: Bool {
        signature != nil || encryption != nil || answers != nil || requiresConfirmation || demanded?.identity != nil
            || issuedTokens?.holder != nil
    }

    public func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock] {
        let protection = try protection(for: attempt)
        guard !protection.requiresConfirmation || protection.signature != nil && protection.answers != nil else {
            throw WSSecurityError(
                .cannotSign,
                "requiresConfirmation of the SecurityHeader has no effect without signature and answers. Nothing was sent."
            )
        }
        guard freshness == nil || protection.answers == nil else {
            throw WSSecurityError(
                .cannotSign,
                "freshness of the SecurityHeader has no effect with answers: set freshness of the answers. Nothing was sent."
            )
        }
        // What says how old an answer is must not come from an answer that an attacker has kept.
        guard
            protection.answers == nil || clock.sources.isEmpty
                || protection.requiresConfirmation && clock.sources == .timestamp
        else {
            throw WSSecurityError(
                .cannotSign,
                "The clock of the SecurityHeader learns from answers that need not be fresh: let it learn from timestamps only and set requiresConfirmation, or set the clock by the program. Nothing was sent."
            )
        }
        try protection.answers?.decryption?.check()
        let (usernameToken, lifetime) = try parts(for: attempt)
        if let usernameToken { try check(usernameToken, protection, attempt) }
        try checkTokens(attempt)
        let issued = try await issuedTokens?.kept()
        if let issued {
            try checkBearer(issued.token, attempt)
            issuedTokens?.pending.add(issued, of: attempt.number)
        }
        guard
            usernameToken != nil || !tokens.isEmpty || issued != nil || lifetime != nil || protection.signature != nil
                || protection.encryption != nil
        else { return [] }
        let account = try await usernameToken?.account(for: attempt)
        let now = clock.now
        let created = try text(now)
        let expires = try lifetime.map { try text(now + $0) }
        do {
            let fragment = try XMLFragment { writer in
                writer.security { writer in
                    if let expires { writer.timestamp(created: created, expires: expires) }
                    writer.wildcard(tokens)
                    if let issued { writer.wildcard(issued.token.content) }
                    if let account, let usernameToken {
                        writer.token(usernameToken, account.user, account.password, created: created)
                    }
                }
            }
            return [HeaderBlock(fragment, mustUnderstand: mustUnderstand, role: role)]
        } catch {
            throw WSSecurityError(
                .unwritable,
                "The user name or the password for \(attempt.endpoint) cannot stand in a message: \(error)",
                cause: error)
        }
    }

    public func protect(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage {
        var message = message
        let protection = try protection(for: attempt)
        try protection.encryption?.check(message)
        if let signature = protection.signature {
            let token = issuedTokens?.pending[attempt.number]?.token
            if let holder = token?.holder, !signature.isOf(holder) {
                throw WSSecurityError(
                    .cannotSign,
                    "The signature of the SecurityHeader is not one of “\(holder.leaf.subject)”, to whose key the token is bound. Nothing was sent: make the SignatureProfile with the same identity."
                )
            }
            let signed = try await signature.sign(message, role: role, by: token?.holder == nil ? nil : token)
            if protection.requiresConfirmation { pending.add(signed.value, of: attempt.number) }
            message.envelope = signed.envelope
        }
        if let encryption = protection.encryption {
            message.envelope = try encryption.encrypt(message.envelope, role: role)
        }
        return message
    }

    public func verify(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage {
        let protection = try protection(for: attempt)
        guard let answers = protection.answers else { return message }
        let value = pending.remove(attempt.number)
        do {
            let opened = try answers.open(message, now: clock.now)
            // A request in which nothing was to be signed is confirmed by no value.
            let isConfirmed =
                value.map { opened.confirmed == [$0] || $0.isEmpty && opened.confirmed.isEmpty } ?? false
            guard !protection.requiresConfirmation || isConfirmed else {
                throw SecurityDefect(.failedCheck, "it does not confirm the signature of the request")
            }
            return SOAPMessage(opened.envelope, attachments: opened.attachments)
        } catch let defect as SecurityDefect {
            throw WSSecurityError(
                .invalidAnswer,
                "The answer of \(attempt.endpoint) is not signed or encrypted as demanded: \(defect.reason).")
        }
    }

    /// Refuses a token that its holder can use by his key, and anyone else without it.
    private func checkBearer(_ token: IssuedToken, _ attempt: CallAttempt) throws(WSSecurityError) {
        guard attempt.endpoint.origin.scheme == .http, !allowsPlaintext,
            token.assertion?.confirmations.contains(where: \.isBearer) == true
        else { return }
        throw WSSecurityError(
            .plaintextRefused,
            "The token for \(attempt.endpoint) was not sent, because an attacker on the network path could take it and use it as its bearer: use https, or set allowsPlaintext of the SecurityHeader (signet: --wss-allow-plaintext)."
        )
    }

    /// Refuses tokens that an attacker on the network path could take.
    private func checkTokens(_ attempt: CallAttempt) throws(WSSecurityError) {
        let isIssued = issuedTokens.map { $0.holder == nil } ?? false
        guard attempt.endpoint.origin.scheme == .http, isIssued || !tokens.isEmpty, !allowsPlaintext else { return }
        let name = tokens.first.map { " “\($0.localName.printable)”" } ?? ""
        throw WSSecurityError(
            .plaintextRefused,
            "The token\(name) for \(attempt.endpoint) was not sent, because an attacker on the network path could take it and use it: use https, or set allowsPlaintext of the SecurityHeader (signet: --wss-allow-plaintext)."
        )
    }

    /// Refuses a token that would reveal the password, or let an attacker guess it, without permission.
    private func check(
        _ token: UsernameToken, _ protection: MessageProtection, _ attempt: CallAttempt
    ) throws(WSSecurityError) {
        guard attempt.endpoint.origin.scheme == .http, token.form != .noPassword, !allowsPlaintext,
            !protection.hidesToken, token.form.isText || !attempt.isLocal
        else { return }
        let what =
            token.form.isText
            ? "The password for \(attempt.endpoint) was not sent, because an attacker on the network path could read it"
            : "The digest of the password for \(attempt.endpoint) was not sent, because an attacker on the network path could guess the password from it"
        throw WSSecurityError(
            .plaintextRefused,
            "\(what): use https, or set allowsPlaintext of the SecurityHeader (signet: --wss-allow-plaintext).")
    }

    public func received(_ answer: AnswerHead) throws {
        (usernameToken?.refusals ?? demanded?.refusals)?.learn(from: answer)
        if let issuedTokens, let attempt = answer.attempt, let token = issuedTokens.pending[attempt.number] {
            if answer.fault?.refusesToken == true {
                issuedTokens.refuse(token)
            } else {
                issuedTokens.pending.remove(attempt.number)
                if answer.fault == nil, (200..<300).contains(answer.status) { issuedTokens.accept(token) }
            }
        }
        let blocks = answer.headerBlocks.filter { $0.fragment.isElement(SecurityName.security) && $0.isFor([]) }
        let read = blocks.map { block in (block, Result { try ReceivedSecurity(block.fragment) }) }
        // The clock is read before this answer can change it.
        let now = clock.now
        clock.learn(from: answer, timestamp: read.lazy.compactMap { try? $0.1.get().timestamp }.first)
        for (block, result) in read where block.mustUnderstand {
            do {
                let security = try result.get()
                if let unknownElement = security.unknownElement ?? security.usernameToken.map({ _ in "UsernameToken" })
                {
                    throw SecurityDefect(.unsupportedSecurityToken, "it holds “\(unknownElement)”")
                }
                try security.timestamp?.check(freshness ?? Freshness(), now: now)
            } catch let defect as SecurityDefect {
                let advice =
                    defect.code == .unsupportedSecurityToken ? " Set answers of the SecurityHeader to verify it." : ""
                throw WSSecurityError(
                    .invalidAnswer, "The Security header block of the answer is invalid: \(defect.reason).\(advice)")
            }
        }
    }

    public func wantsAnotherAttempt(after answer: AnswerHead) async -> Bool {
        guard let issuedTokens, let attempt = answer.attempt, let token = issuedTokens.pending.remove(attempt.number),
            let fault = answer.fault, fault.refusesToken,
            // An attacker who can answer in place of the service must not have the client act twice.
            attempt.endpoint.origin.scheme == .https || attempt.isLocal || verifiesAnswers
        else { return false }
        // The service may as well mean the password, which must not be sent again.
        let sentPassword = usernameToken != nil || demanded?.user != nil || demanded?.account != nil
        guard !sentPassword || !([fault.code] + fault.subcodes).contains(.failedAuthentication) else { return false }
        return await issuedTokens.hasOther(than: token)
    }

    private func text(_ moment: Duration) throws(WSSecurityError) -> String {
        guard let text = XSDDateTime.text(of: moment, milliseconds: writesMilliseconds) else {
            throw WSSecurityError(.unwritable, "The time of the message is not between 1970 and 9999: check the clock.")
        }
        return text
    }
}

extension SecurityHeader: CustomStringConvertible {
    /// The contents of the block, and whether it may be sent over plain HTTP.
    public var description: String {
        let token = usernameToken.map { "\($0)" } ?? (demanded == nil ? "no UsernameToken" : "what the WSDL demands")
        let signed = (signature == nil ? "" : ", signed") + (encryption == nil ? "" : ", encrypted")
        return "a Security header block with \(token)\(allowsPlaintext ? ", also over plain HTTP" : "")\(signed)"
    }
}

/// One way to satisfy a policy, while it is put together from its assertions (WS-Policy 1.5 Framework §3.2).
struct PolicyAlternative: Hashable {
    enum Password { case absent, digest }

    /// The requirements collected so far.
    var requirements = PolicyRequirements()
    /// Whether the transport protects the messages: `sp:TransportBinding`.
    var isTransport = false
    /// Whether the policy protects messages with a shared key, which Signet does not implement. The diagnostics then need
    /// not list the protected parts too.
    var isSymmetric = false
    /// The `sp:AsymmetricBinding`.
    var asymmetric: AsymmetricBindingDetails?
    /// Whether the binding must sign, and whether it must encrypt, a token.
    var signsToken = false
    var encryptsToken = false
    /// The assertions about parts to sign or encrypt; the binding decides how (WS-SecurityPolicy 1.2 §4).
    var parts: [PolicyRequirements.Unsupported] = []
    /// The parts themselves.
    var protection = PolicyParts()
    /// Parts that an asymmetric binding of Signet does not protect.
    var problemsOfParts: [String] = []
    /// How receivers can find certificates (`sp:Wss10`, `sp:Wss11`, §9).
    var references: [AsymmetricPolicy.Reference] = []
    var confirmsSignature = false
    /// The form of the password that a UsernameToken demands (WS-SecurityPolicy 1.2 §5.4.1).
    var password: Password?
    var hasNonce = false

    static let maximumParts = 8

    mutating func merge(_ other: Self) {
        requirements.merge(other.requirements)
        isTransport = isTransport || other.isTransport
        isSymmetric = isSymmetric || other.isSymmetric
        if let binding = other.asymmetric {
            asymmetric = asymmetric.map { $0.agreeing(with: binding) } ?? binding
        }
        signsToken = signsToken || other.signsToken
        encryptsToken = encryptsToken || other.encryptsToken
        protection.merge(other.protection)
        for problem in other.problemsOfParts
        where problemsOfParts.count < Self.maximumParts && !problemsOfParts.contains(problem) {
            problemsOfParts.append(problem)
        }
        for reference in other.references where !references.contains(reference) { references.append(reference) }
        confirmsSignature = confirmsSignature || other.confirmsSignature
        for part in other.parts where parts.count < Self.maximumParts && !parts.contains(part) { parts.append(part) }
        password = password ?? other.password
        hasNonce = hasNonce || other.hasNonce
    }

    func merged(_ other: Self) -> Self {
        var result = self
        result.merge(other)
        return result
    }

    /// The requirements of the complete alternative.
    var result: PolicyRequirements {
        var result = requirements
        // A symmetric or asymmetric binding protects the listed parts itself (WS-SecurityPolicy 1.3 §8); HTTPS protects
        // the whole message (§4.1.1).
        if isSymmetric || asymmetric != nil {
            if let asymmetric { add(asymmetric, to: &result) }
            // What else is demanded could be the protection of what is sent.
            result.refusal =
                result.refusal ?? result.unsupported.first { $0.isJudged || $0.isUnread }?.text
                ?? (result.isCutOff ? "more than is read of them" : nil)
            return result
        }
        if signsToken || encryptsToken { result.tls = true }
        if !isTransport { for part in parts { result.add(part) } }
        return result
    }

    private func add(_ binding: AsymmetricBindingDetails, to result: inout PolicyRequirements) {
        var problems = binding.problems + problemsOfParts + protection.problems
        var protection = protection
        if binding.hasTimestamp {
            protection.signed.insert(.timestamp)
            result.timestamp = true
        }
        // What receivers of the policy can find, the form that most programs know first.
        let reference =
            [.issuerSerial, .subjectKeyIdentifier, .thumbprint].first(where: references.contains) ?? .issuerSerial
        let client = binding.client ?? reference
        if binding.signsToken {
            protection.signed.insert(.signingToken)
            if client != .certificate, client != .path {
                problems.append("a signed certificate that messages do not bring (ProtectTokens)")
            }
        }
        if result.usernameToken != nil {
            if signsToken { protection.signed.insert(.usernameToken) }
            if encryptsToken { protection.encrypted.insert(.usernameToken) }
        }
        if protection.signed.isEmpty, !protection.encrypted.isEmpty {
            problems.append("encryption without a signature")
        }
        if !protection.encrypted.isEmpty, !protection.signed.contains(.body) {
            problems.append("encryption of a Body that is not signed")
        }
        // All suites encrypt with CBC, by which a signature or a password could be changed or guessed.
        if binding.encryptsSignature { problems.append("a signature encrypted with CBC (EncryptSignature)") }
        if protection.encrypted.contains(.usernameToken) { problems.append("a UsernameToken encrypted with CBC") }
        if binding.isTimestampFirst, !protection.encrypted.isEmpty {
            problems.append("encryption with the Timestamp before all else (LaxTsFirst)")
        }
        guard problems.isEmpty, let suite = binding.suite else {
            let text = "\(binding.text) with \(problems.prefix(Self.maximumParts).joined(separator: ", "))"
            result.add(.init(text: text, location: binding.location))
            result.refusal = text
            return
        }
        result.asymmetric = AsymmetricPolicy(
            suite: suite, client: client, service: binding.service ?? reference,
            confirmsSignature: confirmsSignature,
            usesTokenTransform: binding.usesTokenTransform && binding.signsToken, request: protection.sorted,
            answer: protection.sorted)
    }

    init() {}

    init(notJudged text: String, at location: SourceLocation) {
        requirements.add(.init(text: text, location: location, isJudged: false, isUnread: true))
    }

    init(_ change: (inout PolicyRequirements) -> Void) { change(&requirements) }
}

/// One way to satisfy a policy, while it is put together from its assertions (WS-Policy 1.5 Framework §3.2).
struct PolicyAlternative: Hashable {
    enum Password { case absent, digest }

    /// The requirements collected so far.
    var requirements = PolicyRequirements()
    /// Whether the transport protects the messages: `sp:TransportBinding`.
    var isTransport = false
    /// Whether the policy protects messages in a way that Signet does not implement. The diagnostics then need not list
    /// the protected parts too.
    var isSymmetricOrAsymmetric = false
    /// Whether the binding must sign or encrypt a token.
    var hasProtectedToken = false
    /// The parts to sign or encrypt; the binding decides how (WS-SecurityPolicy 1.2 §4).
    var parts: [PolicyRequirements.Unsupported] = []
    /// The form of the password that a UsernameToken demands (WS-SecurityPolicy 1.2 §5.4.1).
    var password: Password?
    var hasNonce = false

    static let maximumParts = 8

    mutating func merge(_ other: Self) {
        requirements.merge(other.requirements)
        isTransport = isTransport || other.isTransport
        isSymmetricOrAsymmetric = isSymmetricOrAsymmetric || other.isSymmetricOrAsymmetric
        hasProtectedToken = hasProtectedToken || other.hasProtectedToken
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
        if isSymmetricOrAsymmetric { return result }
        if hasProtectedToken { result.tls = true }
        if !isTransport { for part in parts { result.add(part) } }
        return result
    }

    init() {}

    init(notJudged text: String, at location: SourceLocation) {
        requirements.add(.init(text: text, location: location, isJudged: false))
    }

    init(_ change: (inout PolicyRequirements) -> Void) { change(&requirements) }
}

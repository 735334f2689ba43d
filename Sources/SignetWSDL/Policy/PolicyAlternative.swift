/// One way to satisfy a policy, while it is put together from its assertions (WS-Policy 1.5 Framework §3.2).
struct PolicyAlternative: Hashable {
    enum Password { case absent, digest }

    /// What goes over into the result.
    var requirements = PolicyRequirements()
    /// Whether the protection is left to the transport: `sp:TransportBinding`.
    var isTransport = false
    /// Whether messages are protected in a way that Signet does not know, so that what is to be protected need not be said too.
    var isSymmetricOrAsymmetric = false
    /// Whether there is a token that the binding is to sign or encrypt.
    var hasProtectedToken = false
    /// What is to be signed or encrypted; the binding says how (WS-SecurityPolicy 1.2 §4).
    var parts: [PolicyRequirements.Unsupported] = []
    /// Said inside a UsernameToken (WS-SecurityPolicy 1.2 §5.4.1).
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

    /// What the alternative asks for when nothing is added to it any more.
    var result: PolicyRequirements {
        var result = requirements
        // A binding of messages protects what it is told to by itself (WS-SecurityPolicy 1.3 §8); HTTPS protects all of a message
        // (§4.1.1).
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

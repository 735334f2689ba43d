/// The requirements that the policies of a port or an operation have for a call (WS-Policy 1.5 Framework §3.2,
/// WS-SecurityPolicy 1.1 to 1.3): those that are common to all alternatives that Signet can satisfy.
package struct PolicyRequirements: Sendable, Hashable {
    /// The content of a UsernameToken. The raw values are the names of the constants of SignetSOAP's `UsernameTokenForm`.
    package enum UsernameTokenForm: String, Sendable, Hashable {
        case noPassword, text
        /// A password in text, a nonce and the time.
        case textWithNonce
        case digest
    }

    /// A requirement that Signet does not implement.
    package struct Unsupported: Sendable, Hashable {
        /// Its description, such as `messages signed or encrypted with certificates (sp:AsymmetricBinding)`.
        package var text: String
        /// Its place in the policy.
        package var location: SourceLocation
        /// Whether the requirement is known; false for policies that were not read or are too complex.
        package var isJudged = true
        /// Whether it can be anything, because a policy was not read.
        package var isUnread = false
    }

    /// Whether calls go over TLS: `sp:TransportBinding`, or a token that must be signed or encrypted, which TLS does,
    /// too.
    package var tls = false
    /// Whether TLS needs a client certificate: `sp:RequireClientCertificate`.
    package var clientCertificate = false
    /// The scheme of HTTP authentication, as RFC 9110 §11.1 registers it: `Basic`.
    package var httpAuthentication: String?
    /// Whether the message has a Timestamp: `sp:IncludeTimestamp`.
    package var timestamp = false
    package var usernameToken: UsernameTokenForm?
    /// A token of a security token service: `sp:IssuedToken`.
    package var issuedToken: IssuedTokenPolicy?
    /// Messages signed and encrypted with certificates: `sp:AsymmetricBinding`.
    package var asymmetric: AsymmetricPolicy?
    /// How messages must be protected that Signet does not do. A client must not send them with less.
    package var refusal: String?
    /// Header blocks of WS-Addressing.
    package var addressing = false
    /// Binary content beside the envelope (MTOM).
    package var mtom = false
    /// The requirements that a message may satisfy, because they are optional or belong to only some alternatives; at
    /// most one UsernameToken.
    package var accepted: [PolicyRequirement] = []
    /// The alternatives, when each has a requirement that others lack; the caller must then choose.
    package var choices: [[PolicyRequirement]] = []
    /// In the order of the policies; not more than ``maximumUnsupported`` of them.
    package var unsupported: [Unsupported] = []
    /// Whether there are more than ``unsupported`` has.
    var isCutOff = false

    package init() {}

    static let maximumUnsupported = 32

    package var isEmpty: Bool { self == Self() }

    /// The requirements of a call; those of the connection come first.
    package var list: [PolicyRequirement] {
        var list: [PolicyRequirement] = []
        if tls { list.append(.tls) }
        if clientCertificate { list.append(.clientCertificate) }
        if let httpAuthentication { list.append(.httpAuthentication(httpAuthentication)) }
        if timestamp { list.append(.timestamp) }
        if let usernameToken { list.append(.usernameToken(usernameToken)) }
        if let issuedToken { list.append(.issuedToken(issuedToken)) }
        if let refusal { list.append(.unsupported(refusal)) }
        if let asymmetric, refusal == nil { list.append(.asymmetricBinding(asymmetric)) }
        if addressing { list.append(.addressing) }
        if mtom { list.append(.mtom) }
        return list
    }

    /// Adds the requirements of another value to this one.
    mutating func merge(_ other: Self) {
        tls = tls || other.tls
        clientCertificate = clientCertificate || other.clientCertificate
        httpAuthentication = httpAuthentication ?? other.httpAuthentication
        timestamp = timestamp || other.timestamp
        // The credentials for the other forms also allow a digest.
        usernameToken = [usernameToken, other.usernameToken].compactMap { $0 }.max { $0.weight < $1.weight }
        issuedToken = issuedToken ?? other.issuedToken
        asymmetric = asymmetric ?? other.asymmetric
        refusal = refusal ?? other.refusal
        addressing = addressing || other.addressing
        mtom = mtom || other.mtom
        for item in other.accepted { accept(item) }
        for item in other.unsupported { add(item) }
        isCutOff = isCutOff || other.isCutOff
    }

    /// The requirements common to both. A token with different forms in the two is in neither.
    private func common(with other: Self) -> Self {
        var result = self
        result.tls = tls && other.tls
        result.clientCertificate = clientCertificate && other.clientCertificate
        if httpAuthentication != other.httpAuthentication { result.httpAuthentication = nil }
        result.timestamp = timestamp && other.timestamp
        if usernameToken != other.usernameToken { result.usernameToken = nil }
        if issuedToken != other.issuedToken { result.issuedToken = nil }
        // Of several ways to sign, the client takes the best one, with all that belongs to it.
        if other.asymmetric == nil { result.asymmetric = nil }
        if other.refusal == nil { result.refusal = nil }
        if result.asymmetric != nil { (result.timestamp, result.usernameToken) = (timestamp, usernameToken) }
        result.addressing = addressing && other.addressing
        result.mtom = mtom && other.mtom
        return result
    }

    /// The requirements of policies with these alternatives; nil without alternatives. Alternatives that Signet cannot
    /// satisfy count only when Signet can satisfy none of them.
    static func common(of alternatives: [Self]) -> Self? {
        var usable = alternatives.filter(\.unsupported.isEmpty)
        // What a program of another maker adds says nothing about messages.
        if usable.allSatisfy({ $0.asymmetric != nil }) {
            usable = alternatives.filter { $0.unsupported.allSatisfy { !$0.isJudged && !$0.isUnread } }
        }
        // Where TLS will do as well, the messages need no signature; and neither must be left out for the other.
        if usable.contains(where: { $0.asymmetric == nil }) { usable.removeAll { $0.asymmetric != nil } }
        let pool = usable.isEmpty ? alternatives : usable
        guard let best = pool.min(by: { $0.cost < $1.cost }) else { return nil }
        var result = pool.reduce(best) { $0.common(with: $1) }
        if usable.isEmpty { result.refusal = alternatives.lazy.compactMap(\.refusal).first }
        let list = result.list
        for way in pool {
            for item in way.list + way.accepted where !list.contains(item) { result.accept(item) }
        }
        let choices = pool.map(\.list)
        if !usable.isEmpty, !choices.contains(list) {
            for choice in choices where !result.choices.contains(choice) { result.choices.append(choice) }
        }
        return result
    }

    /// Adds a requirement that a message may satisfy. Requirements of the connection are dropped, and so is a token
    /// when a preferred one is present.
    mutating func accept(_ item: PolicyRequirement) {
        switch item {
        case .tls, .clientCertificate, .httpAuthentication, .asymmetricBinding, .unsupported: return
        case .usernameToken(let form):
            if let usernameToken, usernameToken.weight >= form.weight { return }
            for case .usernameToken(let other) in accepted where other.weight >= form.weight { return }
            accepted.removeAll { if case .usernameToken = $0 { true } else { false } }
        case .timestamp, .addressing, .mtom, .issuedToken: break
        }
        if !accepted.contains(item) { accepted.append(item) }
    }

    mutating func add(_ item: Unsupported) {
        if unsupported.contains(item) { return }
        if unsupported.count < Self.maximumUnsupported { unsupported.append(item) } else { isCutOff = true }
    }

    /// The order of preference; the lowest cost is chosen. Alternatives that Signet can satisfy come first, then those
    /// that need less from the user.
    var cost: (Int, Int) {
        var cost = 0
        if tls { cost += 1 }
        if timestamp { cost += 1 }
        if clientCertificate { cost += 4 }
        if httpAuthentication != nil { cost += 2 }
        if let usernameToken { cost += 2 + (usernameToken == .noPassword ? 0 : 1) }
        // A digest does not reveal the password.
        if usernameToken == .digest { cost -= 1 }
        if issuedToken != nil { cost += 6 }
        if let asymmetric {
            cost += 8 + (asymmetric.suite.usesSHA1 ? 4 : 0) + (asymmetric.request.encrypted.isEmpty ? 0 : 2)
        }
        if addressing { cost += 1 }
        if mtom { cost += 1 }
        return (unsupported.count, cost)
    }
}

/// One requirement of a call.
package enum PolicyRequirement: Sendable, Hashable {
    case tls, clientCertificate
    case httpAuthentication(String)
    case timestamp
    case usernameToken(PolicyRequirements.UsernameTokenForm)
    case issuedToken(IssuedTokenPolicy)
    case asymmetricBinding(AsymmetricPolicy)
    /// The protection of messages that Signet does not do.
    case unsupported(String)
    case addressing, mtom
}

extension PolicyRequirement: CustomStringConvertible {
    /// A description in words.
    package var description: String {
        switch self {
        case .tls: "TLS"
        case .clientCertificate: "a client certificate in TLS"
        case .httpAuthentication(let scheme): "HTTP authentication \(scheme)"
        case .timestamp: "a Timestamp"
        case .usernameToken(.noPassword): "a UsernameToken without a password"
        case .usernameToken(.text): "a UsernameToken with the password in text"
        case .usernameToken(.textWithNonce): "a UsernameToken with the password in text, a nonce and the time"
        case .usernameToken(.digest): "a UsernameToken with a digest of the password"
        case .issuedToken(let policy): policy.description
        case .asymmetricBinding(let policy): policy.description
        case .unsupported(let text): text
        case .addressing: "header blocks of WS-Addressing"
        case .mtom: "MTOM"
        }
    }
}

extension PolicyRequirements.UsernameTokenForm {
    fileprivate var weight: Int {
        switch self {
        case .noPassword: 0
        case .text: 1
        case .textWithNonce: 2
        case .digest: 3
        }
    }
}

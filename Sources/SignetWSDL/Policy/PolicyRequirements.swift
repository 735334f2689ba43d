/// What the policies attached to a port, or to an operation, ask of a call (WS-Policy 1.5 Framework §3.2, WS-SecurityPolicy 1.1 to
/// 1.3): what all alternatives among them have in common that Signet can satisfy.
package struct PolicyRequirements: Sendable, Hashable {
    /// What a UsernameToken holds. The raw values are the cases of `ServiceRequirement.UsernameTokenForm`.
    package enum UsernameTokenForm: String, Sendable, Hashable {
        case noPassword, text
        /// A password in text, a nonce and the time.
        case timedText
        case digest
    }

    /// Something that Signet does not do.
    package struct Unsupported: Sendable, Hashable {
        /// What it is, such as `messages signed or encrypted with certificates (sp:AsymmetricBinding)`.
        package var text: String
        /// Where the policy says so.
        package var location: SourceLocation
        /// Whether it is known what is asked for; false for policies that were not read or are too complicated.
        package var isJudged = true
    }

    /// Whether calls go over TLS: `sp:TransportBinding`, or a token that must be signed or encrypted, which TLS does too.
    package var tls = false
    /// Whether TLS needs a certificate of ours: `sp:RequireClientCertificate`.
    package var clientCertificate = false
    /// The scheme of HTTP authentication, as RFC 9110 §11.1 registers it: `Basic`.
    package var httpAuthentication: String?
    /// Whether a Timestamp stands in the message: `sp:IncludeTimestamp`.
    package var timestamp = false
    package var usernameToken: UsernameTokenForm?
    /// Header blocks of WS-Addressing.
    package var addressing = false
    /// Binary content beside the envelope (MTOM).
    package var mtom = false
    /// What a message may have, because it is optional or stands in some alternatives only. One UsernameToken at most.
    package var accepted: [PolicyRequirement] = []
    /// The alternatives, where none of them is without something that others do not ask for; it is for the caller to choose then.
    package var choices: [[PolicyRequirement]] = []
    /// In the order of the policies; not more than ``maximumUnsupported`` of them.
    package var unsupported: [Unsupported] = []

    package init() {}

    static let maximumUnsupported = 32

    package var isEmpty: Bool { self == Self() }

    /// What a call must have, the way to the service first.
    package var list: [PolicyRequirement] {
        var list: [PolicyRequirement] = []
        if tls { list.append(.tls) }
        if clientCertificate { list.append(.clientCertificate) }
        if let httpAuthentication { list.append(.httpAuthentication(httpAuthentication)) }
        if timestamp { list.append(.timestamp) }
        if let usernameToken { list.append(.usernameToken(usernameToken)) }
        if addressing { list.append(.addressing) }
        if mtom { list.append(.mtom) }
        return list
    }

    /// Both together.
    mutating func merge(_ other: Self) {
        tls = tls || other.tls
        clientCertificate = clientCertificate || other.clientCertificate
        httpAuthentication = httpAuthentication ?? other.httpAuthentication
        timestamp = timestamp || other.timestamp
        // A digest can be made of what the others need.
        usernameToken = [usernameToken, other.usernameToken].compactMap { $0 }.max { $0.weight < $1.weight }
        addressing = addressing || other.addressing
        mtom = mtom || other.mtom
        for item in other.accepted { accept(item) }
        for item in other.unsupported { add(item) }
    }

    /// What both demand. A token that may have one form or another is demanded in neither.
    private func common(with other: Self) -> Self {
        var result = self
        result.tls = tls && other.tls
        result.clientCertificate = clientCertificate && other.clientCertificate
        if httpAuthentication != other.httpAuthentication { result.httpAuthentication = nil }
        result.timestamp = timestamp && other.timestamp
        if usernameToken != other.usernameToken { result.usernameToken = nil }
        result.addressing = addressing && other.addressing
        result.mtom = mtom && other.mtom
        return result
    }

    /// What policies with these alternatives ask for; nil without any. Those that Signet cannot satisfy count only where all are so.
    static func common(of alternatives: [Self]) -> Self? {
        let usable = alternatives.filter(\.unsupported.isEmpty)
        let pool = usable.isEmpty ? alternatives : usable
        guard let best = pool.min(by: { $0.cost < $1.cost }) else { return nil }
        var result = pool.reduce(best) { $0.common(with: $1) }
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

    /// A message may have it. What concerns the way to the service is not kept, nor a token beside one that counts more.
    mutating func accept(_ item: PolicyRequirement) {
        switch item {
        case .tls, .clientCertificate, .httpAuthentication: return
        case .usernameToken(let form):
            if let usernameToken, usernameToken.weight >= form.weight { return }
            for case .usernameToken(let other) in accepted where other.weight >= form.weight { return }
            accepted.removeAll { if case .usernameToken = $0 { true } else { false } }
        case .timestamp, .addressing, .mtom: break
        }
        if !accepted.contains(item) { accepted.append(item) }
    }

    mutating func add(_ item: Unsupported) {
        if unsupported.count < Self.maximumUnsupported, !unsupported.contains(item) { unsupported.append(item) }
    }

    /// The less, the sooner an alternative is taken: first what can be done at all, then what asks the user for less.
    var cost: (Int, Int) {
        var cost = 0
        if tls { cost += 1 }
        if timestamp { cost += 1 }
        if clientCertificate { cost += 4 }
        if httpAuthentication != nil { cost += 2 }
        if let usernameToken { cost += 2 + (usernameToken == .noPassword ? 0 : 1) }
        // Who digests a password shows it to nobody.
        if usernameToken == .digest { cost -= 1 }
        if addressing { cost += 1 }
        if mtom { cost += 1 }
        return (unsupported.count, cost)
    }
}

/// One thing that a call must have.
package enum PolicyRequirement: Sendable, Hashable {
    case tls, clientCertificate
    case httpAuthentication(String)
    case timestamp
    case usernameToken(PolicyRequirements.UsernameTokenForm)
    case addressing, mtom
}

extension PolicyRequirement: CustomStringConvertible {
    /// In words.
    package var description: String {
        switch self {
        case .tls: "TLS"
        case .clientCertificate: "a client certificate in TLS"
        case .httpAuthentication(let scheme): "HTTP authentication \(scheme)"
        case .timestamp: "a Timestamp"
        case .usernameToken(.noPassword): "a UsernameToken without a password"
        case .usernameToken(.text): "a UsernameToken with the password in text"
        case .usernameToken(.timedText): "a UsernameToken with the password in text, a nonce and the time"
        case .usernameToken(.digest): "a UsernameToken with a digest of the password"
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
        case .timedText: 2
        case .digest: 3
        }
    }
}

/// What the policies attached to a port, or to an operation, ask of a call: the alternative among them that asks for the least that
/// Signet cannot do (WS-Policy 1.5 Framework §3.2, WS-SecurityPolicy 1.1 to 1.3).
package struct PolicyRequirements: Sendable, Hashable {
    /// How strongly something is asked for.
    package enum Demand: Sendable, Hashable {
        /// The service takes calls with it and without it.
        case optional
        case required
    }

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
    package var addressing: Demand?
    /// Binary content beside the envelope (MTOM).
    package var mtom: Demand?
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
        if addressing == .required { list.append(.addressing) }
        if mtom == .required { list.append(.mtom) }
        return list
    }

    /// The part that has to do with the way to the service, which all operations of a port share.
    package var way: Self {
        var way = Self()
        (way.tls, way.clientCertificate, way.httpAuthentication) = (tls, clientCertificate, httpAuthentication)
        return way
    }

    /// Both together.
    package mutating func merge(_ other: Self) {
        tls = tls || other.tls
        clientCertificate = clientCertificate || other.clientCertificate
        httpAuthentication = httpAuthentication ?? other.httpAuthentication
        timestamp = timestamp || other.timestamp
        // A digest can be made of what the others need.
        usernameToken = [usernameToken, other.usernameToken].compactMap { $0 }.max { $0.weight < $1.weight }
        addressing = addressing == .required ? .required : other.addressing ?? addressing
        mtom = mtom == .required ? .required : other.mtom ?? mtom
        for item in other.unsupported { add(item) }
    }

    mutating func add(_ item: Unsupported) {
        if unsupported.count < Self.maximumUnsupported, !unsupported.contains(item) { unsupported.append(item) }
    }

    /// The less, the sooner an alternative is taken: first what can be done at all, then what asks the user for less.
    var cost: (Int, Int) {
        var cost = 0
        if clientCertificate { cost += 4 }
        if httpAuthentication != nil { cost += 2 }
        if let usernameToken { cost += 2 + (usernameToken == .noPassword ? 0 : 1) }
        // Who digests a password shows it to nobody.
        if usernameToken == .digest { cost -= 1 }
        if addressing == .required { cost += 1 }
        if mtom == .required { cost += 1 }
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

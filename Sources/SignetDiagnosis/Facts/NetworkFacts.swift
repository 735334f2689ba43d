/// The result of looking up the name of a host.
package struct NameResolution: Sendable, Hashable, Codable {
    package var host: String
    /// Empty when the name has no address.
    package var addresses: [String]
    /// What the name service said instead of an address.
    package var problem: String?

    package init(host: String, addresses: [String] = [], problem: String? = nil) {
        self.host = host
        self.addresses = addresses
        self.problem = problem
    }
}

/// The attempt to open a TCP connection to one address.
package struct ConnectionAttempt: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        case connected, refused, timedOut, unreachable
        /// It was closed or reset at once.
        case closed
    }

    /// `192.0.2.7:443` or `[2001:db8::7]:443`; the name of the host where the address is not known.
    package var address: String
    package var outcome: Outcome
    /// How long it took; nil when it was not measured.
    package var milliseconds: Int?

    package init(_ address: String, _ outcome: Outcome, milliseconds: Int? = nil) {
        self.address = address
        self.outcome = outcome
        self.milliseconds = milliseconds
    }

    package var isIPv6: Bool { address.hasPrefix("[") }
}

/// A proxy on the way to the host.
package struct ProxyHop: Sendable, Hashable, Codable {
    package enum Outcome: String, Sendable, Hashable, Codable {
        /// It opened a tunnel, or forwards plain requests.
        case open
        /// There is no connection to it.
        case unreachable
        /// It demands credentials (407).
        case credentialsRequired
        /// It gave another answer to the request for a tunnel, or none.
        case refused
        /// TLS with the proxy itself failed.
        case tlsFailed
    }

    /// Host and port.
    package var address: String
    package var outcome: Outcome
    /// The status of its answer to CONNECT; nil without one.
    package var status: Int?
    /// Its challenges.
    package var challenges: [ChallengeFacts]
    /// Why it opened no tunnel; nil when it did, or when the rest says it.
    package var problem: String?
    /// Of TLS with the proxy itself; nil for a proxy without TLS.
    package var handshake: HandshakeFacts?

    package init(
        _ address: String, _ outcome: Outcome, status: Int? = nil, challenges: [ChallengeFacts] = [],
        problem: String? = nil
    ) {
        self.address = address
        self.outcome = outcome
        self.status = status
        self.challenges = challenges
        self.problem = problem
    }
}

/// One port of the WSDL.
package struct PortFacts: Sendable, Hashable, Codable {
    package var name: String
    package var url: String
    /// Whether it is the one in use.
    package var isTarget: Bool
    /// Whether its server asks for a certificate and names our issuer, or names none; nil when it was not probed.
    package var acceptsIdentity: Bool?

    package init(
        _ name: String, url: String, isTarget: Bool = false, acceptsIdentity: Bool? = nil
    ) {
        self.name = name
        self.url = url
        self.isTarget = isTarget
        self.acceptsIdentity = acceptsIdentity
    }
}

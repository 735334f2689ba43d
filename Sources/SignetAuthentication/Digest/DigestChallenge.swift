/// A Digest challenge of a server (RFC 7616 §3.3).
package struct DigestChallenge: Sendable, Hashable {
    /// Whether the response covers the content of a request too.
    package enum Protection: String, Sendable, Hashable {
        case auth
        case authInt = "auth-int"
    }

    package let realm: String
    package let nonce: String
    package let opaque: String?
    /// The URIs for which the credentials are; empty for the whole origin. A proxy's challenge has none.
    package let domain: [String]
    /// Whether only the nonce was too old: the credentials are right.
    package let isStale: Bool
    package let algorithm: DigestAlgorithm
    /// Whether the key is derived for a session (`-sess`).
    package let isSession: Bool
    /// The protections that the server offers; empty for a server that supports only RFC 2069, or says `qop=""`.
    package let protections: Set<Protection>
    package let hashesUser: Bool

    /// - Returns: nil for an unknown hash function or protection: another challenge must then be used (§3.3).
    /// - Throws: ``AuthenticationError`` with `malformedChallenge` for a challenge without a required parameter.
    package init?(_ challenge: Challenge, space: ProtectionSpace) throws(AuthenticationError) {
        func malformed(_ what: String) -> AuthenticationError {
            .init(.malformedChallenge, "The Digest challenge of \(space) \(what) (RFC 7616 §3.3).", space: space)
        }
        guard let realm = challenge["realm"] else { throw malformed("names no realm") }
        guard let nonce = challenge["nonce"] else { throw malformed("has no nonce") }
        var name = (challenge["algorithm"] ?? "MD5").uppercased()[...]
        isSession = name.hasSuffix("-SESS")
        if isSession { name = name.dropLast(5) }
        guard let algorithm = DigestAlgorithm(rawValue: String(name)) else { return nil }
        let offered = Self.tokens(of: challenge["qop"])
        protections = Set(offered.compactMap { Protection(rawValue: $0.lowercased()) })
        if protections.isEmpty, !offered.isEmpty { return nil }
        self.realm = realm
        self.nonce = nonce
        self.algorithm = algorithm
        opaque = challenge["opaque"]
        domain = space.isProxy ? [] : (challenge["domain"] ?? "").split(separator: " ").map(String.init)
        isStale = challenge["stale"]?.lowercased() == "true"
        hashesUser = challenge["userhash"]?.lowercased() == "true"
    }

    private static func tokens(of list: String?) -> [Substring] {
        (list ?? "").split { $0 == "," || $0.isWhitespace }
    }

    /// The part of a challenge that Signet does not know; nil when it knows all required parts.
    static func unknown(in challenge: Challenge) -> String? {
        var name = (challenge["algorithm"] ?? "MD5")[...]
        if name.uppercased().hasSuffix("-SESS") { name = name.dropLast(5) }
        if DigestAlgorithm(rawValue: name.uppercased()) == nil { return "the algorithm “\(String(name).printable)”" }
        let offered = tokens(of: challenge["qop"])
        guard !offered.isEmpty, offered.allSatisfy({ Protection(rawValue: $0.lowercased()) == nil }) else { return nil }
        return "the qop “\(offered.joined(separator: ", ").printable)”"
    }

    /// Whether a proof for one challenge is also valid for the other, since both have the same inputs.
    func makesSameProofs(as other: Self) -> Bool {
        nonce == other.nonce && realm == other.realm && algorithm == other.algorithm && isSession == other.isSession
            && protections == other.protections && hashesUser == other.hashesUser && opaque == other.opaque
    }
}

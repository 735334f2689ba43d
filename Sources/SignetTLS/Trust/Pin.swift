extension TrustPolicy {
    /// A key or certificate that must be part of the certification path. A pin narrows trust and never widens it.
    public struct Pin: Sendable, Hashable, CustomStringConvertible {
        enum Kind: Sendable { case publicKey, certificate }

        let kind: Kind
        /// Nil when the given text is not a SHA-256 value.
        let sha256: [UInt8]?
        public let description: String

        /// Pins a key by SHA-256 of its subject public key info. Such a pin still matches after a renewal with the same
        /// key.
        ///
        /// - Parameter sha256: Base64 of 32 bytes, with or without the prefix `sha256//` that curl writes. A malformed
        ///   value makes every evaluation fail with `invalidPolicy`.
        public static func publicKey(sha256: String) -> Pin {
            let digits = sha256.hasPrefix("sha256//") ? sha256.dropFirst(8) : sha256[...]
            return Pin(.publicKey, Text.bytes(base64: digits.utf8), sha256)
        }

        /// Pins one whole certificate by its SHA-256 fingerprint.
        ///
        /// - Parameter sha256: 32 bytes in hexadecimal, with or without colons, or in Base64. A malformed value makes
        ///   every evaluation fail with `invalidPolicy`.
        public static func certificate(sha256: String) -> Pin {
            let isHexadecimal = sha256.utf8.count { $0 != UInt8(ascii: ":") } == 64
            return Pin(
                .certificate,
                isHexadecimal ? Text.bytes(hexadecimal: sha256) : Text.bytes(base64: sha256.utf8), sha256)
        }

        private init(_ kind: Kind, _ bytes: [UInt8]?, _ text: String) {
            self.kind = kind
            sha256 = bytes?.count == 32 ? bytes : nil
            description = text
        }

        func matches(_ certificate: EncodedCertificate) -> Bool {
            guard let sha256 else { return false }
            return switch kind {
            case .publicKey: certificate.publicKeySHA256 == sha256
            case .certificate: certificate.sha256 == sha256
            }
        }
    }
}

extension TrustPolicy {
    /// Keys and certificates of which one must be in the path to a host (RFC 7469 §2.6), and the time for which this
    /// holds.
    public struct PinSet: Sendable, Hashable {
        /// What happens to a path that matches none of the pins.
        public enum Mode: Sendable, Hashable {
            /// The path is refused before any request is sent.
            case enforce
            /// The path is accepted; ``CertificationPath/pinMismatches`` reports it. This mode is for trying out pins.
            case report
        }

        /// At least one pin in use and one in reserve, both of the same kind: a key and a certificate of that key
        /// change together.
        public var pins: [Pin]
        /// The host in the address of the service; nil for all.
        public var host: String?
        /// Whether the pins hold for the names below ``host`` too.
        public var includesSubdomains = false
        /// Seconds since 1970 in UTC from which on these pins are ignored; nil for never. An expiry keeps a program
        /// that was not updated from losing its connection, and gives up the protection of the pins.
        public var expires: Int64?
        /// Whether a path without any of the pins is refused, or only reported.
        public var mode = Mode.enforce
        /// Whether a single pin is allowed. When its key changes or is lost, every connection fails until the program
        /// gets a new pin.
        public var allowsSinglePin = false
        /// Whether the pins are required besides those of the closest matches, and do not take their place.
        package var isAdditional = false

        /// Pins that are enforced and do not expire.
        ///
        /// - Parameters:
        ///   - pins: at least two, unless ``allowsSinglePin``.
        ///   - host: the host in the address of the service; nil for all.
        public init(_ pins: [Pin], host: String? = nil) {
            self.pins = pins
            self.host = host
        }

        /// Why these pins cannot be used; nil when they can.
        var problem: String? {
            if let malformed = pins.first(where: { $0.sha256 == nil }) {
                return "The pin “\(malformed)” is not a SHA-256 value. Write Base64 of 32 bytes, as a refusal shows it."
            }
            let kinds = Dictionary(grouping: pins, by: \.kind)
            guard kinds.values.contains(where: { Set($0.map(\.sha256)).count >= (allowsSinglePin ? 1 : 2) }) else {
                return """
                    \(pins.isEmpty ? "No pin is given" : "There are no two different pins of one kind"). Give at least two \
                    public-key pins or two certificate pins, one in use and one in reserve, or the day the key changes \
                    makes every connection fail.
                    """
            }
            if host == nil, includesSubdomains { return "Pins for the names below a host need the name of that host." }
            return nil
        }

        func holds(_ path: [EncodedCertificate]) -> Bool {
            path.contains { certificate in pins.contains { $0.matches(certificate) } }
        }

        /// How closely the set's host matches a peer; nil when the set does not apply to the peer.
        func closeness(to role: PeerRole) -> Int? {
            guard let host else { return 0 }
            guard case .server(let reference) = role else { return nil }
            let own = ReferenceIdentifier(host: host)
            if own == reference { return Int.max }
            guard includesSubdomains, case .dns(let name) = reference, case .dns(let domain) = own,
                name.hasSuffix(".\(domain)")
            else { return nil }
            return domain.utf8.count
        }

        /// The message for a valid path that matches no pin.
        func mismatch(_ path: [EncodedCertificate]) -> String {
            let seen = path.map { certificate in
                "\(certificate.subject): sha256//\(Text.base64(certificate.publicKeySHA256 ?? []))"
            }
            return """
                The certification path is valid, but holds none of the pinned keys: an attacker intercepts the \
                connection, or the key was changed. Seen: \(seen.joined(separator: "; ")). Change the pins only when the \
                service's operator confirms.
                """
        }
    }
}

/// An accepted path that matches none of the pins that are only reported.
public struct PinMismatch: Sendable, Hashable, CustomStringConvertible {
    /// The pins of which none is in the path.
    public let pins: TrustPolicy.PinSet
    /// What the path contained, and what to do next.
    public let message: String
    public var description: String { message }
}

/// The pins that apply to one peer at one time.
struct ActivePins: Sendable {
    private let sets: [TrustPolicy.PinSet]

    /// The sets that match the peer most closely: sets for its host go before sets for a domain above it, and these
    /// before sets for all hosts. Additional sets that match the peer come on top.
    init(_ all: [TrustPolicy.PinSet], for role: PeerRole, at now: Int64) {
        let meant = all.filter { $0.expires.map { now < $0 } ?? true }
            .compactMap { set in set.closeness(to: role).map { (set: set, closeness: $0) } }
        let closest = meant.filter { !$0.set.isAdditional }.map(\.closeness).max()
        sets = meant.filter { $0.set.isAdditional || $0.closeness == closest }.map(\.set)
    }

    /// When the first of the sets expires, in seconds since 1970; nil when none does.
    var expiry: Int64? { sets.compactMap(\.expires).min() }

    var isEnforced: Bool { sets.contains { $0.mode == .enforce } }

    /// The first set that refuses a path.
    func refusing(_ path: [EncodedCertificate]) -> TrustPolicy.PinSet? {
        sets.first { $0.mode == .enforce && !$0.holds(path) }
    }

    func mismatches(_ path: [EncodedCertificate]) -> [PinMismatch] {
        sets.filter { $0.mode == .report && !$0.holds(path) }
            .map { PinMismatch(pins: $0, message: $0.mismatch(path)) }
    }
}

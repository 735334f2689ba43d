extension TrustPolicy {
    /// A key or certificate that must be part of the certification path. It narrows trust and never widens it.
    public struct Pin: Sendable, Hashable, CustomStringConvertible {
        enum Kind: Sendable { case publicKey, certificate }

        let kind: Kind
        /// Nil when what was given is not a SHA-256 value.
        let sha256: [UInt8]?
        public let description: String

        /// Pins a key by SHA-256 of its subject public key info, the form that survives a renewal with the same key.
        ///
        /// - Parameter sha256: Base64 of 32 bytes, also behind `sha256//` as curl writes it. A malformed one makes
        ///   every evaluation fail with `invalidPolicy`.
        public static func publicKey(sha256: String) -> Pin {
            let digits = sha256.hasPrefix("sha256//") ? sha256.dropFirst(8) : sha256[...]
            return Pin(.publicKey, Text.bytes(base64: digits.utf8), sha256)
        }

        /// Pins one whole certificate by its SHA-256 fingerprint.
        ///
        /// - Parameter sha256: 32 bytes in hexadecimal, with or without colons, or in Base64. A malformed one makes
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
    /// Keys and certificates of which one must be in the path to a host (RFC 7469 §2.6), and for how long.
    public struct PinSet: Sendable, Hashable {
        /// What becomes of a path that holds none of the pins.
        public enum Mode: Sendable, Hashable {
            /// It is refused, before anything of ours is sent.
            case enforce
            /// It is believed; ``CertificationPath/pinMismatches`` tells of it. For trying out pins.
            case report
        }

        /// One in use and one in reserve at least, of one kind: a key and a certificate of that key change together.
        public var pins: [Pin]
        /// The host in the address of the service; nil for all.
        public var host: String?
        /// Whether the pins hold for the names below ``host`` too.
        public var includesSubdomains = false
        /// Seconds since 1970 in UTC from which on nobody looks at these pins; nil for never. It keeps a program that nobody
        /// has renewed from locking its users out, and gives up the protection with it.
        public var expires: Int64?
        /// Whether a path without any of the pins is refused, or only reported.
        public var mode = Mode.enforce
        /// Takes a single pin. The day its key changes, or is lost, locks everybody out.
        public var allowsSinglePin = false

        /// Pins that are enforced and do not expire.
        ///
        /// - Parameters:
        ///   - pins: two at least, unless ``allowsSinglePin``.
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
                    locks everyone out.
                    """
            }
            if host == nil, includesSubdomains { return "Pins for the names below a host need the name of that host." }
            return nil
        }

        func holds(_ path: [EncodedCertificate]) -> Bool {
            path.contains { certificate in pins.contains { $0.matches(certificate) } }
        }

        /// How closely the set is meant for a peer; nil when it is not meant for it at all.
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

        /// What to say of a valid path that holds no pin.
        func mismatch(_ path: [EncodedCertificate]) -> String {
            let seen = path.map { certificate in
                "\(certificate.subject): sha256//\(Text.base64(certificate.publicKeySHA256 ?? []))"
            }
            return """
                The certification path is valid, but holds none of the pinned keys: someone stands between, or the key was \
                changed. Seen: \(seen.joined(separator: "; ")). Change the pins only when the service's operator confirms.
                """
        }
    }
}

/// A believed path that holds none of the pins that are only reported.
public struct PinMismatch: Sendable, Hashable, CustomStringConvertible {
    /// The pins of which the path holds none.
    public let pins: TrustPolicy.PinSet
    /// What was seen, and what to do next.
    public let message: String
    public var description: String { message }
}

/// The pins that count for one peer at one time.
struct ActivePins: Sendable {
    private let sets: [TrustPolicy.PinSet]

    /// Of the sets that are meant for the peer those that are meant for it most closely: those of a host go before those of a
    /// domain above it, and these before those for all.
    init(_ all: [TrustPolicy.PinSet], for role: PeerRole, at now: Int64) {
        let meant = all.filter { $0.expires.map { now < $0 } ?? true }
            .compactMap { set in set.closeness(to: role).map { (set: set, closeness: $0) } }
        let closest = meant.map(\.closeness).max()
        sets = meant.filter { $0.closeness == closest }.map(\.set)
    }

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

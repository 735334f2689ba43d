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

/// The pins of a policy, all of them usable.
struct PinSet: Sendable, Hashable {
    let pins: [TrustPolicy.Pin]

    /// Why these pins cannot be used; nil when they can.
    var problem: String? {
        if let malformed = pins.first(where: { $0.sha256 == nil }) {
            return "The pin “\(malformed)” is not a SHA-256 value. Write Base64 of 32 bytes, as a refusal shows it."
        }
        let kinds = Dictionary(grouping: pins, by: \.kind)
        guard kinds.values.contains(where: { Set($0.map(\.sha256)).count >= 2 }) else {
            return """
                \(pins.isEmpty ? "No pin is given" : "There are no two different pins of one kind"). Give at least two \
                public-key pins or two certificate pins, one in use and one in reserve, or the day the key changes \
                locks everyone out.
                """
        }
        return nil
    }

    func holds(_ path: [EncodedCertificate]) -> Bool {
        path.contains { certificate in pins.contains { $0.matches(certificate) } }
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

import Crypto

/// The nonces of a server (RFC 7616 §3.3): each holds the time at which it was made and a code over it, so that the server knows its nonces
/// again without a list of them.
package struct DigestNonces: Sendable {
    package enum Finding: Sendable, Hashable {
        /// Good until this time, in seconds since 1970.
        case fresh(until: Int64, isYoung: Bool)
        /// Too old, or one of another server or another realm.
        case unknown
    }

    private let key: SymmetricKey
    private let realm: [UInt8]
    private let seconds: Int64
    /// Bytes of time, of randomness, and of the code.
    private static let sizes = (time: 8, random: 12, code: 16)

    /// - Parameters:
    ///   - secret: 32 bytes, the same for all servers of the realm.
    ///   - seconds: how long a nonce is good.
    package init(secret: [UInt8], realm: String, seconds: Int64) {
        key = SymmetricKey(data: secret)
        (self.realm, self.seconds) = (Array(realm.utf8), seconds)
    }

    /// A new nonce.
    ///
    /// - Parameter now: in seconds since 1970.
    package func next(now: Int64) -> String {
        var generator = SystemRandomNumberGenerator()
        var bytes = (0..<Self.sizes.time).map { UInt8(truncatingIfNeeded: now >> (8 * (Self.sizes.time - 1 - $0))) }
        bytes += (0..<Self.sizes.random).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        return Base64.encode(bytes + code(bytes))
    }

    /// - Parameter now: in seconds since 1970.
    package func find(_ nonce: String, now: Int64) -> Finding {
        let size = Self.sizes.time + Self.sizes.random
        guard let bytes = Base64.decode(nonce), bytes.count == size + Self.sizes.code,
            ConstantTime.equal(Array(bytes[size...]), code(Array(bytes[..<size])))
        else { return .unknown }
        let time = bytes.prefix(Self.sizes.time).reduce(0) { $0 << 8 | Int64($1) }
        let (age, isOverflow) = now.subtractingReportingOverflow(time)
        // Another server of the realm may be ahead a little.
        guard !isOverflow, age >= -60, age < seconds else { return .unknown }
        return .fresh(until: time + seconds, isYoung: age < seconds / 2)
    }

    private func code(_ bytes: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: bytes + realm, using: key).prefix(Self.sizes.code))
    }
}

extension DigestNonces: CustomStringConvertible, CustomReflectable {
    package var description: String { "nonces of Digest" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

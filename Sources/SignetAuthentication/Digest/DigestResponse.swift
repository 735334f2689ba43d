/// The calculation of the Digest scheme, which client and server do alike (RFC 7616 §3.4.1 to §3.4.3, §3.5).
package struct DigestResponse: Sendable {
    package var algorithm: DigestAlgorithm
    /// H(A1), in hexadecimal digits.
    package var secret: String
    package var nonce: String
    /// Nil for a server that supports only RFC 2069.
    package var protection: DigestChallenge.Protection?
    /// The count of uses, as it is sent.
    package var count: String
    package var cnonce: String

    package init(
        _ algorithm: DigestAlgorithm, secret: String, nonce: String, protection: DigestChallenge.Protection?,
        count: String, cnonce: String
    ) {
        (self.algorithm, self.secret, self.nonce) = (algorithm, secret, nonce)
        (self.protection, self.count, self.cnonce) = (protection, count, cnonce)
    }

    /// - Parameters:
    ///   - method: of the request; empty for what the server answers (`rspauth`, §3.5).
    ///   - content: read only for `auth-int`.
    package func value(method: String, target: String, content: @autoclosure () -> [UInt8] = []) -> String {
        var about = "\(method):\(target)"
        if protection == .authInt { about += ":\(algorithm.hash(content()))" }
        guard let protection else { return algorithm.hash("\(secret):\(nonce):\(algorithm.hash(about))") }
        return algorithm.hash("\(secret):\(nonce):\(count):\(cnonce):\(protection.rawValue):\(algorithm.hash(about))")
    }
}

extension DigestResponse: CustomStringConvertible, CustomReflectable {
    package var description: String { "a calculation of Digest" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

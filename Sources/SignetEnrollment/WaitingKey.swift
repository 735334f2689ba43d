import SignetTLS

/// A key that waits for its certificate. Stores keep identities only, so that a certificate which the key signed itself
/// stands beside it; the certificate has the authority's name of the request.
enum WaitingKey {
    static let maximumReferenceBytes = 400
    private static let mark = "serialNumber="
    /// Of a longer value, a certificate's subject shows only the beginning.
    private static let maximumDigits = 200

    static func identity(_ key: KeyPair, reference: String?, now: Int64) async throws -> Identity {
        var subject = "CN=key that waits for its certificate"
        // Hexadecimal, since an attribute of a name cannot have every character.
        var digits = Text.hexadecimal(Array((reference ?? "").utf8))[...]
        while !digits.isEmpty {
            subject += ", \(mark)\(digits.prefix(maximumDigits))"
            digits = digits.dropFirst(maximumDigits)
        }
        return try await key.selfSignedIdentity(
            subject: try SubjectName(subject), notBefore: now, notAfter: now + 10 * 365 * 86_400)
    }

    static func reference(in identity: Identity) -> String? {
        let parts = identity.leaf.subject.split(separator: ", ").filter { $0.hasPrefix(mark) }
        guard !parts.isEmpty else { return nil }
        return Text.bytes(hexadecimal: parts.map { $0.dropFirst(mark.count) }.joined())
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

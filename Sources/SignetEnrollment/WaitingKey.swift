import SignetTLS

/// A key that waits for its certificate. Stores keep identities only, so that a certificate which the key signed itself
/// stands beside it; the certificate has the authority's name of the request.
enum WaitingKey {
    static let maximumReferenceBytes = 400
    private static let mark = "serialNumber="

    static func identity(_ key: KeyPair, reference: String?, now: Int64) async throws -> Identity {
        // Hexadecimal, since an attribute of a name cannot have every character.
        let more = reference.map { ", \(mark)\(Text.hexadecimal(Array($0.utf8)))" } ?? ""
        return try await key.selfSignedIdentity(
            subject: try SubjectName("CN=key that waits for its certificate" + more), notBefore: now,
            notAfter: now + 10 * 365 * 86_400)
    }

    static func reference(in identity: Identity) -> String? {
        let subject = identity.leaf.subject
        guard let range = subject.firstRange(of: mark) else { return nil }
        return Text.bytes(hexadecimal: String(subject[range.upperBound...].prefix { $0 != "," }))
            .map { String(decoding: $0, as: UTF8.self) }
    }
}

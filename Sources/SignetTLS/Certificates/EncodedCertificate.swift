import Crypto
package import X509

/// An X.509 certificate as it came over the wire, its fields read as far as they can be.
///
/// It can always be shown and compared, even when it breaks RFC 5280 or uses an algorithm unknown here; whether to
/// believe it is for ``TrustPolicy`` to say. Two are equal when their bytes are.
public struct EncodedCertificate: Sendable {
    /// The DER encoding.
    public let der: [UInt8]
    /// The fields, or why they could not be read.
    let reading: Result<CertificateContent, EncodingError>

    /// Takes any bytes; those that are no certificate are refused where they are used.
    public init(der: [UInt8]) {
        self.der = der
        do {
            reading = .success(try CertificateContent(der: der))
        } catch {
            // What the decoder says names its own source lines, which help nobody.
            reading = .failure(error as? EncodingError ?? EncodingError("it is cut off or malformed"))
        }
    }

    var content: CertificateContent? { try? reading.get() }

    /// SHA-256 of the whole certificate.
    public var sha256: [UInt8] { Array(SHA256.hash(data: der)) }

    /// SHA-256 of the subject public key info, as pins use it (RFC 7469 §2.4); nil when the bytes are no certificate.
    public var publicKeySHA256: [UInt8]? { content.map { Array(SHA256.hash(data: $0.publicKeyInfo)) } }

    /// Who the certificate is for, to be shown; never empty, and never proof of anything.
    public var subject: String {
        guard let content else { return "unreadable certificate \(Text.hexadecimal(sha256.prefix(8)))" }
        if !content.subject.isEmpty { return content.subject.text }
        for case .dns(let name) in (try? content.subjectAltNames()) ?? [] { return name }
        return "unnamed certificate \(Text.hexadecimal(sha256.prefix(8)))"
    }

    /// Who says that it signed the certificate, to be shown; nil when the bytes are no certificate.
    public var issuer: String? { content.map { $0.issuer.text } }

    /// The first second of the validity, counted from 1970 in UTC; nil when the bytes are no certificate.
    public var notBefore: Int64? { content?.notBefore }

    /// The last second of the validity, counted from 1970 in UTC; nil when the bytes are no certificate.
    public var notAfter: Int64? { content?.notAfter }

    /// The certificate in the form of swift-certificates; nil when that library does not understand its key.
    package var x509: Certificate? { try? Certificate(derEncoded: der) }
}

extension EncodedCertificate: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension EncodedCertificate: CustomStringConvertible {
    public var description: String { subject }
}

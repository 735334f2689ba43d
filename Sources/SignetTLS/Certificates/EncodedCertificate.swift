import Crypto

/// An X.509 certificate as it came over the wire, its fields read as far as they can be.
///
/// It can always be shown and compared, even when it breaks RFC 5280 or uses an algorithm unknown here; whether to
/// believe it is for ``TrustPolicy`` to say. Two are equal when their bytes are.
public struct EncodedCertificate: Sendable {
    /// The DER encoding.
    public let der: [UInt8]
    /// The fields, or why they could not be read.
    let reading: Result<CertificateContent, EncodingError>
    /// What can be shown of a certificate whose fields could not all be read.
    private let outline: CertificateOutline?

    /// Takes any bytes; those that are no certificate are refused where they are used, as is one of more than 64 KiB
    /// or 64 extensions, which is not read at all.
    public init(der: [UInt8]) {
        self.der = der
        do {
            reading = .success(try CertificateContent(der: der))
            outline = nil
        } catch {
            // What the decoder says names its own source lines, which help nobody.
            reading = .failure(error as? EncodingError ?? EncodingError("it is cut off or malformed"))
            outline = CertificateOutline(der: der)
        }
    }

    var content: CertificateContent? { try? reading.get() }

    /// SHA-256 of the whole certificate.
    public var sha256: [UInt8] { Array(SHA256.hash(data: der)) }

    /// SHA-256 of the subject public key info, as pins use it (RFC 7469 §2.4); nil when the bytes are no certificate.
    public var publicKeySHA256: [UInt8]? { content.map { Array(SHA256.hash(data: $0.publicKeyInfo)) } }

    /// Who the certificate is for, to be shown: `CN=device, O=Example`, escaped as RFC 4514 §2.4 has it.
    ///
    /// It is never empty. Without a subject it is `(no subject; dns:service.example)` or the like, in parentheses as no
    /// distinguished name is. Long values are cut off, and different authorities can certify the same name: show it to
    /// people, and tell peers apart by ``sha256`` or ``publicKeySHA256``.
    public var subject: String {
        let fingerprint = "SHA-256 \(Text.hexadecimal(sha256.prefix(8)))"
        guard let content else {
            // In parentheses as well, for a name that is shown alone looks believed.
            return outline?.subject.map { "(unreadable; \($0.text); \(fingerprint))" } ?? "(unreadable; \(fingerprint))"
        }
        if !content.subject.isEmpty { return content.subject.text }
        for name in (try? content.subjectAltNames()) ?? [] {
            if case .dns = name { return "(no subject; dns:\(name))" }
        }
        return "(no subject; \(fingerprint))"
    }

    /// Who says that it signed the certificate, to be shown as ``subject`` is; empty when the certificate names nobody,
    /// nil when the bytes are no certificate.
    public var issuer: String? { (content?.issuer ?? outline?.issuer)?.text }

    /// The first second of the validity, counted from 1970 in UTC; nil when the bytes are no certificate.
    public var notBefore: Int64? { content?.notBefore ?? outline?.notBefore }

    /// The last second of the validity, counted from 1970 in UTC; nil when the bytes are no certificate.
    public var notAfter: Int64? { content?.notAfter ?? outline?.notAfter }
}

extension EncodedCertificate: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension EncodedCertificate: CustomStringConvertible {
    public var description: String { subject }
}

import Crypto

/// An X.509 certificate as the peer sent it, its fields read as far as they can be.
///
/// It can always be shown and compared, even when it breaks RFC 5280 or uses an unknown algorithm. ``TrustPolicy``
/// decides whether to trust it. Two certificates are equal when their bytes are.
public struct EncodedCertificate: Sendable {
    /// The DER encoding.
    public let der: [UInt8]
    /// The fields, or why they could not be read.
    let reading: Result<CertificateContent, EncodingError>
    /// The subject, issuer and validity of a certificate whose fields could not all be read.
    private let outline: CertificateOutline?

    /// Takes any bytes. Bytes that are not a certificate are refused where they are used. So is a certificate of more
    /// than 64 KiB or 64 extensions, which is not read at all.
    public init(der: [UInt8]) {
        self.der = der
        do {
            reading = .success(try CertificateContent(der: der))
            outline = nil
        } catch {
            // The decoder's own errors name lines of its source, which do not help a user.
            reading = .failure(error as? EncodingError ?? EncodingError("it is cut off or malformed"))
            outline = CertificateOutline(der: der)
        }
    }

    var content: CertificateContent? { try? reading.get() }

    /// SHA-256 of the whole certificate.
    public var sha256: [UInt8] { Array(SHA256.hash(data: der)) }

    /// SHA-256 of the subject public key info, as pins use it (RFC 7469 §2.4); nil when the bytes are not a
    /// certificate.
    public var publicKeySHA256: [UInt8]? { content.map { Array(SHA256.hash(data: $0.publicKeyInfo)) } }

    /// The subject, to show to users: `CN=device, O=Example`, escaped as in RFC 4514 §2.4.
    ///
    /// It is never empty. Without a subject it is `(no subject; dns:service.example)` or the like; no distinguished
    /// name has such parentheses. Long values are cut off, and different authorities can certify the same name: show
    /// this text to users, and tell peers apart by ``sha256`` or ``publicKeySHA256``.
    public var subject: String {
        let fingerprint = "SHA-256 \(Text.hexadecimal(sha256.prefix(8)))"
        guard let content else {
            // In parentheses as well, since a reader takes a plain name for a verified one.
            return outline?.subject.map { "(unreadable; \($0.text); \(fingerprint))" } ?? "(unreadable; \(fingerprint))"
        }
        if !content.subject.isEmpty { return content.subject.text }
        for name in (try? content.subjectAltNames()) ?? [] {
            if case .dns = name { return "(no subject; dns:\(name))" }
        }
        return "(no subject; \(fingerprint))"
    }

    /// The name of the authority that the certificate gives as its issuer, to be shown as ``subject`` is. Empty when
    /// the certificate names no issuer, nil when the bytes are not a certificate.
    public var issuer: String? { (content?.issuer ?? outline?.issuer)?.text }

    /// The serial number, as the content of the INTEGER (RFC 5280 §4.1.2.2); nil when the bytes are not a certificate.
    public var serialNumber: [UInt8]? { content.map { Array($0.serialNumber) } }

    /// The first second of the validity, in seconds since 1970 in UTC; nil when the bytes are not a certificate.
    public var notBefore: Int64? { content?.notBefore ?? outline?.notBefore }

    /// The last second of the validity, in seconds since 1970 in UTC; nil when the bytes are not a certificate.
    public var notAfter: Int64? { content?.notAfter ?? outline?.notAfter }
}

extension EncodedCertificate: Hashable {
    public static func == (left: Self, right: Self) -> Bool { left.der == right.der }
    public func hash(into hasher: inout Hasher) { hasher.combine(der) }
}

extension EncodedCertificate: CustomStringConvertible {
    public var description: String { subject }
}

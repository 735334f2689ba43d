import SwiftASN1

/// OpenSSL's `TRUSTED CERTIFICATE` (openssl-x509, "Trust Settings"): a certificate, followed by the uses for which it
/// is trusted.
enum TrustedCertificate {
    /// The certificate; nil when it is not trusted for TLS servers, or when the bytes are not a certificate.
    static func anchor(_ bytes: [UInt8]) -> EncodedCertificate? {
        guard let end = DERValue.end(in: bytes), let settings = try? Settings(Array(bytes[end...])),
            settings.allows(.serverAuthentication)
        else { return nil }
        return EncodedCertificate(der: Array(bytes[..<end]))
    }

    /// `X509_CERT_AUX`; both lists may be absent.
    private struct Settings {
        var trusted: [ASN1ObjectIdentifier]?
        var rejected: [ASN1ObjectIdentifier] = []

        init(_ bytes: [UInt8]) throws {
            guard !bytes.isEmpty else { return }
            var fields = try NodeReader(try DER.parse(bytes))
            if let node = fields.next(ifTagged: .sequence) { trusted = try Self.list(node) }
            if let node = fields.next(ifContext: 0) { rejected = try Self.list(node) }
        }

        private static func list(_ node: ASN1Node) throws -> [ASN1ObjectIdentifier] {
            var reader = try NodeReader(contentsOf: node)
            var result: [ASN1ObjectIdentifier] = []
            while let purpose = reader.nextIfAny() { result.append(try purpose.objectIdentifier()) }
            return result
        }

        func allows(_ purpose: ASN1ObjectIdentifier) -> Bool {
            func names(_ list: [ASN1ObjectIdentifier]) -> Bool {
                list.contains(purpose) || list.contains(.anyExtendedKeyUsage)
            }
            return !names(rejected) && (trusted.map(names) ?? true)
        }
    }
}

import Crypto
import SwiftASN1

/// A certificate as OCSP names it, by digests of its issuer's name and key: `CertID` (RFC 6960 §4.1.1).
struct OCSPCertificateID: Sendable, Hashable {
    private let digest: ASN1ObjectIdentifier
    private let issuerName: ArraySlice<UInt8>
    private let issuerKey: ArraySlice<UInt8>
    private let serialNumber: ArraySlice<UInt8>

    /// The name with SHA-1, the one digest that every server knows (RFC 5019 §2.1.1). A collision would only make two
    /// issuers alike, and the issuer's key must have signed the answer all the same.
    init(_ certificate: CertificateContent, issuedBy issuer: CertificateContent) throws {
        try self.init(certificate, issuedBy: issuer, digest: .sha1)
    }

    private init(
        _ certificate: CertificateContent, issuedBy issuer: CertificateContent, digest: ASN1ObjectIdentifier
    ) throws {
        self.digest = digest
        issuerName = try Self.digest(certificate.issuerBytes, by: digest)[...]
        issuerKey = try Self.digest(try issuer.publicKeyBits(), by: digest)[...]
        serialNumber = certificate.serialNumber
    }

    init(_ node: ASN1Node) throws {
        var fields = try NodeReader(node)
        digest = try AlgorithmIdentifier(try fields.next()).algorithm
        issuerName = try ASN1OctetString(derEncoded: try fields.next()).bytes
        issuerKey = try ASN1OctetString(derEncoded: try fields.next()).bytes
        let serial = try fields.next()
        guard serial.identifier == .integer else { throw EncodingError("no serial number") }
        serialNumber = try serial.primitiveBytes()
        try fields.end()
    }

    /// Whether it names this certificate. A server may use another digest than the request.
    func names(_ certificate: CertificateContent, issuedBy issuer: CertificateContent) -> Bool {
        self == (try? OCSPCertificateID(certificate, issuedBy: issuer, digest: digest))
    }

    /// The number of the certificate that it names, the content of the INTEGER; nil for one of another issuer.
    func serialNumber(issuedBy issuer: CertificateContent) -> [UInt8]? {
        guard let bits = try? issuer.publicKeyBits(), let name = try? Self.digest(issuer.subjectBytes, by: digest)[...],
            let key = try? Self.digest(bits, by: digest)[...], name == issuerName, key == issuerKey
        else { return nil }
        return Array(serialNumber)
    }

    func serialize(into coder: inout DER.Serializer) throws {
        try coder.appendSequence { coder in
            try coder.appendAlgorithm(digest) { $0.appendNull() }
            coder.appendOctets(Array(issuerName))
            coder.appendOctets(Array(issuerKey))
            coder.appendPrimitiveNode(identifier: .integer) { $0.append(contentsOf: serialNumber) }
        }
    }

    static func sha1(_ bytes: ArraySlice<UInt8>) -> [UInt8] { Array(Insecure.SHA1.hash(data: bytes)) }

    private static func digest(_ bytes: ArraySlice<UInt8>, by identifier: ASN1ObjectIdentifier) throws -> [UInt8] {
        if identifier == .sha1 { return sha1(bytes) }
        guard let hash = SignatureAlgorithm.Hash(identifier) else { throw EncodingError("an unknown digest") }
        return hash.digest(bytes)
    }
}

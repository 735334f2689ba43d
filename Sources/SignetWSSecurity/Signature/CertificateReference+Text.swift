import SignetSOAP
import SignetSignature
import SignetTLS

extension CertificateReference {
    /// Whether the certificate comes with the message.
    var bringsCertificate: Bool { self == .certificate || self == .path }

    /// The content of KeyInfo, and the BinarySecurityToken to which it leads, with its identifier; empty when the message only names the
    /// certificate.
    ///
    /// - Parameters:
    ///   - chain: the certificate, and those that lead to its authority.
    ///   - identifier: that of the `SecurityTokenReference`; nil for none.
    /// - Throws: ``SecurityDefect`` for a certificate that lacks what is to name it.
    func text(
        of chain: [EncodedCertificate], identifier: String? = nil
    ) throws(SecurityDefect) -> (keyInfo: String, token: String, tokenIdentifier: String) {
        guard let certificate = chain.first else {
            throw SecurityDefect(.securityTokenUnavailable, "there is no certificate")
        }
        let content: String
        var token = ""
        let tokenIdentifier = SecurityName.newIdentifier("X509")
        switch self {
        case .certificate, .path:
            let type = self == .path ? CertificateToken.path : CertificateToken.certificate
            let bytes = self == .path ? CertificatePathEncoding.pkiPath(of: chain) : certificate.der
            content = "<wsse:Reference URI=\"#\(tokenIdentifier)\" ValueType=\"\(type)\"/>"
            token = CertificateToken.text(bytes, type, identifier: tokenIdentifier)
        case .issuerSerial:
            guard let name = certificate.issuerSerial, let data = try? Self.issuerSerial(name.issuer, name.serialNumber)
            else {
                throw SecurityDefect(
                    .securityTokenUnavailable,
                    "the issuer or the serial number of “\(certificate.subject)” cannot be written: choose another reference"
                )
            }
            content = data
        case .subjectKeyIdentifier:
            guard let bytes = certificate.subjectKeyIdentifier else {
                throw SecurityDefect(
                    .securityTokenUnavailable,
                    "the certificate of “\(certificate.subject)” has no subject key identifier: choose another reference"
                )
            }
            content = Self.identifier(SecurityName.subjectKeyIdentifierType, bytes)
        case .thumbprint: content = Self.identifier(SecurityName.thumbprintType, certificate.thumbprint)
        }
        let id = identifier.map { " xmlns:wsu=\"\(SecurityName.utility.uri)\" wsu:Id=\"\($0)\"" } ?? ""
        return (
            "<wsse:SecurityTokenReference xmlns:wsse=\"\(SecurityName.extensions.uri)\"\(id)>\(content)</wsse:SecurityTokenReference>",
            token, tokenIdentifier
        )
    }

    /// XML Signature 1.1 §4.5.4.
    private static func issuerSerial(_ issuer: String, _ serialNumber: String) throws -> String {
        let names = ["X509IssuerSerial", "X509IssuerName", "X509SerialNumber"].map {
            XMLName(SignatureElement.x509Data.namespace, $0)
        }
        let fragment = try XMLFragment { writer in
            writer.startElement(
                SignatureElement.x509Data, declaring: [("ds", SignatureElement.x509Data.namespace)])
            writer.startElement(names[0])
            for (name, text) in [(names[1], issuer), (names[2], serialNumber)] {
                writer.startElement(name)
                writer.text(text)
                writer.endElement(name)
            }
            writer.endElement(names[0])
            writer.endElement(SignatureElement.x509Data)
        }
        return String(decoding: fragment.bytes, as: UTF8.self)
    }

    private static func identifier(_ type: String, _ bytes: [UInt8]) -> String {
        "<wsse:KeyIdentifier ValueType=\"\(type)\" EncodingType=\"\(SecurityName.base64Binary)\">\(Text.base64(bytes))</wsse:KeyIdentifier>"
    }
}

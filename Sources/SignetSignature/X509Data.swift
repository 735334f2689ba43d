package import SignetTLS
package import SignetXML

/// Certificates, and names of certificates, in KeyInfo (XML Signature 1.1 §4.5.4).
package struct X509Data: Sendable {
    package var certificates: [EncodedCertificate] = []
    package var names: [CertificateName] = []

    package init() {}

    /// Reads the `X509Data` whose start tag was read last.
    package init(_ reader: inout XMLReader) throws {
        while try reader.nextChild() {
            guard certificates.count + names.count < SignatureElement.maximumCertificates else { throw Self.problem }
            if reader.isElement(XMLName(SignatureElement.namespace, "X509Certificate")) {
                certificates.append(EncodedCertificate(der: try Self.base64(&reader)))
            } else if reader.isElement(XMLName(SignatureElement.namespace, "X509SKI")) {
                names.append(.subjectKeyIdentifier(try Self.base64(&reader)))
            } else if reader.isElement(XMLName(SignatureElement.namespace, "X509IssuerSerial")) {
                names.append(try Self.serialNumber(&reader))
            } else {
                try reader.skipElement()
            }
        }
    }

    private static func serialNumber(_ reader: inout XMLReader) throws -> CertificateName {
        var number: String?
        while try reader.nextChild() {
            guard reader.isElement(XMLName(SignatureElement.namespace, "X509SerialNumber")) else {
                try reader.skipElement()
                continue
            }
            guard number == nil else { throw problem }
            number = try reader.elementText().trimmedXMLSpace
        }
        guard let number else { throw problem }
        return .serialNumber(number)
    }

    private static func base64(_ reader: inout XMLReader) throws -> [UInt8] {
        guard let bytes = Text.bytes(base64: try reader.elementText().utf8), !bytes.isEmpty else { throw problem }
        return bytes
    }

    private static var problem: XMLSignatureError {
        XMLSignatureError(
            .malformed,
            "X509Data has more than \(SignatureElement.maximumCertificates) certificates, or one that cannot be read.")
    }
}

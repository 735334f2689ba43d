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
            if reader.isElement(XMLName(SignatureElement.namespace, "X509Certificate")) {
                guard certificates.count < SignatureElement.maximumCertificates,
                    let bytes = Text.bytes(base64: try reader.elementText().utf8), !bytes.isEmpty
                else { throw Self.problem }
                certificates.append(EncodedCertificate(der: bytes))
            } else if names.count < SignatureElement.maximumCertificates, let name = try Self.name(&reader) {
                names.append(name)
            } else {
                try reader.skipElement()
            }
        }
    }

    /// The name in the element whose start tag was read last; nil for another element, which is then still open, and for a name that
    /// cannot be read.
    private static func name(_ reader: inout XMLReader) throws -> CertificateName? {
        if reader.isElement(XMLName(SignatureElement.namespace, "X509SKI")) {
            return .subjectKeyIdentifier(Text.bytes(base64: try reader.elementText().utf8) ?? [])
        }
        guard reader.isElement(XMLName(SignatureElement.namespace, "X509IssuerSerial")) else { return nil }
        var number = ""
        while try reader.nextChild() {
            if reader.isElement(XMLName(SignatureElement.namespace, "X509SerialNumber")) {
                number = try reader.elementText().trimmedXMLSpace
            } else {
                try reader.skipElement()
            }
        }
        return .serialNumber(number)
    }

    private static var problem: XMLSignatureError {
        XMLSignatureError(
            .malformed,
            "X509Data has more than \(SignatureElement.maximumCertificates) certificates, or one that is not base64.")
    }
}

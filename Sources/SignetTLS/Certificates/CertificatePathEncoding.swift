import SwiftASN1

/// Certification paths as one value (X.509 §10.1 PkiPath: from the authority's certificate to the end-entity certificate).
package enum CertificatePathEncoding {
    /// - Parameter chain: the end-entity certificate first.
    package static func pkiPath(of chain: [EncodedCertificate]) -> [UInt8] {
        var serializer = DER.Serializer()
        serializer.appendConstructedNode(identifier: .sequence) { serializer in
            for certificate in chain.reversed() { serializer.serializeRawBytes(certificate.der) }
        }
        return serializer.serializedBytes
    }

    /// The certificates, the end-entity certificate first; nil when the value cannot be read, or is empty.
    package static func certificates(pkiPath: [UInt8]) -> [EncodedCertificate]? {
        var scanner = DERScanner(pkiPath[...])
        guard let list = try? scanner.next(DERScanner.sequence), scanner.isAtEnd else { return nil }
        var rest = DERScanner(list.content)
        var certificates: [EncodedCertificate] = []
        while !rest.isAtEnd {
            guard let value = try? rest.next(DERScanner.sequence) else { return nil }
            certificates.append(EncodedCertificate(der: Array(value.encoded)))
        }
        return certificates.isEmpty ? nil : certificates.reversed()
    }
}

import SignetSOAP
package import SignetTLS
package import SignetXML

/// The certificates of all BinarySecurityTokens of a document, for a person who examines its signatures. Nothing is judged, and what
/// is no certificate is left out.
package enum TokensInDocument {
    private static let maximumCount = 32

    package static func certificates(_ document: [UInt8], limits: XMLLimits) -> [EncodedCertificate] {
        var found: [EncodedCertificate] = []
        try? XMLReader.read(document, limits: limits) { reader throws in
            while try reader.next() != .endOfDocument, found.count < maximumCount {
                guard reader.startTagOffset != nil, reader.isElement(SecurityName.binarySecurityToken) else { continue }
                found += (try? CertificateToken.certificates(&reader)) ?? []
            }
        }
        return found
    }
}

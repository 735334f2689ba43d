import SwiftASN1

/// A question to an OCSP server about one certificate (RFC 6960 §4.1, in the profile of RFC 5019).
package struct OCSPRequest: Sendable {
    /// The number of bytes of a nonce (RFC 9654 §2.1).
    package static let nonceBytes = 32
    /// Longer addresses are not asked with GET (RFC 5019 §5).
    static let maximumGETBytes = 255

    /// The request in DER, the body of a POST of type `application/ocsp-request`.
    package let der: [UInt8]
    /// Bytes that the server repeats in an answer made for this request; nil when a prepared answer is welcome.
    package let nonce: [UInt8]?

    /// - Parameters:
    ///   - certificate: the certificate in question.
    ///   - issuer: its issuer's certificate.
    ///   - nonce: 32 random bytes, or nil.
    /// - Throws: ``RevocationProblem`` with `malformed` when one of the certificates cannot be read.
    package init(
        about certificate: EncodedCertificate, issuedBy issuer: EncodedCertificate, nonce: [UInt8]? = nil
    ) throws(RevocationProblem) {
        self.nonce = nonce
        der = try RevocationProblem.reading("The certificate “\(certificate.subject)” or its issuer") {
            let name = try OCSPCertificateID(
                try certificate.reading.get(), issuedBy: try issuer.reading.get())
            return try Self.encode(name, nonce)
        }
    }

    private static func encode(_ certificate: OCSPCertificateID, _ nonce: [UInt8]?) throws -> [UInt8] {
        try DER.bytes { coder in
            try coder.appendSequence { request in
                try request.appendSequence { content in
                    try content.appendSequence { list in
                        try list.appendSequence { try certificate.serialize(into: &$0) }
                    }
                    if let nonce { try append(nonce, to: &content) }
                }
            }
        }
    }

    private static func append(_ nonce: [UInt8], to coder: inout DER.Serializer) throws {
        let value = DER.bytes { $0.appendOctets(nonce) }
        try coder.appendConstructedNode(identifier: ASN1Identifier(tagWithNumber: 2, tagClass: .contextSpecific)) {
            try $0.appendSequence { extensions in
                try extensions.appendSequence { coder in
                    try coder.serialize(ASN1ObjectIdentifier.OCSP.nonce)
                    coder.appendOctets(value)
                }
            }
        }
    }

    /// The address for asking with GET, which lets servers and proxies answer from a cache (RFC 6960 §A.1, RFC 5019 §5);
    /// nil when it would be too long, when the server's address has a query, and with a nonce, which no cache can
    /// answer.
    package func getAddress(at server: String) -> String? {
        guard nonce == nil, !server.utf8.contains(UInt8(ascii: "?")) else { return nil }
        let escaped = Text.base64(der).utf8.map { character in
            switch character {
            case UInt8(ascii: "+"): "%2B"
            case UInt8(ascii: "/"): "%2F"
            case UInt8(ascii: "="): "%3D"
            default: String(decoding: [character], as: UTF8.self)
            }
        }
        let address = server + (server.hasSuffix("/") ? "" : "/") + escaped.joined()
        return address.utf8.count <= Self.maximumGETBytes ? address : nil
    }
}

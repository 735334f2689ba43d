import SwiftASN1

/// RFC 6960.
extension ASN1ObjectIdentifier.OCSP {
    static let accessMethod: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1]
    static let nonce: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 2]
    static let noCheck: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 1, 5]
}

/// RFC 5280 §4.2.2.1.
extension ASN1ObjectIdentifier {
    fileprivate static let issuersAccessMethod: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 48, 2]
}

/// Where a certificate says that its revocation, and its issuer, can be looked up.
extension CertificateContent {
    /// The limit of OCSP servers, and of addresses of lists, that are used.
    static let maximumRevocationAddresses = 4

    /// The OCSP servers of authorityInfoAccess (RFC 5280 §4.2.2.1) with addresses for HTTP, the first four.
    func ocspAddresses() throws -> [String] { try accessAddresses(.OCSP.accessMethod) }

    /// The places of its issuer's certificate (caIssuers of the same) with addresses for HTTP, the first four.
    func issuerAddresses() throws -> [String] { try accessAddresses(.issuersAccessMethod) }

    private func accessAddresses(_ method: ASN1ObjectIdentifier) throws -> [String] {
        guard let node = try value(.authorityInformationAccess) else { return [] }
        var reader = try NodeReader(node)
        var result: [String] = []
        while let description = reader.nextIfAny(), result.count < Self.maximumRevocationAddresses {
            var fields = try NodeReader(description)
            guard try fields.next().objectIdentifier() == method else { continue }
            guard let address = RevocationAddress.http(try fields.next()), !result.contains(address) else { continue }
            result.append(address)
        }
        return result
    }

    /// The places of revocation lists (RFC 5280 §4.2.1.13), all together with at most four addresses for HTTP.
    func listDistributionPoints() throws -> [DistributionPoint] {
        guard let node = try value(.listDistributionPoints) else { return [] }
        var reader = try NodeReader(node)
        var result: [DistributionPoint] = []
        var left = Self.maximumRevocationAddresses
        while let point = reader.nextIfAny(), result.count < DistributionPoint.maximumPoints {
            var point = try DistributionPoint(point)
            point.addresses = Array(point.addresses.prefix(left))
            left -= point.addresses.count
            result.append(point)
        }
        return result
    }

    /// Whether the authority publishes no revocation for this certificate (RFC 9608): it has noRevAvail. It does not
    /// count in a certificate of an authority, where RFC 9608 §2 forbids it, nor beside a place where revocation can be
    /// looked up.
    func saysThatRevocationIsUnavailable() throws -> Bool {
        try isCritical(.noRevocationAvailable) != nil && basicConstraints()?.isAuthority != true
            && ocspAddresses().isEmpty && isCritical(.listDistributionPoints) == nil
    }

    /// Whether the signer of OCSP answers need not be checked itself (RFC 6960 §4.2.2.2.1): it has ocsp-nocheck.
    var isOCSPNoCheck: Bool { isCritical(.OCSP.noCheck) != nil }

    /// The bits of the subject's key, without its algorithm, over which OCSP takes its digests (RFC 6960 §4.1.1).
    func publicKeyBits() throws -> ArraySlice<UInt8> {
        var fields = try NodeReader(try DER.parse(publicKeyInfo))
        _ = try fields.next()
        return try ASN1BitString(derEncoded: try fields.next()).bytes
    }
}

extension EncodedCertificate {
    /// Where the certificate says that its issuer's certificate is (caIssuers, RFC 5280 §4.2.2.1): the first four
    /// addresses for HTTP. Nothing vouches for what is there.
    package var issuerAddresses: [String] { (try? content?.issuerAddresses()) ?? [] }
}

/// Addresses of revocation servers. Only HTTP without TLS counts: an answer is signed, and fetching it over TLS would
/// need the revocation of another certificate.
enum RevocationAddress {
    static let maximumLength = 2_048

    /// The address in a uniformResourceIdentifier (RFC 5280 §4.2.1.6); nil for any other name, and for an address that
    /// cannot be asked.
    static func http(_ name: ASN1Node) -> String? {
        guard name.contextTag == 6, let bytes = try? name.primitiveBytes(), bytes.count <= maximumLength,
            bytes.allSatisfy({ (0x21...0x7E).contains($0) && !"\"<>\\^`{|}#".utf8.contains($0) })
        else { return nil }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.lowercased().hasPrefix("http://") else { return nil }
        let authority = text.utf8.dropFirst(7).prefix { $0 != UInt8(ascii: "/") && $0 != UInt8(ascii: "?") }
        return authority.isEmpty || authority.contains(UInt8(ascii: "@")) ? nil : text
    }
}

import SwiftASN1

/// What a certificate says, in words for users and for other programs. Names are escaped, as
/// ``EncodedCertificate/subject`` is, since the peer chooses them.
package struct CertificateDetails: Sendable, Hashable {
    /// In hexadecimal, two digits for each byte.
    package var serialNumber = ""
    package var version = 0
    /// `dns:…`, `ip:…`, `email:…`, `uri:…`, `upn:…`, `directory:…`, or `other:…` with an object identifier or a tag.
    package var names: [String] = []
    /// The hosts among ``names``, without their kind.
    package var hosts: [String] = []
    package var isAuthority = false
    /// How many authorities the certificate allows below its own.
    package var pathLength: Int?
    /// The names of RFC 5280 §4.2.1.3; nil when the certificate does not say.
    package var keyUsage: [String]?
    /// `clientAuth` and the like, or object identifiers; nil when the certificate does not say.
    package var extendedKeyUsage: [String]?
    /// `RSA 2048`, `P-256` and the like.
    package var key = ""
    /// `RSA with SHA-256` and the like.
    package var signature = ""

    /// Details without any values.
    package init() {}
}

extension EncodedCertificate {
    /// Nil when the bytes are not a certificate. A malformed extension is skipped; ``Identity/problems(at:for:)``
    /// reports it.
    package var details: CertificateDetails? {
        guard let content else { return nil }
        var details = CertificateDetails()
        details.version = content.version
        details.serialNumber = Text.hexadecimal(content.serialNumber)
        let names = (try? content.nodes(ofNames: .subjectAltName)) ?? []
        details.names = names.map(Self.name)
        details.hosts = ((try? content.subjectAltNames()) ?? []).compactMap {
            switch $0 {
            case .dns, .ip: $0.description
            default: nil
            }
        }
        let constraints = try? content.basicConstraints()
        details.isAuthority = content.claimsAuthority
        details.pathLength = constraints?.pathLength
        details.keyUsage = try? content.keyUsageNames()
        details.extendedKeyUsage = try? content.extendedKeyUsage()?.map { Self.purposes[$0] ?? $0.description }
        details.key = content.keyName
        details.signature = content.signatureAlgorithm.signatureName
        return details
    }

    /// The text of a general name (RFC 5280 §4.2.1.6).
    static func name(_ node: ASN1Node) -> String {
        func text() -> String? {
            (try? node.primitiveBytes()).map { DistinguishedName.printable(String(decoding: $0, as: UTF8.self)) }
        }
        switch node.contextTag {
        case 0:
            guard var fields = try? NodeReader(contentsOf: node), let type = try? fields.next().objectIdentifier(),
                let value = try? fields.next().explicit()
            else { return "other:0" }
            // The user principal name, by which Active Directory identifies users.
            guard type == .Request.userPrincipalName, let bytes = try? value.primitiveBytes() else {
                return "other:\(type)"
            }
            return "upn:\(DistinguishedName.printable(String(decoding: bytes, as: UTF8.self)))"
        case 1: return "email:\(text() ?? "?")"
        case 2: return "dns:\(text() ?? "?")"
        case 4:
            let name = try? DistinguishedName(try node.explicit())
            return "directory:\(name?.text ?? "?")"
        case 6: return "uri:\(text() ?? "?")"
        case 7:
            let bytes = (try? node.primitiveBytes()).map(Array.init) ?? []
            return "ip:\(bytes.count == 4 || bytes.count == 16 ? IPAddress.text(bytes) : "?")"
        case let tag: return "other:\(tag.map(String.init) ?? "?")"
        }
    }

    private static let purposes: [ASN1ObjectIdentifier: String] = [
        .anyExtendedKeyUsage: "any", .serverAuthentication: "serverAuth", .clientAuthentication: "clientAuth",
        [1, 3, 6, 1, 5, 5, 7, 3, 3]: "codeSigning", [1, 3, 6, 1, 5, 5, 7, 3, 4]: "emailProtection",
        [1, 3, 6, 1, 5, 5, 7, 3, 8]: "timeStamping", [1, 3, 6, 1, 5, 5, 7, 3, 9]: "OCSPSigning",
        [1, 3, 6, 1, 4, 1, 311, 20, 2, 2]: "smartcardLogon", [1, 3, 6, 1, 5, 2, 3, 4]: "pkinitClientAuth",
        [1, 3, 6, 1, 4, 1, 311, 10, 3, 12]: "documentSigning",
    ]
}

extension CertificateContent {
    private static let usages = [
        "digitalSignature", "nonRepudiation", "keyEncipherment", "dataEncipherment", "keyAgreement", "keyCertSign",
        "cRLSign", "encipherOnly", "decipherOnly",
    ]

    fileprivate func node(of identifier: ASN1ObjectIdentifier) throws -> ASN1Node? {
        guard let found = extensions.first(where: { $0.identifier == identifier }) else { return nil }
        return try DER.parse(found.value)
    }

    fileprivate func nodes(ofNames identifier: ASN1ObjectIdentifier) throws -> [ASN1Node] {
        guard let node = try node(of: identifier) else { return [] }
        var reader = try NodeReader(node)
        var result: [ASN1Node] = []
        while let name = reader.nextIfAny() { result.append(name) }
        return result
    }

    fileprivate func keyUsageNames() throws -> [String]? {
        guard let node = try node(of: .keyUsage) else { return nil }
        let bytes = Array(try ASN1BitString(derEncoded: node).bytes)
        return Self.usages.enumerated().compactMap { position, name in
            let byte = bytes.dropFirst(position / 8).first ?? 0
            return byte & (0x80 >> UInt8(position % 8)) == 0 ? nil : name
        }
    }
}

import SwiftASN1

extension ASN1ObjectIdentifier {
    static let subjectKeyIdentifier: Self = [2, 5, 29, 14]
    static let keyUsage: Self = [2, 5, 29, 15]
    static let subjectAltName: Self = [2, 5, 29, 17]
    static let basicConstraints: Self = [2, 5, 29, 19]
    static let nameConstraints: Self = [2, 5, 29, 30]
    static let authorityKeyIdentifier: Self = [2, 5, 29, 35]
    static let extendedKeyUsage: Self = [2, 5, 29, 37]
    static let certificatePolicies: Self = [2, 5, 29, 32]
    static let policyMappings: Self = [2, 5, 29, 33]
    static let policyConstraints: Self = [2, 5, 29, 36]
    static let listDistributionPoints: Self = [2, 5, 29, 31]
    static let noRevocationAvailable: Self = [2, 5, 29, 56]
    static let inhibitAnyPolicy: Self = [2, 5, 29, 54]
    static let authorityInformationAccess: Self = [1, 3, 6, 1, 5, 5, 7, 1, 1]
    static let anyExtendedKeyUsage: Self = [2, 5, 29, 37, 0]
    static let serverAuthentication: Self = [1, 3, 6, 1, 5, 5, 7, 3, 1]
    static let clientAuthentication: Self = [1, 3, 6, 1, 5, 5, 7, 3, 2]
    static let ocspSigning: Self = [1, 3, 6, 1, 5, 5, 7, 3, 9]
}

/// RFC 5280 §4.2.1.9.
struct BasicConstraints {
    var isAuthority = false
    var pathLength: Int?
}

/// RFC 5280 §4.2.1.3: bit 0 is the most significant bit of the first octet.
struct KeyUsage {
    let bits: UInt8
    var certificateSigning: Bool { bits & 0x04 != 0 }
    var listSigning: Bool { bits & 0x02 != 0 }
    /// Whether the key may encrypt other keys.
    var keyEncipherment: Bool { bits & 0x20 != 0 }
    /// Whether the key may agree on other keys.
    var keyAgreement: Bool { bits & 0x08 != 0 }
    /// Whether the key may sign something other than certificates and revocation lists.
    var digitalSignature: Bool { bits & 0xC0 != 0 }
    /// Whether the key may sign, encipher keys or agree on keys: a TLS peer does one of these with it.
    var peerAuthentication: Bool { bits & 0xA8 != 0 }
}

/// RFC 5280 §4.2.1.10.
struct NameConstraints {
    var permitted: [GeneralName] = []
    var excluded: [GeneralName] = []
}

extension CertificateContent {
    /// The value of an extension; nil when the certificate has none.
    func value(_ identifier: ASN1ObjectIdentifier) throws -> ASN1Node? {
        guard let found = extensions.first(where: { $0.identifier == identifier }) else { return nil }
        return try DER.parse(found.value)
    }

    func basicConstraints() throws -> BasicConstraints? {
        guard let node = try value(.basicConstraints) else { return nil }
        var reader = try NodeReader(node)
        var result = BasicConstraints()
        result.isAuthority = try reader.next(ifTagged: .boolean)?.boolean() ?? false
        result.pathLength = try reader.next(ifTagged: .integer)?.integer()
        try reader.end()
        if let length = result.pathLength, length < 0 { throw EncodingError("a negative path length") }
        return result
    }

    func keyUsage() throws -> KeyUsage? {
        guard let node = try value(.keyUsage) else { return nil }
        return KeyUsage(bits: try ASN1BitString(derEncoded: node).bytes.first ?? 0)
    }

    func extendedKeyUsage() throws -> [ASN1ObjectIdentifier]? {
        guard let node = try value(.extendedKeyUsage) else { return nil }
        var reader = try NodeReader(node)
        var result: [ASN1ObjectIdentifier] = []
        while let purpose = reader.nextIfAny() { result.append(try purpose.objectIdentifier()) }
        return result
    }

    func subjectAltNames() throws -> [GeneralName] {
        guard let node = try value(.subjectAltName) else { return [] }
        var reader = try NodeReader(node)
        var result: [GeneralName] = []
        while let name = reader.nextIfAny() { result.append(try GeneralName(name)) }
        return result
    }

    func subjectKeyIdentifier() throws -> ArraySlice<UInt8>? {
        try value(.subjectKeyIdentifier).map { try ASN1OctetString(derEncoded: $0).bytes }
    }

    func authorityKeyIdentifier() throws -> ArraySlice<UInt8>? {
        guard let node = try value(.authorityKeyIdentifier) else { return nil }
        var reader = try NodeReader(node)
        return try reader.next(ifContext: 0)?.primitiveBytes()
    }

    /// Checks the syntax of authorityInfoAccess (RFC 5280 §4.2.2.1). Its values are not used.
    func checkAuthorityInformationAccess() throws {
        guard let node = try value(.authorityInformationAccess) else { return }
        var reader = try NodeReader(node)
        var count = 0
        while let description = reader.nextIfAny() {
            var fields = try NodeReader(description)
            _ = try fields.next().objectIdentifier()
            _ = try GeneralName(try fields.next())
            try fields.end()
            count += 1
            if count > 32 { throw EncodingError("an authorityInfoAccess of more than 32 places") }
        }
        if count == 0 { throw EncodingError("an empty authorityInfoAccess") }
    }

    /// Whether the extension is marked critical; nil when the certificate does not have it.
    func isCritical(_ identifier: ASN1ObjectIdentifier) -> Bool? {
        extensions.first { $0.identifier == identifier }?.isCritical
    }

    func nameConstraints() throws -> NameConstraints? {
        guard let node = try value(.nameConstraints) else { return nil }
        var reader = try NodeReader(node)
        var result = NameConstraints()
        if let subtrees = reader.next(ifContext: 0) { result.permitted = try Self.subtrees(subtrees) }
        if let subtrees = reader.next(ifContext: 1) { result.excluded = try Self.subtrees(subtrees) }
        try reader.end()
        guard !result.permitted.isEmpty || !result.excluded.isEmpty else {
            throw EncodingError("empty name constraints")
        }
        // An e-mail constraint that cannot be read arrives as empty text, which would permit every mailbox.
        for case .email("") in result.permitted + result.excluded {
            throw EncodingError("an empty constraint of e-mail")
        }
        return result
    }

    private static func subtrees(_ node: ASN1Node) throws -> [GeneralName] {
        var reader = try NodeReader(contentsOf: node)
        var result: [GeneralName] = []
        while let subtree = reader.nextIfAny() {
            var fields = try NodeReader(subtree)
            result.append(try GeneralName(try fields.next()))
            // Minimum and maximum are not used in this profile (RFC 5280 §4.2.1.10).
            try fields.end()
        }
        guard !result.isEmpty else { throw EncodingError("empty name constraints") }
        return result
    }
}

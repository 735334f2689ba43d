import SwiftASN1

extension EncodedCertificate {
    /// The policies under which the certificate was issued (RFC 5280 §4.2.1.4), as numbers with dots; nil when they
    /// cannot be read.
    package var policies: [String]? { try? content?.policies().map(\.description) }

    /// The types that a qualified certificate says it has (ETSI EN 319 412-5 §4.2.3), as numbers with dots; nil when
    /// they cannot be read.
    package var qualifiedTypes: [String]? { try? content?.qualifiedTypes().map(\.description) }
}

extension CertificateContent {
    fileprivate func policies() throws -> [ASN1ObjectIdentifier] {
        var result: [ASN1ObjectIdentifier] = []
        for policy in try elements(of: .certificatePolicies) {
            var fields = try NodeReader(policy)
            result.append(try fields.next().objectIdentifier())
        }
        return result
    }

    fileprivate func qualifiedTypes() throws -> [ASN1ObjectIdentifier] {
        var result: [ASN1ObjectIdentifier] = []
        // RFC 3739 §3.2.6.
        for statement in try elements(of: [1, 3, 6, 1, 5, 5, 7, 1, 3]) {
            var fields = try NodeReader(statement)
            guard try fields.next().objectIdentifier() == [0, 4, 0, 1862, 1, 6] else { continue }
            var types = try NodeReader(try fields.next())
            while let type = types.nextIfAny() { result.append(try type.objectIdentifier()) }
        }
        return result
    }

    /// The elements of an extension that is a sequence; empty when the certificate does not have the extension.
    private func elements(of identifier: ASN1ObjectIdentifier) throws -> [ASN1Node] {
        guard let found = extensions.first(where: { $0.identifier == identifier }) else { return [] }
        var reader = try NodeReader(try DER.parse(found.value))
        var result: [ASN1Node] = []
        while let node = reader.nextIfAny() { result.append(node) }
        return result
    }
}

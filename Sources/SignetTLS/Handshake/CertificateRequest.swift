import SwiftASN1

/// A server's request for a client certificate in TLS 1.2 (RFC 5246 §7.4.4). TLS 1.3 encrypts it.
package struct CertificateRequest: Sendable, Hashable {
    /// The kinds of keys that the server takes: 1 is RSA, 64 is ECDSA (RFC 8422 §5.5).
    package let certificateTypes: [UInt8]
    /// Empty before TLS 1.2.
    package let signatureSchemes: [SignatureScheme]
    /// The names of the authorities that the server takes, as ``EncodedCertificate/subject`` shows them. An empty list
    /// means that the server does not say.
    package let authorities: [String]
    /// The length of the list of authorities.
    package let authoritiesByteCount: Int

    /// The limit of names that are read; their number follows from the length of the list.
    static let maximumAuthorities = 4_096

    /// Reads the body of the message; nil when it is malformed.
    ///
    /// - Parameter hasSchemes: false before TLS 1.2.
    package init?(body: ArraySlice<UInt8>, hasSchemes: Bool = true) {
        var reader = ByteReader(body)
        guard let types = reader.vector(1) else { return nil }
        certificateTypes = Array(types)
        if hasSchemes {
            guard let schemes = reader.pairs(2) else { return nil }
            signatureSchemes = schemes.map(SignatureScheme.init)
        } else {
            signatureSchemes = []
        }
        guard let list = reader.vector(2), reader.isAtEnd else { return nil }
        authoritiesByteCount = list.count
        var names = ByteReader(list)
        var authorities: [String] = []
        while !names.isAtEnd {
            guard let name = names.vector(2) else { return nil }
            if authorities.count < Self.maximumAuthorities { authorities.append(Self.text(name)) }
        }
        self.authorities = authorities
    }

    private static func text(_ name: ArraySlice<UInt8>) -> String {
        guard name.count <= CertificateContent.maximumBytes, let node = try? DER.parse(name),
            let name = try? DistinguishedName(node)
        else { return "(unreadable)" }
        return name.text
    }

    /// The name of a kind of key, as ``certificateTypes`` numbers them.
    package static func typeName(_ type: UInt8) -> String {
        switch type {
        case 1: "rsa_sign"
        case 2: "dss_sign"
        case 3: "rsa_fixed_dh"
        case 4: "dss_fixed_dh"
        case 64: "ecdsa_sign"
        case 65: "rsa_fixed_ecdh"
        case 66: "ecdsa_fixed_ecdh"
        default: "certificate type \(type)"
        }
    }
}

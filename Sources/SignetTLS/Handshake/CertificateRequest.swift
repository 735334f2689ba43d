import SwiftASN1

/// A server's request for a client certificate (RFC 5246 §7.4.4, RFC 8446 §4.3.2).
package struct CertificateRequest: Sendable, Hashable {
    /// The kinds of keys that the server takes: 1 is RSA, 64 is ECDSA (RFC 8422 §5.5); empty in TLS 1.3.
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
    /// - Parameter version: of TLS, `0x0303` for 1.2.
    package init?(body: ArraySlice<UInt8>, version: UInt16 = 0x0303) {
        let reader = ByteReader(body)
        if version < 0x0304 { self.init(reader, hasSchemes: version >= 0x0303) } else { self.init(ofTLS13: reader) }
    }

    private init?(_ reader: ByteReader, hasSchemes: Bool) {
        var reader = reader
        guard let types = reader.vector(1), let schemes = hasSchemes ? reader.pairs(2) : [],
            let list = reader.vector(2), reader.isAtEnd, let authorities = Self.authorities(list)
        else { return nil }
        certificateTypes = Array(types)
        signatureSchemes = schemes.map(SignatureScheme.init)
        authoritiesByteCount = list.count
        self.authorities = authorities
    }

    /// The schemes and the authorities are in the extensions signature_algorithms and certificate_authorities.
    private init?(ofTLS13 reader: ByteReader) {
        var reader = reader
        guard reader.vector(1) != nil, let extensions = reader.extensions(), reader.isAtEnd else { return nil }
        var schemes: [UInt16]?
        var (authorities, count): ([String], Int) = ([], 0)
        for (type, value) in extensions {
            var value = ByteReader(value)
            switch type {
            case 13: schemes = value.pairs(2)
            case 47:
                guard let list = value.vector(2), let names = Self.authorities(list) else { return nil }
                (authorities, count) = (names, list.count)
            default: break
            }
        }
        guard let schemes else { return nil }
        certificateTypes = []
        signatureSchemes = schemes.map(SignatureScheme.init)
        self.authorities = authorities
        authoritiesByteCount = count
    }

    private static func authorities(_ list: ArraySlice<UInt8>) -> [String]? {
        var names = ByteReader(list)
        var authorities: [String] = []
        while !names.isAtEnd {
            guard let name = names.vector(2) else { return nil }
            if authorities.count < maximumAuthorities { authorities.append(text(name)) }
        }
        return authorities
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

import Crypto
import CryptoExtras
import SwiftASN1

/// Writes a PFX as current software reads it: PBES2 with PBKDF2-HMAC-SHA-256 and AES-256-CBC, MAC with SHA-256.
struct PFXWriter {
    let password: PFXPassword
    let iterations: Int

    /// - Parameter localKeyID: ties the key to its certificate.
    func bytes(
        key: PrivateKey, leaf: EncodedCertificate, others: [EncodedCertificate], label: String?
    ) throws -> [UInt8] {
        let localKeyID = Array(Insecure.SHA1.hash(data: leaf.der))
        let certificates = try Self.der { coder in
            try coder.appendSequence { coder in
                try coder.appendBag(.PKCS12.certificateBag, label: label, localKeyID: localKeyID) {
                    try $0.appendCertificate(leaf)
                }
                for certificate in others {
                    try coder.appendBag(.PKCS12.certificateBag) { try $0.appendCertificate(certificate) }
                }
            }
        }
        let (keyAlgorithm, shroudedKey) = try encrypted(key.pkcs8)
        let keys = try Self.der { coder in
            try coder.appendSequence { coder in
                try coder.appendBag(.PKCS12.shroudedKeyBag, label: label, localKeyID: localKeyID) { coder in
                    coder.appendSequence { coder in
                        coder.serializeRawBytes(keyAlgorithm)
                        coder.appendOctets(shroudedKey)
                    }
                }
            }
        }
        let (certificateAlgorithm, encryptedCertificates) = try encrypted(certificates)
        let safe = try Self.der { coder in
            try coder.appendSequence { coder in
                try coder.appendContent(.PKCS12.encryptedData) { coder in
                    try coder.appendSequence { coder in
                        try coder.serialize(0)
                        try coder.appendSequence { coder in
                            try coder.serialize(ASN1ObjectIdentifier.PKCS12.data)
                            coder.serializeRawBytes(certificateAlgorithm)
                            coder.appendPrimitiveNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific)) {
                                $0.append(contentsOf: encryptedCertificates)
                            }
                        }
                    }
                }
                try coder.appendContent(.PKCS12.data) { $0.appendOctets(keys) }
            }
        }
        return try sealed(safe)
    }

    /// The whole file around an AuthenticatedSafe.
    func sealed(_ safe: [UInt8]) throws -> [UInt8] {
        try Self.der { coder in
            try coder.appendSequence { coder in
                try coder.serialize(3)
                try coder.appendContent(.PKCS12.data) { $0.appendOctets(safe) }
                try appendMac(of: safe, to: &coder)
            }
        }
    }

    private func appendMac(of content: [UInt8], to coder: inout DER.Serializer) throws {
        let salt = Self.random(16)
        let key = PFXMac.derivedKey(
            SHA256.self, password: password.bmpForms.first ?? [], salt: salt, iterations: iterations)
        let code = Array(HMAC<SHA256>.authenticationCode(for: content, using: key))
        try coder.appendSequence { coder in
            try coder.appendSequence { coder in
                try coder.appendAlgorithm(.sha256) { $0.appendNull() }
                coder.appendOctets(code)
            }
            coder.appendOctets(salt)
            try coder.serialize(iterations)
        }
    }

    private func encrypted(_ plain: [UInt8]) throws -> (algorithm: [UInt8], bytes: [UInt8]) {
        let salt = Self.random(16)
        let vector = Self.random(16)
        let key = try password.key(salt: salt[...], iterations: iterations, hash: .sha256, byteCount: 32)
        let algorithm = try Self.der { coder in
            try coder.appendAlgorithm(.PBES2.scheme) { coder in
                try coder.appendSequence { coder in
                    try coder.appendAlgorithm(.PBES2.pbkdf2) { coder in
                        try coder.appendSequence { coder in
                            coder.appendOctets(salt)
                            try coder.serialize(iterations)
                            try coder.appendAlgorithm(.PBES2.hmacSHA256) { $0.appendNull() }
                        }
                    }
                    try coder.appendAlgorithm(.PBES2.aes256CBC) { $0.appendOctets(vector) }
                }
            }
        }
        return (algorithm, Array(try AES._CBC.encrypt(plain, using: key, iv: .init(ivBytes: vector))))
    }

    private static func random(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }

    private static func der(_ body: (inout DER.Serializer) throws -> Void) rethrows -> [UInt8] {
        var coder = DER.Serializer()
        try body(&coder)
        return coder.serializedBytes
    }
}

extension DER.Serializer {
    fileprivate typealias Body = (inout DER.Serializer) throws -> Void

    fileprivate mutating func appendSequence(_ body: Body) rethrows {
        try appendConstructedNode(identifier: .sequence, body)
    }

    fileprivate mutating func appendOctets(_ bytes: [UInt8]) {
        appendPrimitiveNode(identifier: .octetString) { $0.append(contentsOf: bytes) }
    }

    fileprivate mutating func appendNull() { appendPrimitiveNode(identifier: .null) { _ in } }

    fileprivate mutating func appendAlgorithm(_ identifier: ASN1ObjectIdentifier, _ parameters: Body) throws {
        try appendSequence { coder in
            try coder.serialize(identifier)
            try parameters(&coder)
        }
    }

    /// ContentInfo and bags alike: an identifier and a value behind the explicit tag 0.
    fileprivate mutating func appendTagged(_ identifier: ASN1ObjectIdentifier, _ value: Body) throws {
        try serialize(identifier)
        try appendConstructedNode(identifier: .init(tagWithNumber: 0, tagClass: .contextSpecific), value)
    }

    fileprivate mutating func appendContent(_ type: ASN1ObjectIdentifier, _ value: Body) throws {
        try appendSequence { try $0.appendTagged(type, value) }
    }

    fileprivate mutating func appendCertificate(_ certificate: EncodedCertificate) throws {
        try appendContent(.PKCS12.x509Certificate) { $0.appendOctets(certificate.der) }
    }

    fileprivate mutating func appendBag(
        _ type: ASN1ObjectIdentifier, label: String? = nil, localKeyID: [UInt8]? = nil, _ value: Body
    ) throws {
        try appendSequence { coder in
            try coder.appendTagged(type, value)
            guard label != nil || localKeyID != nil else { return }
            try coder.appendConstructedNode(identifier: .set) { coder in
                // DER orders the members of a set by their bytes (X.690 §11.6).
                var attributes: [[UInt8]] = []
                if let label {
                    let units = label.utf16.flatMap {
                        [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
                    }
                    attributes.append(try Self.attribute(.PKCS12.friendlyName, .bmpString, units))
                }
                if let localKeyID {
                    attributes.append(try Self.attribute(.PKCS12.localKeyID, .octetString, localKeyID))
                }
                for attribute in attributes.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
                    coder.serializeRawBytes(attribute)
                }
            }
        }
    }

    private static func attribute(
        _ type: ASN1ObjectIdentifier, _ kind: ASN1Identifier, _ bytes: [UInt8]
    ) throws -> [UInt8] {
        var coder = DER.Serializer()
        try coder.appendSequence { coder in
            try coder.serialize(type)
            coder.appendConstructedNode(identifier: .set) { coder in
                coder.appendPrimitiveNode(identifier: kind) { $0.append(contentsOf: bytes) }
            }
        }
        return coder.serializedBytes
    }
}

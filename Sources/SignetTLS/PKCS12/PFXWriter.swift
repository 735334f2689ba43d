import Crypto
import SwiftASN1

/// Writes a PFX (RFC 7292) with one identity.
struct PFXWriter {
    let password: FilePassword
    let algorithms: PFXAlgorithms

    /// - Parameter localKeyID: the identifier that the key shares with its certificate.
    func bytes(
        key: PrivateKey, leaf: EncodedCertificate, others: [EncodedCertificate], label: String?
    ) throws -> [UInt8] {
        let localKeyID = Array(Insecure.SHA1.hash(data: leaf.der))
        let certificates = try DER.bytes { coder in
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
        let keys = try DER.bytes { coder in
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
        let safe = try DER.bytes { coder in
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

    /// The whole file that contains an AuthenticatedSafe.
    func sealed(_ safe: [UInt8]) throws -> [UInt8] {
        try DER.bytes { coder in
            try coder.appendSequence { coder in
                try coder.serialize(3)
                try coder.appendContent(.PKCS12.data) { $0.appendOctets(safe) }
                try appendMac(of: safe, to: &coder)
            }
        }
    }

    private func appendMac(of content: [UInt8], to coder: inout DER.Serializer) throws {
        let salt = [UInt8].random(16)
        let iterations = algorithms.iterations
        switch algorithms.kind {
        case .aes256SHA256, .tripleDESSHA1:
            let isOld = algorithms.kind == .tripleDESSHA1
            let key = PFXMac.derivedKey(
                isOld ? .sha1 : .sha256, password: password.wideForms.first ?? [], salt: salt, iterations: iterations)
            let code = isOld ? Self.code(Insecure.SHA1.self, content, key) : Self.code(SHA256.self, content, key)
            try coder.appendMacData(salt: salt, iterations: iterations, code: code) { coder in
                try coder.appendAlgorithm(isOld ? .sha1 : .sha256) { $0.appendNull() }
            }
        case .aes256PBMAC1:
            let derivation = PBKDF2(salt: salt, iterations: iterations, keyLength: 32)
            let key = try derivation.key(password.narrowForms.first ?? [], byteCount: 32)
            // The salt and iterations next to the algorithm have no meaning here (RFC 9579 §4).
            try coder.appendMacData(salt: [0], iterations: 1, code: Self.code(SHA256.self, content, key)) { coder in
                try coder.appendAlgorithm(.PBES2.pbmac1) { coder in
                    try coder.appendSequence { coder in
                        try coder.append(derivation)
                        try coder.appendAlgorithm(.HMAC.sha256) { $0.appendNull() }
                    }
                }
            }
        }
    }

    private static func code<H: HashFunction>(_: H.Type, _ content: [UInt8], _ key: SymmetricKey) -> [UInt8] {
        Array(HMAC<H>.authenticationCode(for: content, using: key))
    }

    private func encrypted(_ plain: [UInt8]) throws -> (algorithm: [UInt8], bytes: [UInt8]) {
        algorithms.kind == .tripleDESSHA1
            ? try PasswordEncryption.tripleDES(plain, password: password, iterations: algorithms.iterations)
            : try PasswordEncryption.aes256(plain, password: password, iterations: algorithms.iterations)
    }

}

extension DER.Serializer {
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
                var attributes: [[UInt8]] = []
                if let label {
                    let units = label.utf16.flatMap {
                        [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
                    }
                    attributes.append(
                        try DER.attribute(.PKCS12.friendlyName) {
                            $0.appendPrimitiveNode(identifier: .bmpString) { $0.append(contentsOf: units) }
                        })
                }
                if let localKeyID {
                    attributes.append(try DER.attribute(.PKCS12.localKeyID) { $0.appendOctets(localKeyID) })
                }
                coder.appendSorted(attributes)
            }
        }
    }
}

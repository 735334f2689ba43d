import Crypto
import CryptoExtras

/// The public key of a certificate, with which signatures over documents are checked.
package struct VerificationKey: Sendable {
    private let key: PublicKey

    /// Why a certificate has no usable key, as the end of a sentence: “… has ”.
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
        package var isTooWeak = false
    }

    package init(of certificate: EncodedCertificate) throws(Problem) {
        guard let content = certificate.content else { throw Problem(description: "no certificate that can be read") }
        guard PublicKey.signatureRestriction(content.publicKeyInfo) == nil else {
            throw Problem(description: "a key for RSA-PSS alone, which is not supported")
        }
        do { key = try PublicKey(publicKeyInfo: content.publicKeyInfo) } catch {
            if case .weak = error { throw Problem(description: "\(error)", isTooWeak: true) }
            throw Problem(description: "\(error)")
        }
    }

    /// Whether the owner of the key made `signature` over `message`; also false when the key does not fit the algorithm.
    ///
    /// - Parameter signature: for ECDSA r and s, each as long as the order of the curve (IEEE P1363).
    package func isValid(_ signature: [UInt8], _ algorithm: SigningAlgorithm, over message: [UInt8]) -> Bool {
        switch (algorithm.value, key) {
        case (.ed25519, .ed25519(let key)): key.isValidSignature(signature, for: message)
        case (.rsaPKCS1(let hash), .rsa(let key)):
            hash.check(message) {
                key.isValidSignature(.init(rawRepresentation: signature), for: $0, padding: .insecurePKCS1v1_5)
            }
        case (.rsaPSS(let hash), .rsa(let key)):
            hash.check(message) { key.isValidSignature(.init(rawRepresentation: signature), for: $0, padding: .PSS) }
        case (.ecdsa(let hash), .p256(let key)):
            (try? P256.Signing.ECDSASignature(rawRepresentation: signature)).map { signature in
                hash.check(message) { key.isValidSignature(signature, for: $0) }
            } ?? false
        case (.ecdsa(let hash), .p384(let key)):
            (try? P384.Signing.ECDSASignature(rawRepresentation: signature)).map { signature in
                hash.check(message) { key.isValidSignature(signature, for: $0) }
            } ?? false
        case (.ecdsa(let hash), .p521(let key)):
            (try? P521.Signing.ECDSASignature(rawRepresentation: signature)).map { signature in
                hash.check(message) { key.isValidSignature(signature, for: $0) }
            } ?? false
        default: false
        }
    }

    /// Whether the owner of the key made a signature with RSA PKCS#1 v1.5 over any message (RFC 8017 §9.2); false for other
    /// keys, whose signatures do not show it.
    package func isRSASignature(_ signature: [UInt8]) -> Bool {
        guard case .rsa(let key) = key, let numbers = try? key.getKeyPrimitives(),
            let operation = RSAPublicOperation(modulus: numbers.modulus, exponent: numbers.publicExponent),
            let plain = operation.apply(to: signature[...])
        else { return false }
        let rest = plain.dropFirst(2).drop { $0 == 0xFF }
        return plain.starts(with: [0, 1]) && plain.count - 2 - rest.count >= 8 && rest.first == 0
    }

    /// Whether the owner made a signature with RSA PKCS#1 v1.5 over SHA-1, which no longer protects against a signer who makes two documents.
    package func isValidInsecureSHA1(_ signature: [UInt8], over message: [UInt8]) -> Bool {
        guard case .rsa(let key) = key else { return false }
        return key.isValidSignature(
            .init(rawRepresentation: signature), for: Insecure.SHA1.hash(data: message), padding: .insecurePKCS1v1_5)
    }
}

extension SigningAlgorithm.Hash.Value {
    fileprivate func check(_ message: [UInt8], _ body: (any Digest) -> Bool) -> Bool {
        switch self {
        case .sha256: body(SHA256.hash(data: message))
        case .sha384: body(SHA384.hash(data: message))
        case .sha512: body(SHA512.hash(data: message))
        }
    }
}

extension KeyPair {
    /// Signs a document. For ECDSA the signature is r and s, each as long as the order of the curve (IEEE P1363).
    ///
    /// - Throws: ``SigningKeyError``.
    package func documentSignature(
        _ algorithm: SigningAlgorithm, over message: [UInt8]
    ) async throws(SigningKeyError) -> [UInt8] {
        let signature = try await signature(algorithm, over: message)
        guard algorithm.isECDSA else { return signature }
        let raw: [UInt8]? =
            switch key.publicKey {
            case .p256:
                (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map { Array($0.rawRepresentation) }
            case .p384:
                (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map { Array($0.rawRepresentation) }
            case .p521:
                (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map { Array($0.rawRepresentation) }
            case .rsa, .ed25519: nil
            }
        guard let raw else {
            throw SigningKeyError(.failed, "The key signed with \(algorithm), and its signature is malformed.")
        }
        return raw
    }

    /// The algorithms with which the key can sign, the most widely known first.
    package var documentAlgorithms: [SigningAlgorithm] {
        let all: [SigningAlgorithm] =
            switch key.publicKey {
            case .rsa:
                [
                    .rsaPKCS1(.sha256), .rsaPKCS1(.sha384), .rsaPKCS1(.sha512), .rsaPSS(.sha256), .rsaPSS(.sha384),
                    .rsaPSS(.sha512),
                ]
            case .p256: [.ecdsa(.sha256), .ecdsa(.sha384), .ecdsa(.sha512)]
            case .p384: [.ecdsa(.sha384), .ecdsa(.sha256), .ecdsa(.sha512)]
            case .p521: [.ecdsa(.sha512), .ecdsa(.sha256), .ecdsa(.sha384)]
            case .ed25519: [.ed25519]
            }
        guard case .signsOnly(let signer) = key else { return all }
        return all.filter(signer.algorithms.contains)
    }
}

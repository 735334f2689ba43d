import Crypto
import CryptoExtras
import SwiftASN1

/// A ``SigningKey`` with its public half, which checks every signature that the key makes.
package struct Signer: Sendable {
    let key: any SigningKey
    let publicKey: PublicKey
    /// The key's algorithms that fit its kind; never empty.
    package let algorithms: [SigningAlgorithm]
    package var name: String { key.name }

    init(_ key: any SigningKey) throws(IdentityError) {
        self.key = key
        let info = key.publicKeyInfo
        do {
            publicKey = try PublicKey(publicKeyInfo: info[...])
        } catch {
            let code: IdentityError.Code = if case .malformed = error { .damaged } else { .unsupportedAlgorithm }
            throw IdentityError(code, "The public half of the key \(key.name) is \(error).", cause: error)
        }
        guard !Self.isForPSSOnly(info) else {
            throw IdentityError(
                .unsupportedAlgorithm,
                "The key \(key.name) says that it is for RSA-PSS only, which TLS here cannot use. Take a plain RSA key."
            )
        }
        let publicKey = publicKey
        algorithms = key.algorithms.filter { publicKey.signs(with: $0) }
        guard !algorithms.isEmpty else {
            throw IdentityError(
                .unsupportedAlgorithm,
                "The key \(key.name) offers no way of signing that fits its kind; it offers: \(key.algorithms).")
        }
    }

    private static func isForPSSOnly(_ info: [UInt8]) -> Bool {
        guard var fields = try? NodeReader(try DER.parse(info)), let first = try? fields.next() else { return false }
        return (try? AlgorithmIdentifier(first))?.algorithm == .AlgorithmIdentifier.rsaPSS
    }

    package func signature(_ algorithm: SigningAlgorithm, over message: [UInt8]) async throws(SigningKeyError)
        -> [UInt8]
    {
        guard algorithms.contains(algorithm) else {
            throw SigningKeyError(.unsupportedAlgorithm, "The key \(name) does not offer \(algorithm).")
        }
        let request = SigningRequest(algorithm: algorithm, message: message)
        let signature: [UInt8]
        do {
            signature = try await key.signature(for: request)
        } catch is CancellationError {
            throw connectionEnded()
        } catch {
            throw SigningKeyError(
                .failed,
                "The key \(name) did not sign with \(algorithm). Look at the device that holds it. It says: \(error)",
                cause: error)
        }
        // Without this check, the peer would only report a bad handshake; and a faulty RSA signature reveals the key.
        guard publicKey.accepts(signature, for: request) else {
            throw SigningKeyError(
                .invalidSignature,
                """
                The key \(name) answered \(signature.count) bytes that are not its signature with \(algorithm). Check \
                whether the device holds the key of this certificate and gives signatures as SigningKey asks for.
                """)
        }
        return signature
    }

    package func connectionEnded() -> SigningKeyError {
        SigningKeyError(.connectionEnded, "The key \(name) had not signed when the connection ended.")
    }
}

extension PublicKey {
    func signs(with algorithm: SigningAlgorithm) -> Bool {
        switch (self, algorithm.value) {
        case (.rsa, .rsaPKCS1), (.rsa, .rsaPSS), (.p256, .ecdsa), (.p384, .ecdsa), (.p521, .ecdsa),
            (.ed25519, .ed25519):
            true
        default: false
        }
    }
}

extension PublicKey {
    fileprivate func accepts(_ signature: [UInt8], for request: SigningRequest) -> Bool {
        switch request.algorithm.hash?.value {
        case .sha256: accepts(signature, SHA256.hash(data: request.message), request.algorithm)
        case .sha384: accepts(signature, SHA384.hash(data: request.message), request.algorithm)
        case .sha512: accepts(signature, SHA512.hash(data: request.message), request.algorithm)
        case nil:
            if case .ed25519(let key) = self { key.isValidSignature(signature, for: request.message) } else { false }
        }
    }

    private func accepts(_ signature: [UInt8], _ digest: some Digest, _ algorithm: SigningAlgorithm) -> Bool {
        switch (self, algorithm.value) {
        case (.rsa(let key), .rsaPKCS1):
            return key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .insecurePKCS1v1_5)
        case (.rsa(let key), .rsaPSS):
            return key.isValidSignature(.init(rawRepresentation: signature), for: digest, padding: .PSS)
        case (.p256(let key), .ecdsa):
            guard let pair = try? P256.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(pair, for: digest)
        case (.p384(let key), .ecdsa):
            guard let pair = try? P384.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(pair, for: digest)
        case (.p521(let key), .ecdsa):
            guard let pair = try? P521.Signing.ECDSASignature(derRepresentation: signature) else { return false }
            return key.isValidSignature(pair, for: digest)
        default: return false
        }
    }
}

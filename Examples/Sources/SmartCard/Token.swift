import Dispatch
import Signet

/// A token of a PKCS#11 module in which a user has logged in.
final class Token: Sendable {
    let label: String
    private let module: CryptokiModule
    private let session: UInt
    private let mechanisms: Set<UInt>
    /// A session can run only one operation at a time, and every call may wait for the device.
    private let queue: DispatchQueue

    /// - Parameters:
    ///   - module: the path of the module's shared library, for example that of OpenSC or of a vendor.
    ///   - label: the label of the token.
    ///   - pin: the user's PIN; it is not stored.
    init(module path: String, label: String, pin: String) throws {
        self.label = label
        module = try CryptokiModule(path: path)
        let slot = try module.slot(ofToken: label)
        mechanisms = try module.mechanisms(slot)
        session = try module.openSession(slot, pin: pin)
        queue = DispatchQueue(label: "token \(label)")
    }

    /// The private key with this label, and the public key beside it.
    func key(label: String) throws -> TokenKey {
        // CKO_PRIVATE_KEY and CKO_PUBLIC_KEY.
        let keys = try module.objects(session, class: 3, label: label)
        let others = try module.objects(session, class: 2, label: label)
        guard let key = keys.first, let other = others.first, keys.count == 1, others.count == 1 else {
            throw CryptokiModule.Failure(
                "The token “\(self.label)” has \(keys.count) private and \(others.count) public keys “\(label)” instead of one."
            )
        }
        func attribute(_ type: UInt) throws -> [UInt8] { try module.attribute(session, other, type) }
        // CKA_KEY_TYPE is a number in the machine's order.
        let kind = try attribute(0x100).reversed().reduce(UInt(0)) { $0 << 8 | UInt($1) }
        let offered: [SigningAlgorithm]
        let info: [UInt8]
        switch kind {
        case 0:
            // CKA_MODULUS and CKA_PUBLIC_EXPONENT.
            info = PublicKeyInfo.rsa(modulus: try attribute(0x120), exponent: try attribute(0x122))
            let hashes = SigningAlgorithm.Hash.allCases
            offered = hashes.map(SigningAlgorithm.rsaPSS) + hashes.map(SigningAlgorithm.rsaPKCS1)
        case 3:
            // CKA_EC_PARAMS and CKA_EC_POINT.
            let point = try attribute(0x181)
            info = PublicKeyInfo.elliptic(curve: try attribute(0x180), point: point)
            // The curve determines the length of the point, and TLS determines the hash by the curve.
            offered = [.ecdsa(point.count < 80 ? .sha256 : point.count < 110 ? .sha384 : .sha512)]
        default: throw CryptokiModule.Failure("The key “\(label)” is of the kind \(kind), which is not used here.")
        }
        return TokenKey(
            token: self, handle: key, label: label, publicKeyInfo: info,
            algorithms: offered.filter { Cryptoki.mechanism($0).map { mechanisms.contains($0.type) } ?? false })
    }

    func sign(_ key: UInt, _ request: SigningRequest) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { [module, session] in
                continuation.resume(
                    with: Result {
                        guard let (type, parameters, takesDigest) = Cryptoki.mechanism(request.algorithm) else {
                            throw CryptokiModule.Failure("The token does not sign with \(request.algorithm).")
                        }
                        return try module.sign(
                            session, key, mechanism: type, parameters: parameters,
                            takesDigest ? request.digest ?? [] : request.message)
                    })
            }
        }
    }
}

/// A key that never leaves its token.
struct TokenKey: SigningKey {
    let token: Token
    let handle: UInt
    let label: String
    let publicKeyInfo: [UInt8]
    let algorithms: [SigningAlgorithm]

    var name: String { "“\(label)” in the token “\(token.label)”" }

    func signature(for request: SigningRequest) async throws -> [UInt8] {
        let bytes = try await token.sign(handle, request)
        // PKCS#11 returns r and s concatenated.
        guard request.algorithm.isECDSA else { return bytes }
        return SigningAlgorithm.encodedECDSASignature(bytes) ?? bytes
    }
}

enum Cryptoki {
    /// The mechanism (CKM) for an algorithm: its number, its parameters, and whether it takes the digest or the
    /// message. Nil for an algorithm that is not used here.
    static func mechanism(_ algorithm: SigningAlgorithm) -> (type: UInt, parameters: [UInt], takesDigest: Bool)? {
        switch algorithm {
        case .rsaPKCS1(.sha256): (0x40, [], false)
        case .rsaPKCS1(.sha384): (0x41, [], false)
        case .rsaPKCS1(.sha512): (0x42, [], false)
        // CKM_RSA_PKCS_PSS with CK_RSA_PKCS_PSS_PARAMS: the hash, the mask's function, the length of the salt.
        case .rsaPSS(.sha256): (0x0D, [0x250, 2, 32], true)
        case .rsaPSS(.sha384): (0x0D, [0x260, 3, 48], true)
        case .rsaPSS(.sha512): (0x0D, [0x270, 4, 64], true)
        case .ed25519: (0x1057, [], false)
        default: algorithm.isECDSA ? (0x1041, [], true) : nil
        }
    }
}

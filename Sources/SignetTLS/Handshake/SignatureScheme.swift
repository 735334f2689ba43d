/// A signature scheme of TLS (RFC 8446 §4.2.3); in TLS 1.2, a hash and a signature algorithm (RFC 5246 §7.4.1.4.1).
package struct SignatureScheme: Sendable, Hashable, CustomStringConvertible {
    /// The number in the registry of IANA.
    package let code: UInt16

    package init(_ code: UInt16) { self.code = code }

    /// The IANA name.
    package var description: String { Self.names[code] ?? "signature scheme \(code)" }

    private static let names: [UInt16: String] = [
        0x0201: "rsa_pkcs1_sha1", 0x0203: "ecdsa_sha1", 0x0401: "rsa_pkcs1_sha256", 0x0501: "rsa_pkcs1_sha384",
        0x0601: "rsa_pkcs1_sha512", 0x0403: "ecdsa_secp256r1_sha256", 0x0503: "ecdsa_secp384r1_sha384",
        0x0603: "ecdsa_secp521r1_sha512", 0x0804: "rsa_pss_rsae_sha256", 0x0805: "rsa_pss_rsae_sha384",
        0x0806: "rsa_pss_rsae_sha512", 0x0807: "ed25519", 0x0808: "ed448", 0x0809: "rsa_pss_pss_sha256",
        0x080A: "rsa_pss_pss_sha384", 0x080B: "rsa_pss_pss_sha512",
        // Signet has none of the following, but others offer them.
        0x0420: "rsa_pkcs1_sha256_legacy", 0x0520: "rsa_pkcs1_sha384_legacy", 0x0620: "rsa_pkcs1_sha512_legacy",
        0x0708: "sm2sig_sm3", 0x081A: "ecdsa_brainpoolP256r1tls13_sha256",
        0x081B: "ecdsa_brainpoolP384r1tls13_sha384", 0x081C: "ecdsa_brainpoolP512r1tls13_sha512",
        0x0904: "mldsa44", 0x0905: "mldsa65", 0x0906: "mldsa87",
        // In TLS 1.2 only. The registry names hash and signature apart, so that these are named as the others are.
        0x0202: "dsa_sha1", 0x0301: "rsa_pkcs1_sha224", 0x0302: "dsa_sha224", 0x0303: "ecdsa_sha224",
        0x0402: "dsa_sha256", 0x0502: "dsa_sha384", 0x0602: "dsa_sha512",
    ]
}

extension SigningAlgorithm {
    /// The number by which TLS names this algorithm.
    package var scheme: SignatureScheme {
        let code: UInt16 =
            switch value {
            case .rsaPKCS1(.sha256): 0x0401
            case .rsaPKCS1(.sha384): 0x0501
            case .rsaPKCS1(.sha512): 0x0601
            case .rsaPSS(.sha256): 0x0804
            case .rsaPSS(.sha384): 0x0805
            case .rsaPSS(.sha512): 0x0806
            case .ecdsa(.sha256): 0x0403
            case .ecdsa(.sha384): 0x0503
            case .ecdsa(.sha512): 0x0603
            case .ed25519: 0x0807
            case .mlDSA65: 0x0905
            case .mlDSA87: 0x0906
            }
        return SignatureScheme(code)
    }
}

extension Identity {
    /// The schemes with which the key of this identity signs in TLS.
    package var signingSchemes: [SignatureScheme] {
        switch key {
        case .signsOnly(let signer): return signer.algorithms.map(\.scheme)
        case .held:
            guard let content = leaf.content, let key = try? PublicKey(publicKeyInfo: content.publicKeyInfo) else {
                return []
            }
            let hashes = SigningAlgorithm.Hash.allCases
            let algorithms: [SigningAlgorithm] =
                hashes.flatMap { [.rsaPSS($0), .rsaPKCS1($0), .ecdsa($0)] } + [.ed25519]
            return algorithms.filter { key.signs(with: $0) }.map(\.scheme)
        }
    }
}

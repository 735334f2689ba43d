import Crypto
import SwiftASN1

extension EncodedCertificate {
    /// The channel binding `tls-server-end-point` with its prefix (RFC 5929 §4.1) for a server's own certificate. It
    /// ties a login to the server that the TLS handshake has authenticated. Nil for a signature without a hash
    /// function, such as Ed25519, for which the binding is not defined.
    public var endPointBinding: [UInt8]? {
        guard let algorithm = content?.signatureAlgorithm else { return nil }
        let hash: SignatureAlgorithm.Hash
        do throws(AlgorithmProblem) {
            switch try SignatureAlgorithm(algorithm) {
            case .rsa(let used), .ecdsa(let used): hash = used
            case .rsaPSS(let parameters): hash = parameters.hash
            case .ed25519: return nil
            }
        } catch {
            // §4.1: SHA-256 replaces MD5 and SHA-1.
            guard case .weak = error else { return nil }
            hash = .sha256
        }
        let digest: [UInt8] =
            switch hash {
            case .sha256: Array(SHA256.hash(data: der))
            case .sha384: Array(SHA384.hash(data: der))
            case .sha512: Array(SHA512.hash(data: der))
            }
        return Array("tls-server-end-point:".utf8) + digest
    }
}

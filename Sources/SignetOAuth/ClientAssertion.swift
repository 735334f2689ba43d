import Crypto
import CryptoExtras
import Foundation
import SignetAuthentication
import SignetTLS

/// A JWT with which a client proves that it has a private key (RFC 7523 §3, RFC 7515).
struct ClientAssertion {
    /// How long it is valid, in seconds.
    private static let lifetime = 60

    private struct Header: Encodable {
        let alg: String
        let typ = "JWT"
        let kid: String?
    }

    private struct Claims: Encodable {
        let iss: String
        let sub: String
        let aud: String
        let jti: String
        let iat: Int
        let exp: Int
    }

    let client: String
    let audience: String
    let keyID: String?

    func signed(by identity: Identity, at now: Int) async throws -> String {
        let key = try Key(identity)
        let claims = Claims(
            iss: client, sub: client, aud: audience, jti: UUID().uuidString, iat: now, exp: now + Self.lifetime)
        let coder = JSONEncoder()
        coder.outputFormatting = .sortedKeys
        let head = try coder.encode(Header(alg: key.name, kid: keyID)).base64URL
        let message = "\(head).\(try coder.encode(claims).base64URL)"
        return "\(message).\(Data(try await key.sign(Array(message.utf8))).base64URL)"
    }

    /// A private key, and JWA's name of its signatures (RFC 7518 §3.1, RFC 8037 §3.1).
    private struct Key {
        let name: String
        let sign: ([UInt8]) async throws -> [UInt8]

        init(_ identity: Identity) throws {
            switch identity.key {
            case .held(let key): try self.init(pkcs8: key.pkcs8)
            case .signsOnly(let signer): try self.init(signer)
            }
        }

        private init(name: String, sign: @escaping ([UInt8]) async throws -> [UInt8]) {
            self.name = name
            self.sign = sign
        }

        private init(pkcs8: [UInt8]) throws {
            if let key = try? P256.Signing.PrivateKey(derRepresentation: pkcs8) {
                self.init(name: "ES256") { Array(try key.signature(for: SHA256.hash(data: $0)).rawRepresentation) }
            } else if let key = try? P384.Signing.PrivateKey(derRepresentation: pkcs8) {
                self.init(name: "ES384") { Array(try key.signature(for: SHA384.hash(data: $0)).rawRepresentation) }
            } else if let key = try? P521.Signing.PrivateKey(derRepresentation: pkcs8) {
                self.init(name: "ES512") { Array(try key.signature(for: SHA512.hash(data: $0)).rawRepresentation) }
            } else if let key = try? _RSA.Signing.PrivateKey(derRepresentation: pkcs8) {
                self.init(name: "RS256") {
                    Array(try key.signature(for: SHA256.hash(data: $0), padding: .insecurePKCS1v1_5).rawRepresentation)
                }
            } else {
                throw Self.unsupported()
            }
        }

        private init(_ signer: Signer) throws {
            for algorithm in signer.algorithms {
                switch algorithm.value {
                case .rsaPKCS1(.sha256):
                    self.init(name: "RS256") { try await signer.signature(algorithm, over: $0) }
                    return
                case .rsaPSS(.sha256):
                    self.init(name: "PS256") { try await signer.signature(algorithm, over: $0) }
                    return
                case .ed25519:
                    self.init(name: "EdDSA") { try await signer.signature(algorithm, over: $0) }
                    return
                case .ecdsa(.sha256):
                    self.init(name: "ES256") {
                        let der = try await signer.signature(algorithm, over: $0)
                        return Array(try P256.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
                    }
                    return
                case .ecdsa(.sha384):
                    self.init(name: "ES384") {
                        let der = try await signer.signature(algorithm, over: $0)
                        return Array(try P384.Signing.ECDSASignature(derRepresentation: der).rawRepresentation)
                    }
                    return
                default: continue
                }
            }
            throw Self.unsupported()
        }

        private static func unsupported() -> AuthenticationError {
            .init(
                .invalidCredentials,
                "The key of the OAuth client cannot sign an assertion: RSA, P-256, P-384, P-521 or, in a device, Ed25519 is needed."
            )
        }
    }
}

extension Data {
    /// RFC 7515 §2.
    fileprivate var base64URL: String {
        base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

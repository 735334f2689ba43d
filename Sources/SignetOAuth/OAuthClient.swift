public import SignetTLS

/// A program that is registered with an authorization server (RFC 6749 §2), and how it proves its identity.
public struct OAuthClient: Sendable {
    package enum Proof: Sendable {
        case secret(String, inContent: Bool)
        case assertion(Identity, keyID: String?, audience: String?)
        case certificate(Identity)
    }
    package let id: String
    package let proof: Proof

    /// With a secret, in the way that every server must support: Basic, with both parts encoded as in a form (§2.3.1).
    public static func secret(id: String, _ secret: String) -> OAuthClient {
        .init(id: id, proof: .secret(secret, inContent: false))
    }

    /// With a secret among the parameters, for servers that support nothing else (§2.3.1).
    public static func secretInContent(id: String, _ secret: String) -> OAuthClient {
        .init(id: id, proof: .secret(secret, inContent: true))
    }

    /// With a signature of a private key, `private_key_jwt` (RFC 7523 §2.2). The key may be one that only signs.
    ///
    /// - Parameters:
    ///   - id: the identifier of the client at the authorization server (`client_id`).
    ///   - identity: the identity whose private key signs.
    ///   - keyID: the identifier by which the server finds the public key (`kid`).
    ///   - audience: the server's own name for itself; nil for the address of the token endpoint.
    public static func privateKey(
        id: String, _ identity: Identity, keyID: String? = nil, audience: String? = nil
    ) -> OAuthClient {
        .init(id: id, proof: .assertion(identity, keyID: keyID, audience: audience))
    }

    /// With the client certificate of the connection (RFC 8705 §2). Give the transport of ``OAuthTokens`` the same
    /// identity. The tokens are then bound to the certificate (§3), and are sent only over connections that were opened
    /// with it.
    public static func mutualTLS(id: String, _ identity: Identity) -> OAuthClient {
        .init(id: id, proof: .certificate(identity))
    }
}

extension OAuthClient: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        let how =
            switch proof {
            case .secret: "a secret"
            case .assertion: "a private key"
            case .certificate: "a certificate"
            }
        return "the client “\(id)” with \(how)"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["id": id], displayStyle: .struct) }
}

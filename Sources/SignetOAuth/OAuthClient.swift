public import SignetTLS

/// A program that an authorization server knows (RFC 6749 §2), and how it proves which one it is.
public struct OAuthClient: Sendable {
    package enum Proof: Sendable {
        case secret(String, inContent: Bool)
        case assertion(Identity, keyID: String?, audience: String?)
        case certificate(Identity)
    }
    package let id: String
    package let proof: Proof

    /// By a secret, in the way that every server has to understand: Basic, with both parts encoded as in a form (§2.3.1).
    public static func secret(id: String, _ secret: String) -> OAuthClient {
        .init(id: id, proof: .secret(secret, inContent: false))
    }

    /// By a secret among the parameters, for servers that understand nothing else (§2.3.1).
    public static func secretInContent(id: String, _ secret: String) -> OAuthClient {
        .init(id: id, proof: .secret(secret, inContent: true))
    }

    /// By a signature with a private key, `private_key_jwt` (RFC 7523 §2.2). The key may be one that only signs.
    ///
    /// - Parameters:
    ///   - keyID: by which the server finds the public key (`kid`).
    ///   - audience: what the server calls itself; the address of the token endpoint when nil.
    public static func privateKey(
        id: String, _ identity: Identity, keyID: String? = nil, audience: String? = nil
    ) -> OAuthClient {
        .init(id: id, proof: .assertion(identity, keyID: keyID, audience: audience))
    }

    /// By the client certificate of the connection (RFC 8705 §2). Give the transport of ``OAuthTokens`` the same identity. Its
    /// tokens are then bound to the certificate (§3), and are sent over no connection that was opened with another.
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

/// The token of a security token service that the policies of a WSDL demand in messages (`sp:IssuedToken`, WS-SecurityPolicy 1.3 §5.4.2).
/// Generated code makes these.
public struct IssuedTokenDemand: Sendable, Hashable {
    /// Who may use a token (WS-Trust 1.3 §9.2). New types may be added: keep a `default` when switching.
    public struct KeyType: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// Any sender that has the token.
        public static let bearer = KeyType("bearer")
        /// The holder of a private key, with which messages are signed.
        public static let publicKey = KeyType("publicKey")
    }

    /// The address of the token service; nil when the WSDL names none.
    public var issuer: String?
    /// The kind of token; nil for any.
    public var type: TokenType?
    /// Who may use the token.
    public var keyType: KeyType
    /// What the token must state.
    public var claims: [TokenClaim]
    /// The version of WS-Trust by which the WSDL describes the request.
    public var version: WSTrustVersion

    /// - Parameters:
    ///   - issuer: the address of the token service; nil when the WSDL names none.
    ///   - type: the kind of token; nil for any.
    ///   - keyType: who may use the token.
    ///   - claims: what the token must state.
    ///   - version: the version of WS-Trust by which the WSDL describes the request.
    public init(
        issuer: String? = nil, type: TokenType? = nil, keyType: KeyType = .bearer, claims: [TokenClaim] = [],
        version: WSTrustVersion = .v13
    ) {
        self.issuer = issuer
        self.type = type
        self.keyType = keyType
        self.claims = claims
        self.version = version
    }
}

extension IssuedTokenDemand: CustomStringConvertible {
    public var description: String {
        "a token of \(issuer.map { "the token service “\($0)”" } ?? "a token service")\(keyType == .publicKey ? " for the holder of a key" : "")"
    }
}

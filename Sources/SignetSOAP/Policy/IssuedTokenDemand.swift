/// The token of a security token service that the policies of a WSDL demand in messages (`sp:IssuedToken`, WS-SecurityPolicy 1.3 §5.4.2).
public struct IssuedTokenDemand: Sendable, Hashable {
    /// The address of the token service; nil when the WSDL names none.
    public var issuer: String?
    /// The kind of token, as a URI; nil for any.
    public var type: String?
    /// Whether the token is for the holder of a key, with which messages are signed.
    public var isForHolder: Bool
    /// The URIs of what the token must state, and whether a token without it is accepted.
    public var claims: [String: Bool]
    /// Whether the WSDL describes the request by WS-Trust of February 2005.
    public var isOldTrust: Bool

    public init(
        issuer: String? = nil, type: String? = nil, isForHolder: Bool = false, claims: [String: Bool] = [:],
        isOldTrust: Bool = false
    ) {
        self.issuer = issuer
        self.type = type
        self.isForHolder = isForHolder
        self.claims = claims
        self.isOldTrust = isOldTrust
    }
}

extension IssuedTokenDemand: CustomStringConvertible {
    public var description: String {
        "a token of \(issuer.map { "the token service “\($0)”" } ?? "a token service")\(isForHolder ? " for the holder of a key" : "")"
    }
}

/// A claim that a security token shall state (Identity Metasystem Interoperability 1.0 §3.3.4).
public struct TokenClaim: Sendable, Hashable {
    /// Such as `http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress`.
    public var uri: String
    /// Whether a token without it is accepted.
    public var isOptional: Bool

    /// - Parameters:
    ///   - uri: names the claim.
    ///   - isOptional: whether a token without it is accepted.
    public init(_ uri: String, isOptional: Bool = false) {
        self.uri = uri
        self.isOptional = isOptional
    }
}

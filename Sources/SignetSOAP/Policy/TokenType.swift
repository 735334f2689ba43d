/// The kind of a security token, as a URI.
public struct TokenType: RawRepresentable, Sendable, Hashable {
    /// The URI.
    public let rawValue: String
    /// Makes a kind from its URI.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SAML assertion 2.0 (SAML Token Profile 1.1).
    public static let saml20 = TokenType(rawValue: profile11 + "SAMLV2.0")
    /// A SAML assertion 1.1 (SAML Token Profile 1.1).
    public static let saml11 = TokenType(rawValue: profile11 + "SAMLV1.1")
    /// The names that assertions have by their namespaces, which some services, such as ADFS, know better.
    public static let saml20Assertion = TokenType(rawValue: "urn:oasis:names:tc:SAML:2.0:assertion")
    /// The same for SAML 1.1.
    public static let saml11Assertion = TokenType(rawValue: "urn:oasis:names:tc:SAML:1.0:assertion")
    /// A JSON web token, in a BinarySecurityToken.
    public static let jwt = TokenType(rawValue: "urn:ietf:params:oauth:token-type:jwt")

    private static let profile11 = "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#"
}

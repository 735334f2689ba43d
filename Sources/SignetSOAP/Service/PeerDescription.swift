/// What the server has proved about its peer before the handler runs.
public struct PeerDescription: Sendable, Hashable {
    /// The subject of the verified client certificate; nil when the client gave none.
    public var certificateSubject: String?
    /// The SHA-256 of that certificate. It is equal only for the same certificate.
    public var certificateSHA256: [UInt8]?
    /// The certificate in DER.
    public var certificate: [UInt8]?
    /// The user whose credentials were accepted: those in the message if it has some, otherwise those over HTTP; nil
    /// when no credentials were required.
    public var user: String?
    /// The certificate in DER whose key signed the message (WS-Security); nil when no verifier demanded a signature.
    public var signerCertificate: [UInt8]?
    /// The subject of that certificate; nil when a SAML assertion names the key, because no authority has vouched for the names in the certificate then.
    public var signerSubject: String?
    /// The address and port, as `192.0.2.1:443` or `[2001:db8::1]:443`; without a port where a proxy names the client in a field of the
    /// request. Nil when the connection has no IP address.
    public var remoteAddress: String?

    /// The domain in which the name of the user has a meaning, where a SAML assertion names one (`NameQualifier`); nil otherwise. Users of two domains can have
    /// one name.
    public var userQualifier: String?
    /// Who states ``claims``, such as the issuer of a SAML assertion; nil when no verifier demanded one.
    public var issuer: String?
    /// What the issuer states about the user; empty when no verifier demanded it.
    public var claims: [Claim] = []

    /// What an issuer states about a user, such as an attribute of a SAML assertion.
    public struct Claim: Sendable, Hashable {
        /// The name; that of an attribute of SAML 1.1 comes after its namespace, as `namespace/name`.
        public var name: String
        /// The elements of the values, whose content can be a text or elements.
        public var values: [XMLFragment]
        /// The texts of the values.
        public var texts: [String] { values.map(\.text) }

        public init(name: String, values: [XMLFragment]) {
            self.name = name
            self.values = values
        }
    }

    /// Makes an unknown caller. Its properties are nil until a host or a verifier sets them.
    public init() {}
}

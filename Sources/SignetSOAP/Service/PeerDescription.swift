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
    /// The subject of that certificate.
    public var signerSubject: String?
    /// The address and port, as `192.0.2.1:443` or `[2001:db8::1]:443`; without a port where a proxy names the client in a field of the
    /// request. Nil when the connection has no IP address.
    public var remoteAddress: String?

    /// Makes an unknown caller. Its properties are nil until a host or a verifier sets them.
    public init() {}
}

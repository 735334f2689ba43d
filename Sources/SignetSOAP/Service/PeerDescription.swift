/// What the server has proved about its peer before the handler runs.
public struct PeerDescription: Sendable, Hashable {
    /// The subject of the client certificate that was verified; nil when none was given.
    public var certificateSubject: String?
    /// The SHA-256 of that certificate: the same key and name always, another certificate never.
    public var certificateSHA256: [UInt8]?
    /// The certificate in DER.
    public var certificate: [UInt8]?
    /// The user whose credentials were accepted, in the message where it holds some, else over HTTP; nil when none were asked for.
    public var user: String?
    /// Address and port, as `192.0.2.1:443` or `[2001:db8::1]:443`; nil where the connection has no IP address.
    public var remoteAddress: String?

    /// A caller of whom nothing is known. Its properties are nil until a host or a verifier sets them.
    public init() {}
}

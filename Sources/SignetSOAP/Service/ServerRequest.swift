public import HTTPTypes

/// The HTTP request as a server received it, without its content.
///
/// A handler finds it in ``OperationContext/request``. It carries data of HTTP beside the message, such as a bearer
/// token:
///
/// ```swift
/// let field = context.request?.fields[.authorization] ?? ""
/// guard field.lowercased().hasPrefix("bearer "), let user = await tokens.user(of: field.dropFirst(7))
/// else { throw SOAPFault.client("No valid token.") }
/// ```
///
/// Any client can send any field. Trust a field that a proxy sets, such as a certificate that it verified or an
/// identifier of the request, only when all clients come through this proxy, and the proxy removes such fields from
/// their requests.
///
/// Fields and query may contain secrets, so descriptions show only the names of the fields, and the path without its
/// query.
public struct ServerRequest: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path of the request, with its query, as the client sent it. For a target in absolute form (RFC 9112 §3.2.2)
    /// it omits scheme and host.
    public let path: String
    /// The host, and the port if one is named, that the request is addressed to: the value of `Host` (RFC 9110 §7.2),
    /// as the client sent it. Nil when the request names none. The client chooses it, and nothing proves it.
    public let authority: String?
    /// All fields except `Host` (``authority``) in their order, `Authorization`, `Proxy-Authorization` and `Cookie`
    /// included.
    public var fields: HTTPFields
    /// The address and port of the client, or of the proxy in front of the server when this one does not say who the client is; as
    /// `192.0.2.1:443` or `[2001:db8::1]:443`, without a port where a proxy names the client in a field. Nil when the connection has no
    /// IP address.
    public let remoteAddress: String?
    /// The identifier of the request in the log of the server; no other request of the process has it. The server does not tell it to the
    /// client, but it is no secret: it can be guessed from that of another request. Empty when the host gives it none.
    public let id: String
    /// The number of the connection, which no other connection of the process has; nil when the host gives it none.
    package var connection: UInt64?

    /// Makes a request, for hosts and tests.
    public init(
        method: HTTPRequest.Method = .post, path: String, authority: String? = nil, fields: HTTPFields = [:],
        remoteAddress: String? = nil, id: String = ""
    ) {
        self.method = method
        self.path = path
        self.authority = authority
        self.fields = fields
        self.remoteAddress = remoteAddress
        self.id = id
    }
}

extension ServerRequest: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let parts = path.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        return "\(method) \(parts.first ?? "")\(parts.count > 1 ? "?…" : "") (\(fields.names))"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

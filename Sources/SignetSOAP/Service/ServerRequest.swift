public import HTTPTypes

/// What HTTP said of a request: all but its content, as a server received it.
///
/// A handler finds it in ``OperationContext/request``, for what HTTP carries beside the message, such as a bearer
/// token:
///
/// ```swift
/// let field = context.request?.fields[.authorization] ?? ""
/// guard field.lowercased().hasPrefix("bearer "), let user = await tokens.user(of: field.dropFirst(7))
/// else { throw SOAPFault.client("No valid token.") }
/// ```
///
/// Any client can send any field. One that a proxy sets, such as a certificate that it verified or an identifier of the
/// request, is to be believed only where all clients come through this proxy, and the proxy removes what they set
/// themselves.
///
/// Fields and query may hold what is secret, so that descriptions tell the names of the fields and the path without its
/// query.
public struct ServerRequest: Sendable {
    /// The method.
    public let method: HTTPRequest.Method
    /// The path that the request asks for, with its query, as it was sent; that of a target in absolute form (RFC 9112
    /// §3.2.2) without the scheme and host before it.
    public let path: String
    /// The host, and the port where one is named, that the request is for: the value of `Host` (RFC 9110 §7.2), as it
    /// was sent. Nil where the request names none. The client chooses it, and nothing proves it.
    public let authority: String?
    /// All fields but `Host` (``authority``) in their order, `Authorization`, `Proxy-Authorization` and `Cookie`
    /// included.
    public var fields: HTTPFields
    /// The address and port of the other end of the connection, which is a proxy where one stands before the server; as
    /// `192.0.2.1:443` or `[2001:db8::1]:443`. Nil where the connection has no IP address.
    public let remoteAddress: String?
    /// What names the request in the log of the server; the client does not know it. Empty where the host gives it no
    /// name.
    public let id: String

    /// For hosts and tests.
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

/// What schemes have to know of a request that vouch for it.
public struct AuthenticationRequest: Sendable {
    /// The method of HTTP as it is sent. Digest and OAuth vouch for it.
    public var method: String
    /// The request target as the origin gets it: path and query; with `CONNECT` host and port.
    public var target: String
    /// Whether the content is `application/x-www-form-urlencoded`.
    public var isForm = false
    /// The body as it is sent; asked for only where the scheme covers it.
    public var content: (@Sendable () -> [UInt8])?

    /// With content that nobody has before it is sent. Schemes that cover the content cannot vouch for it.
    public init(method: String, target: String) {
        self.method = method
        self.target = target
    }

    /// With content that is known before it is sent.
    ///
    /// - Parameter content: the whole body. It is evaluated only where the scheme covers it.
    public init(method: String, target: String, content: @escaping @Sendable @autoclosure () -> [UInt8]) {
        self.method = method
        self.target = target
        self.content = content
    }
}

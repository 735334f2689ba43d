/// What schemes have to know of a request that vouch for it.
public struct AuthenticationRequest: Sendable {
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

    public init(method: String, target: String, content: @escaping @Sendable @autoclosure () -> [UInt8]) {
        self.method = method
        self.target = target
        self.content = content
    }
}

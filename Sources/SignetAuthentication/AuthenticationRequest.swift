/// The parts of a request that schemes sign or prove.
public struct AuthenticationRequest: Sendable {
    /// The HTTP method as sent. Digest and OAuth cover it.
    public var method: String
    /// The request target in the form for an origin: path and query; with `CONNECT`, host and port.
    public var target: String
    /// Whether the content is `application/x-www-form-urlencoded`.
    public var isForm = false
    /// The body as sent. It is called only when the scheme covers the body.
    public var content: (@Sendable () -> [UInt8])?

    /// For content that is not known before it is sent. Schemes that cover the content cannot be used.
    public init(method: String, target: String) {
        self.method = method
        self.target = target
    }

    /// For content that is known before it is sent.
    ///
    /// - Parameters:
    ///   - method: the HTTP method as sent.
    ///   - target: path and query; with `CONNECT`, host and port.
    ///   - content: the whole body. It is evaluated only when the scheme covers it.
    public init(method: String, target: String, content: @escaping @Sendable @autoclosure () -> [UInt8]) {
        self.method = method
        self.target = target
        self.content = content
    }
}

/// What schemes have to know of a request that vouch for it.
package struct AuthenticationRequest: Sendable {
    package var method: String
    /// The request target as the origin gets it: path and query; with `CONNECT` host and port.
    package var target: String
    /// Whether the content is `application/x-www-form-urlencoded`.
    package var isForm = false
    /// Asked for only where it is covered.
    package var content: @Sendable () -> [UInt8]

    package init(method: String, target: String, content: @escaping @Sendable @autoclosure () -> [UInt8]) {
        self.method = method
        self.target = target
        self.content = content
    }
}

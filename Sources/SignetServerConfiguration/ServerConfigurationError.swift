#if Server
/// Why a configuration cannot be used.
public struct ServerConfigurationError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key or the place, what is wrong, and what to do next. It holds no secret.
    public var message: String

    /// - Parameter message: the key or the place, what is wrong, and what to do next; it must hold no secret.
    public init(_ message: String) { self.message = message }

    public var description: String { message }
}
#endif

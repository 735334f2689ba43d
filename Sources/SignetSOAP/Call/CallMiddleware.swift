/// Sees every call of a client above the envelope: for logging, metrics, tracing, retry.
///
/// A middleware that calls `next` again passes everything below again, so that nonces, time stamps and message
/// identifiers are new.
public protocol CallMiddleware: Sendable {
    /// Calls `next` to go on, and returns or changes what it gives; a fault arrives as a thrown error.
    ///
    /// - Parameter operation: the operation's name in the WSDL.
    func intercept<Input: XMLStructure, Output: XMLStructure>(
        _ input: Input, operation: String, endpoint: Endpoint, next: @Sendable (Input) async throws -> Output
    ) async throws -> Output
}

/// A generated client. What it is made of can be changed for a copy of it.
public protocol ServiceClient: Sendable {
    var caller: ServiceCaller { get }
    init(_ caller: ServiceCaller)
}

extension ServiceClient {
    /// The same client with something about its calls changed, for example a longer deadline.
    ///
    /// ```swift
    /// let patient = webEase.with { $0.deadlines.total = .seconds(300) }
    /// ```
    public func with(_ change: (inout ServiceCaller) -> Void) -> Self {
        var caller = caller
        change(&caller)
        return Self(caller)
    }
}

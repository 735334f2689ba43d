/// A generated client. Its caller can be changed in a copy of it.
public protocol ServiceClient: Sendable {
    /// Makes the client's calls.
    var caller: ServiceCaller { get }
    /// Makes a client whose calls `caller` makes.
    init(_ caller: ServiceCaller)
}

extension ServiceClient {
    /// Returns the same client with changed settings of calls, for example a longer deadline.
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

/// A generated client. What it is made of can be changed for a copy of it.
public protocol ServiceClient: Sendable {
    /// Where the client's calls go, and how they are made.
    var caller: ServiceCaller { get }
    /// A client whose calls are made by `caller`.
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

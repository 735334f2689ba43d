/// Stores exceptions. There is at most one for a certificate, host and port.
public protocol TrustExceptionStore: Sendable {
    /// All exceptions, including expired ones, in the order in which they were recorded.
    func exceptions() async throws -> [TrustException]
    /// Stores an exception. It replaces the one for the same certificate, host and port.
    func record(_ exception: TrustException) async throws
    /// Removes an exception. Nothing happens when the store does not have it.
    func revoke(_ exception: TrustException) async throws
}

/// Keeps exceptions in memory for as long as the program runs.
public actor MemoryTrustExceptions: TrustExceptionStore {
    private var list: [TrustException]

    /// - Parameter exceptions: the initial content. Nothing is written to disk.
    public init(_ exceptions: [TrustException] = []) { list = exceptions }

    public func exceptions() -> [TrustException] { list }
    public func record(_ exception: TrustException) { list = list.recording(exception) }
    public func revoke(_ exception: TrustException) { list.removeAll { $0 == exception } }
}

extension [TrustException] {
    /// The content of a store after an exception was recorded.
    package func recording(_ exception: TrustException) -> [TrustException] {
        filter {
            $0.certificate != exception.certificate || $0.host != exception.host || $0.port != exception.port
        } + [exception]
    }
}

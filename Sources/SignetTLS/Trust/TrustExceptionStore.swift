/// Where exceptions are kept. There is at most one for a certificate, host and port.
public protocol TrustExceptionStore: Sendable {
    /// All of them, those that have expired as well, in the order of their recording.
    func exceptions() async throws -> [TrustException]
    /// Keeps an exception in the place of what was said of the same certificate, host and port before.
    func record(_ exception: TrustException) async throws
    /// Takes an exception back. Nothing happens when it is not there.
    func revoke(_ exception: TrustException) async throws
}

/// Keeps exceptions as long as the program runs.
public actor MemoryTrustExceptions: TrustExceptionStore {
    private var list: [TrustException]

    /// - Parameter exceptions: what is there at the start. Nothing of it is written anywhere.
    public init(_ exceptions: [TrustException] = []) { list = exceptions }

    public func exceptions() -> [TrustException] { list }
    public func record(_ exception: TrustException) { list = list.recording(exception) }
    public func revoke(_ exception: TrustException) { list.removeAll { $0 == exception } }
}

extension [TrustException] {
    /// What a store holds after an exception was recorded.
    package func recording(_ exception: TrustException) -> [TrustException] {
        filter {
            $0.certificate != exception.certificate || $0.host != exception.host || $0.port != exception.port
        } + [exception]
    }
}

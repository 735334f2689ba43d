#if Server
/// Paths at which a server says whether it works, to programs that watch it such as a balancer or systemd.
///
/// `GET` of ``live`` gets 200 while the server answers at all. `GET` of ``ready`` gets 200 when the server should be sent requests, and 503
/// when ``isReady`` says no or the server shuts down. The answers say nothing else, and the server asks for no credentials; a server that
/// requires certificates requires them here, too.
public struct HealthPaths: Sendable {
    /// The path that says whether the server answers.
    public var live = "/health/live"
    /// The path that says whether the server should be sent requests.
    public var ready = "/health/ready"
    /// Whether what the services need is there, such as a database. It is called for each request of ``ready``, and should answer within a
    /// second.
    public var isReady: @Sendable () async -> Bool

    /// - Parameter isReady: see ``isReady``; always ready unless given.
    public init(isReady: @escaping @Sendable () async -> Bool = { true }) { self.isReady = isReady }

    /// - Returns: whether the server is alive or ready; nil for another path.
    func answer(at path: Substring, isShuttingDown: Bool) async -> Bool? {
        if path == live { return true }
        guard path == ready else { return nil }
        guard !isShuttingDown else { return false }
        return await isReady()
    }
}
#endif

/// Connections to a service that stay open ahead of need, so that the first call after a pause does not wait for a handshake.
///
/// The transport opens them after the first call or `warmUp` that has got a connection, and opens another one for each that
/// closes. Before the server closes an idle one (see `Keep-Alive` of its answers, or what it has done to two others) the transport
/// closes it itself and opens a new one, so that no call meets a connection that is just being closed. Nothing is asked of a person for
/// them: an opening that needs a decision about trust fails. After a failure the transport waits before it tries again, from 1 second to 1
/// minute.
///
/// With NTLM and Negotiate, which authenticate a connection, each user's calls have connections of their own, and take none of these.
///
/// An app that is about to be suspended calls `suspendConnections()` of its client, and `resumeConnections()` when it is back.
public struct WarmConnections: Sendable, Hashable {
    /// How many connections are open at least, idle ones and those of calls together; from 1, and no more than the limits of the
    /// ``ConnectionConfiguration`` allow.
    public var count: Int
    /// For how long after the last call they are kept up, more than zero. Afterwards they close as other idle connections do.
    public var duration: Duration

    /// - Parameters:
    ///   - count: 1 unless given.
    ///   - duration: ten minutes unless given.
    public init(count: Int = 1, duration: Duration = .seconds(600)) {
        self.count = count
        self.duration = duration
    }
}

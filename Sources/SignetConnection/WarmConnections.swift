/// Connections to a service that are kept open in advance, so that the first call after a pause does not wait for a
/// handshake.
///
/// The transport opens them after the first call or `warmUp` that got a connection, and opens another one for each that
/// closes. Before the server would close an idle one (according to `Keep-Alive` in its answers, or to how it closed two
/// others), the transport closes it itself and opens a new one, so that no call gets a connection that is just being
/// closed. No person is ever asked for these connections: if opening one needs a decision about trust, it fails. After
/// a failure the transport waits before it tries again, from 1 second to 1 minute.
///
/// With NTLM and Negotiate, which authenticate a connection, each user's calls have connections of their own, and use
/// none of these.
///
/// An app that is about to be suspended calls `suspendConnections()` of its client, and `resumeConnections()` when it
/// is back.
public struct WarmConnections: Sendable, Hashable {
    /// The least number of open connections, idle ones and those of calls together: from 1 to the limits of the
    /// ``ConnectionConfiguration``.
    public var count: Int
    /// For how long after the last call they are kept open; more than zero. After that they close as other idle
    /// connections do.
    public var duration: Duration

    /// - Parameters:
    ///   - count: 1 by default.
    ///   - duration: ten minutes by default.
    public init(count: Int = 1, duration: Duration = .seconds(600)) {
        self.count = count
        self.duration = duration
    }
}

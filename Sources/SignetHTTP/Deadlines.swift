/// How long each part of a call may take. All are finite. When a deadline passes, the call ends with
/// ``TransportError``, and its connection is closed.
public struct Deadlines: Sendable, Hashable {
    /// For opening a new connection: name resolution, TCP and TLS together.
    public var connect: Duration = .seconds(10)
    /// The longest silence of the server before and during its answer.
    public var read: Duration = .seconds(30)
    /// For the whole call: waiting for a connection, every authentication leg, the complete answer.
    public var total: Duration = .seconds(60)

    /// The usual deadlines: 10 s to connect, 30 s of silence, 60 s for the call.
    public init() {}
}

/// How long each part of a call may take. All are finite; a deadline that passes ends the call with
/// ``TransportError`` and closes the connection it was on.
public struct Deadlines: Sendable, Hashable {
    /// Name resolution, TCP and TLS together, for one new connection.
    public var connect: Duration = .seconds(10)
    /// The longest silence while an answer is awaited or arriving.
    public var read: Duration = .seconds(30)
    /// The whole call: waiting for a connection, every authentication leg, the complete answer.
    public var total: Duration = .seconds(60)
    /// How long a connection nobody uses is kept.
    public var idle: Duration = .seconds(30)

    /// The usual deadlines: 10 s to connect, 30 s of silence, 60 s for the call; an idle connection is kept for 30 s.
    public init() {}
}

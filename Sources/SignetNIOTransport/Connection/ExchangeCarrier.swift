import NIOCore
import NIOHTTP1
import SignetHTTP

/// Carries the exchanges of a connection, on the event loop of its channel.
///
/// Most calls name the leg that they are about: a carrier may have several at a time.
protocol ExchangeCarrier: AnyObject {
    /// Is asked before an idle connection closes itself, and told about the connection; nil for a connection that the
    /// pool does not know.
    var owner: Connector.Owner? { get set }

    /// How many exchanges it can carry at once; nil when it begins none any more.
    var capacity: Int? { get }

    /// Sends a request. The carrier ends the leg exactly once.
    func start(_ request: OutgoingRequest, _ leg: Leg)

    /// Writes a part of the content, or its end. The future completes when it has been written, and fails with
    /// ``UnwantedContent`` when the exchange has ended.
    func write(_ part: HTTPClientRequestPart, of leg: Leg, on loop: any EventLoop) -> EventLoopFuture<Void>

    /// Keeps the content of an answer in memory after its head was judged.
    func collect(_ leg: Leg)

    /// More content of an answer after its head was judged; nil after its end.
    func demand(_ leg: Leg, on loop: any EventLoop) -> EventLoopFuture<[UInt8]?>

    /// Ends an exchange before its answer is complete.
    func abandon(_ leg: Leg, _ error: any Error)

    /// Keeps the connection for other calls, for a limited time.
    func rest()

    /// Ends all exchanges and the connection.
    func close(_ error: TransportError)
}

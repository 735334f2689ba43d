#if Server
import NIOCore
import NIOHTTP2
import SignetNIOTLS
import SignetSOAP
import SignetTLS

/// A connection on which clients make requests. What is known of the client does not change any more.
final class ServedConnection: Sendable {
    /// TLS has found out on it who the client is.
    let channel: any Channel
    /// No other connection of the process has it.
    let number: UInt64
    /// Its address, and what it has shown in TLS.
    let peer: PeerDescription
    /// That of the certificate that it has shown in TLS; nil for none.
    let path: CertificationPath?
    /// Its place among those that have proved nothing.
    let place: PeerBudget.Place
    /// The room for the content of the connection's requests.
    let room: ContentRoom
    /// Watches the content of requests over HTTP/1.1, where one comes after the other; nil over HTTP/2.
    let arrival: ArrivalDeadline?

    /// Call this on the channel's event loop, after the handshake.
    init(
        _ channel: any Channel, number: UInt64, client: SocketAddress?, _ place: PeerBudget.Place, limit: Int,
        isHTTP1: Bool
    ) {
        (self.channel, self.number, self.place) = (channel, number, place)
        path = ServerTLS.certificationPath(of: channel)
        var peer = PeerDescription()
        peer.remoteAddress = client?.hostAndPort
        peer.take(path)
        self.peer = peer
        room = ContentRoom(limit: limit)
        arrival = isHTTP1 ? ArrivalDeadline(channel, keepsTimer: true) : nil
        // A timer would keep the connection in memory.
        if let arrival { channel.closeFuture.whenComplete { _ in arrival.stop() } }
    }
}

/// The connection of a request, and the channel that carries it: over HTTP/1.1 that of the connection, over HTTP/2 a stream, whose end
/// is that of no other request.
struct RequestChannels: Sendable {
    let exchange: any Channel
    let connection: ServedConnection

    var isStream: Bool { exchange !== connection.channel }

    /// The number of the stream, which rises with the requests (RFC 9113 §5.1.1); nil over HTTP/1.1.
    var stream: Int? {
        get async throws {
            guard isStream else { return nil }
            return Int(try await exchange.getOption(HTTP2StreamChannelOptions.streamID).get())
        }
    }
}
#endif

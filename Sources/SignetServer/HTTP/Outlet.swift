#if Server
import HummingbirdCore
import NIOCore

/// Writes content for a handler that streams its answer.
///
/// Hummingbird's writer contains NIO's writer, which all tasks may use, and nothing that changes; its opaque type does
/// not express that. Each write uses a copy.
struct Outlet: @unchecked Sendable {
    /// How many bytes are written at a time: the client has ``SOAPServer/Settings/answerDelivery`` for each piece.
    private static let piece = 64 << 10

    let writer: any ResponseBodyWriter
    /// That of the channel to which ``writer`` writes; nil when another server writes.
    let eventLoop: (any EventLoop)?

    /// Returns when there is room for more.
    func write(_ bytes: [UInt8]) async throws {
        var writer = writer
        var rest = ByteBuffer(bytes: bytes)
        while let piece = rest.readSlice(length: min(rest.readableBytes, Self.piece)), piece.readableBytes > 0 {
            try await writer.write(piece)
            // The writer waits only when the channel has no room, which it learns when the event loop has carried out
            // what was written: without this a fast source would fill the memory before the first piece is sent.
            try await eventLoop?.submit {}.get()
        }
    }
}
#endif

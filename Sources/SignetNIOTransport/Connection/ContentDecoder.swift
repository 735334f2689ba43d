import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Makes content that came compressed what it was. To be used, and given up, on one thread.
///
/// NIO has it as a handler only. On the connection's own channel it would inflate whatever has come, at once, and be gone with the
/// channel; here it inflates what is asked for, also when the server has closed the connection by then.
final class ContentDecoder {
    /// Of what is compressed, this much is inflated at a time: of the worst, that makes four megabytes.
    static let step = 4_096

    private let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: .none))

    /// - Throws: what ``decode(_:)`` throws.
    init(_ head: HTTPResponseHead) throws {
        try channel.writeInbound(HTTPClientResponsePart.head(head))
        _ = try channel.readInbound(as: HTTPClientResponsePart.self)
    }

    deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

    /// Whether the content of an answer is compressed in a way that is understood.
    static func reads(_ head: HTTPResponseHead) -> Bool {
        let coding = head.headers[canonicalForm: "content-encoding"].first?.lowercased()
        return coding == "gzip" || coding == "deflate"
    }

    /// - Throws: errors of `NIOHTTPDecompression`.
    func decode(_ bytes: ByteBuffer) throws -> [ByteBuffer] { try pass(.body(bytes)) }

    /// The rest, behind the end of what came.
    ///
    /// - Throws: errors of `NIOHTTPDecompression`, also when something is missing.
    func finish() throws -> [ByteBuffer] { try pass(.end(nil)) }

    private func pass(_ part: HTTPClientResponsePart) throws -> [ByteBuffer] {
        try channel.writeInbound(part)
        var pieces: [ByteBuffer] = []
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            if case .body(let bytes) = part, bytes.readableBytes > 0 { pieces.append(bytes) }
        }
        return pieces
    }
}

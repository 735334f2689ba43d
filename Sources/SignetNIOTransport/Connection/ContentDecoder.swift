import NIOCore
import NIOEmbedded
import NIOHTTP1
import NIOHTTPCompression

/// Decompresses content. Use and release it on one thread.
///
/// NIO offers this only as a channel handler. On the connection's own channel it would inflate everything that has
/// arrived at once, and would end with the channel; here it inflates only what is asked for, also after the server has
/// closed the connection.
final class ContentDecoder {
    /// The number of compressed bytes that are inflated at a time: in the worst case they become four megabytes.
    static let step = 4_096

    private let channel = EmbeddedChannel(handler: NIOHTTPResponseDecompressor(limit: .none))
    private var deflate: DeflateFormat?

    /// - Throws: the errors of ``decode(_:)``.
    init(_ head: HTTPResponseHead) throws {
        var head = head
        if case .read(let name) = ContentCoding(head) {
            head.headers.replaceOrAdd(name: "content-encoding", value: name)
            if name == "deflate" { deflate = DeflateFormat() }
        }
        try channel.writeInbound(HTTPClientResponsePart.head(head))
        _ = try channel.readInbound(as: HTTPClientResponsePart.self)
    }

    deinit { _ = try? channel.finish(acceptAlreadyClosed: true) }

    /// Whether the content of an answer is compressed with a coding that Signet reads.
    static func reads(_ head: HTTPResponseHead) -> Bool {
        if case .read = ContentCoding(head) { true } else { false }
    }

    /// - Throws: errors of `NIOHTTPDecompression`.
    func decode(_ bytes: ByteBuffer) throws -> [ByteBuffer] {
        try decode(bare: deflate?.begin(bytes) ?? bytes)
    }

    private func decode(bare bytes: ByteBuffer) throws -> [ByteBuffer] {
        let pieces = try pass(.body(bytes))
        for piece in pieces { deflate?.add(piece) }
        return pieces
    }

    /// The remaining bytes at the end of the content.
    ///
    /// - Throws: errors of `NIOHTTPDecompression`, also when compressed data is missing.
    func finish() throws -> [ByteBuffer] {
        var pieces: [ByteBuffer] = []
        if let last = deflate?.takeLast() { pieces += try decode(bare: last) }
        if let rest = deflate?.end() { pieces += try pass(.body(rest)) }
        return pieces + (try pass(.end(nil)))
    }

    private func pass(_ part: HTTPClientResponsePart) throws -> [ByteBuffer] {
        try channel.writeInbound(part)
        var pieces: [ByteBuffer] = []
        while let part = try channel.readInbound(as: HTTPClientResponsePart.self) {
            if case .body(let bytes) = part, bytes.readableBytes > 0 { pieces.append(bytes) }
        }
        return pieces
    }
}

/// The coding of an answer's content (RFC 9110 §8.4).
enum ContentCoding: Equatable {
    /// The content is not coded.
    case identity
    /// `gzip` or `deflate`, in any spelling.
    case read(String)
    /// Another coding, or several.
    case unknown(String)

    init(_ head: HTTPResponseHead) {
        // An empty list element has no meaning (RFC 9110 §5.6.1).
        let names = head.headers[canonicalForm: "content-encoding"].map { $0.lowercased() }
            .filter { !$0.isEmpty && $0 != "identity" }
        switch names {
        case []: self = .identity
        case ["gzip"], ["x-gzip"]: self = .read("gzip")
        case ["deflate"]: self = .read("deflate")
        default: self = .unknown(names.joined(separator: ", "))
        }
    }
}

/// The coding “deflate” is the zlib format (RFC 9110 §8.4.1.2), but many servers send only the stream inside it. The
/// decoder adds the missing header and check value (RFC 1950 §2.2).
private struct DeflateFormat {
    private enum State { case unknown(ByteBuffer), wrapped, bare }

    /// The last byte of a bare stream is kept back: without further input, NIO inflates only as much as fits its
    /// buffer, and the rest would be missing in the check value.
    private var last: UInt8?

    private var state = State.unknown(ByteBuffer())
    private var sums = (a: UInt32(1), b: UInt32(0))

    /// The bytes to inflate for the first received bytes.
    mutating func begin(_ bytes: ByteBuffer) -> ByteBuffer {
        if case .bare = state { return withoutLast(bytes) }
        guard case .unknown(var first) = state else { return bytes }
        first.writeImmutableBuffer(bytes)
        guard let header = first.getInteger(at: first.readerIndex, as: UInt16.self) else {
            state = .unknown(first)
            return ByteBuffer()
        }
        // In a zlib header the method is 8, the window is at most 32 KiB, and both bytes together are a multiple of 31.
        guard header >> 8 & 0xF == 8, header >> 12 <= 7, header % 31 == 0 else {
            state = .bare
            var whole = ByteBuffer(bytes: [0x78, 0x01])
            var rest = withoutLast(first)
            whole.writeBuffer(&rest)
            return whole
        }
        state = .wrapped
        return first
    }

    /// The bytes to inflate for further received bytes; the last byte is kept back.
    private mutating func withoutLast(_ bytes: ByteBuffer) -> ByteBuffer {
        guard let next = bytes.readableBytesView.last else { return bytes }
        var result = ByteBuffer()
        if let last { result.writeInteger(last) }
        result.writeBytes(bytes.readableBytesView.dropLast())
        last = next
        return result
    }

    /// The byte that was kept back.
    mutating func takeLast() -> ByteBuffer? {
        defer { last = nil }
        return last.map { ByteBuffer(integer: $0) }
    }

    /// Adds inflated bytes to the check value, Adler-32.
    mutating func add(_ bytes: ByteBuffer) {
        guard case .bare = state else { return }
        var rest = bytes.readableBytesView[...]
        // The sums cannot overflow for this number of bytes.
        while !rest.isEmpty {
            for byte in rest.prefix(5_552) {
                sums.a &+= UInt32(byte)
                sums.b &+= sums.a
            }
            sums = (sums.a % 65_521, sums.b % 65_521)
            rest = rest.dropFirst(5_552)
        }
    }

    /// The bytes that are missing at the end.
    func end() -> ByteBuffer? {
        switch state {
        case .wrapped: nil
        case .bare: ByteBuffer(integer: sums.b << 16 | sums.a)
        case .unknown(let first): first.readableBytes > 0 ? first : nil
        }
    }
}

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
    private var deflate: DeflateFormat?

    /// - Throws: what ``decode(_:)`` throws.
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

    /// Whether the content of an answer is compressed in a way that is understood.
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

    /// The rest, behind the end of what came.
    ///
    /// - Throws: errors of `NIOHTTPDecompression`, also when something is missing.
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

/// How the content of an answer is coded (RFC 9110 §8.4).
enum ContentCoding: Equatable {
    /// It is as it is.
    case identity
    /// `gzip` or `deflate`, however the server spells it.
    case read(String)
    /// Another coding, or several.
    case unknown(String)

    init(_ head: HTTPResponseHead) {
        // An empty element of a list says nothing (RFC 9110 §5.6.1).
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

/// The coding “deflate” is the format of zlib (RFC 9110 §8.4.1.2), but many servers send the bare stream inside it. That is given the
/// header and the check value that it lacks (RFC 1950 §2.2).
private struct DeflateFormat {
    private enum State { case unknown(ByteBuffer), wrapped, bare }

    /// The last byte of a bare stream: NIO inflates no further than its buffer where no input is left, and what it owes then would be
    /// missing in the check value.
    private var last: UInt8?

    private var state = State.unknown(ByteBuffer())
    private var sums = (a: UInt32(1), b: UInt32(0))

    /// What is to be inflated for some bytes that came.
    mutating func begin(_ bytes: ByteBuffer) -> ByteBuffer {
        if case .bare = state { return withoutLast(bytes) }
        guard case .unknown(var first) = state else { return bytes }
        first.writeImmutableBuffer(bytes)
        guard let header = first.getInteger(at: first.readerIndex, as: UInt16.self) else {
            state = .unknown(first)
            return ByteBuffer()
        }
        // The method is 8, the window has at most 32 KiB, and both bytes together are a multiple of 31.
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

    /// Bytes that follow those before, but for the last one.
    private mutating func withoutLast(_ bytes: ByteBuffer) -> ByteBuffer {
        guard let next = bytes.readableBytesView.last else { return bytes }
        var result = ByteBuffer()
        if let last { result.writeInteger(last) }
        result.writeBytes(bytes.readableBytesView.dropLast())
        last = next
        return result
    }

    /// The byte that was kept.
    mutating func takeLast() -> ByteBuffer? {
        defer { last = nil }
        return last.map { ByteBuffer(integer: $0) }
    }

    /// Takes part of what came out into the check value, Adler-32.
    mutating func add(_ bytes: ByteBuffer) {
        guard case .bare = state else { return }
        var rest = bytes.readableBytesView[...]
        // So many bytes cannot overflow the sums.
        while !rest.isEmpty {
            for byte in rest.prefix(5_552) {
                sums.a &+= UInt32(byte)
                sums.b &+= sums.a
            }
            sums = (sums.a % 65_521, sums.b % 65_521)
            rest = rest.dropFirst(5_552)
        }
    }

    /// What is missing at the end.
    func end() -> ByteBuffer? {
        switch state {
        case .wrapped: nil
        case .bare: ByteBuffer(integer: sums.b << 16 | sums.a)
        case .unknown(let first): first.readableBytes > 0 ? first : nil
        }
    }
}

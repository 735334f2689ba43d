import Synchronization

/// The content of a request, or of a server's answer: bytes in memory, or a stream that is written while it is sent.
///
/// It knows whether it can be sent a second time, which authentication and redirects may require. Before a transport
/// sends content that cannot, it asks the server whether it wants it (`Expect: 100-continue`, RFC 9110 §10.1.1), so
/// that a challenge comes before the content.
public struct HTTPBody: Sendable, ExpressibleByArrayLiteral {
    package enum Content: Sendable {
        case bytes([UInt8])
        case stream(Stream)
    }
    package let content: Content

    /// Bytes in memory, which can be sent as often as needed.
    public init(_ bytes: [UInt8]) { content = .bytes(bytes) }
    public init(arrayLiteral elements: UInt8...) { self.init(elements) }

    /// Content that is written while it is sent.
    ///
    /// ```swift
    /// HTTPBody(length: size, isReplayable: true) { writer in
    ///     for try await piece in file.pieces { try await writer.write(piece) }
    /// }
    /// ```
    ///
    /// - Parameters:
    ///   - length: in bytes; `write` must write exactly that many. With nil the length is unknown, and the content is
    ///     sent in chunks.
    ///   - isReplayable: whether `write` can be called again and then writes the same bytes.
    ///   - write: writes everything and returns. It is cancelled when the call ends first.
    public init(
        length: Int?, isReplayable: Bool, _ write: @escaping @Sendable (HTTPBodyWriter) async throws -> Void
    ) {
        content = .stream(Stream(length: length, isReplayable: isReplayable, write))
    }

    /// Whether it can be sent again.
    public var isReplayable: Bool {
        switch content {
        case .bytes: true
        case .stream(let stream): stream.isReplayable
        }
    }

    /// Checks that it can be sent now.
    ///
    /// - Throws: ``TransportError`` with `contentUsed` when it was written once and cannot be written again.
    package func check() throws(TransportError) {
        if case .stream(let stream) = content { try stream.check() }
    }

    /// In bytes; nil when it is not known before the end.
    public var count: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .stream(let stream): stream.length
        }
    }

    /// The bytes in memory; nil for a stream.
    public var bytes: [UInt8]? {
        switch content {
        case .bytes(let bytes): bytes
        case .stream: nil
        }
    }

    /// All of the content, for a transport that cannot send it in pieces.
    ///
    /// - Throws: ``TransportError``: `invalidRequest` for more than `limit` bytes, `contentFailed`, `contentUsed`.
    public func collected(limit: Int) async throws -> [UInt8] {
        switch content {
        case .bytes(let bytes): return bytes
        case .stream(let stream):
            let all = Mutex<[UInt8]>([])
            try await stream.run { bytes in
                try all.withLock { all in
                    guard bytes.count <= limit - all.count else {
                        throw TransportError(
                            .invalidRequest,
                            "The content is longer than the \(limit) bytes that can be kept in memory here."
                        )
                    }
                    all += bytes
                }
            }
            return all.withLock { $0 }
        }
    }
}

/// Where a streamed ``HTTPBody`` is written to.
public struct HTTPBodyWriter: Sendable {
    private let take: @Sendable ([UInt8]) async throws -> Void

    package init(_ take: @escaping @Sendable ([UInt8]) async throws -> Void) { self.take = take }

    /// Sends the bytes, and returns when there is room for more. Pieces of 16 to 256 KiB are the most efficient.
    ///
    /// - Throws: an error that `write` must pass on, when the rest is no longer needed.
    public func write(_ bytes: [UInt8]) async throws { try await take(bytes) }
}

extension HTTPBody {
    /// Content in pieces.
    package final class Stream: Sendable {
        package let length: Int?
        package let isReplayable: Bool
        private let write: @Sendable (HTTPBodyWriter) async throws -> Void
        private let isUsed = Mutex(false)
        /// Ends together with the latest run.
        private let last = Mutex<AsyncStream<Void>?>(nil)

        init(length: Int?, isReplayable: Bool, _ write: @escaping @Sendable (HTTPBodyWriter) async throws -> Void) {
            self.length = length
            self.isReplayable = isReplayable
            self.write = write
        }

        /// - Throws: ``TransportError`` with `contentUsed` when it was written once and cannot be written again.
        package func check() throws(TransportError) {
            if !isReplayable, isUsed.withLock({ $0 }) { throw Self.used }
        }

        private static var used: TransportError {
            .init(
                .contentUsed,
                "The request has to be sent once more, for credentials, a redirect or a middleware, and its content cannot be: it has been used, and is not replayable."
            )
        }

        /// Writes everything to `take`, and checks the length. A run waits for the end of an earlier one, which its
        /// caller may have abandoned.
        ///
        /// - Throws: the errors of `take`; ``TransportError`` with `contentFailed` for other errors while writing; the
        ///   errors of ``check()``.
        package func run(_ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
            let wasUsed = isUsed.withLock { isUsed in
                defer { isUsed = true }
                return isUsed
            }
            if wasUsed, !isReplayable { throw Self.used }
            let (ended, end) = AsyncStream<Void>.makeStream()
            defer { end.finish() }
            let previous = last.withLock { last in
                defer { last = ended }
                return last
            }
            if let previous { for await _ in previous {} }
            try Task.checkCancellation()
            let written = Mutex((count: 0, isOver: false, refusal: (any Error)?.none))
            do {
                try await write(
                    HTTPBodyWriter { [length] bytes in
                        do {
                            let isTooMuch = try written.withLock { written in
                                // A closure that writes after its end would write into another request.
                                if written.isOver { throw Self.late }
                                let sum = written.count.addingReportingOverflow(bytes.count)
                                written.count = sum.partialValue
                                return sum.overflow || length.map { sum.partialValue > $0 } ?? false
                            }
                            if isTooMuch { throw Self.wrongLength(length, "more") }
                            if !bytes.isEmpty { try await take(bytes) }
                        } catch {
                            written.withLock { $0.refusal = error }
                            throw error
                        }
                    })
            } catch {
                if let refusal = written.withLock({ $0.refusal }) { throw refusal }
                if error is CancellationError, Task.isCancelled { throw error }
                throw TransportError(
                    .contentFailed, "The content could not be written: \(error)",
                    mayHaveBeenProcessed: false, cause: error)
            }
            written.withLock { $0.isOver = true }
            // The closure may have caught the error without passing it on; the content is incomplete all the same.
            if let refusal = written.withLock({ $0.refusal }) { throw refusal }
            if let length, written.withLock({ $0.count }) < length { throw Self.wrongLength(length, "less") }
        }

        private static var late: TransportError {
            .init(.contentFailed, "The content has already ended; nothing more can be written.")
        }

        private static func wrongLength(_ length: Int?, _ what: String) -> TransportError {
            .init(
                .contentFailed,
                "The content is \(what) than the \(length ?? 0) bytes that were announced; the transport stopped sending it."
            )
        }
    }
}

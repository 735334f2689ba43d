import Synchronization

extension MessageAttachment {
    /// Content that can be read at any offset.
    enum Source: Sendable {
        case bytes([UInt8])
        /// - isOurs: whether only this process can change the file.
        case file(AttachmentFile, start: Int, count: Int, isOurs: Bool)

        var count: Int {
            switch self {
            case .bytes(let bytes): bytes.count
            case .file(_, _, let count, _): count
            }
        }

        /// - Throws: ``AttachmentError`` with `contentChanged`, `fileFailed`.
        func read(at place: Int, _ wanted: Int) throws(AttachmentError) -> [UInt8] {
            let amount = max(0, min(wanted, count - place))
            switch self {
            case .bytes(let bytes):
                return place == 0 && amount == bytes.count ? bytes : Array(bytes[place..<place + amount])
            case .file(let file, let start, let count, let isOurs):
                let bytes = try file.read(at: start + place, amount)
                // A file that has grown is noticed with the last piece.
                var isSame = bytes.count == amount
                if !isOurs, place + amount == count { isSame = try file.length() == count && isSame }
                guard isSame else { throw MessageAttachment.changed(file.path, count) }
                return bytes
            }
        }
    }

    static func changed(_ path: String, _ count: Int) -> AttachmentError {
        AttachmentError(
            .contentChanged,
            "The file “\(path.shownPath)” had \(count) bytes when sending began, and has another length now; attach a file that does not change while it is sent."
        )
    }

    /// - Throws: ``AttachmentError`` with `fileFailed`; `notReadable` for a stream.
    func source() throws(AttachmentError) -> Source {
        switch content {
        case .bytes(let bytes): return .bytes(bytes)
        case .kept(let file, let start, let count): return .file(file, start: start, count: count, isOurs: true)
        case .file(let path):
            let file = try AttachmentFile.reading(path)
            return .file(file, start: 0, count: try file.length(), isOurs: false)
        case .body:
            throw AttachmentError(
                .notReadable,
                "The attachment \(contentID.shown) is a stream that is written while it is sent; it cannot be read here."
            )
        }
    }

    /// Returns all of the content.
    ///
    /// - Parameter limit: the largest size accepted, in bytes.
    /// - Throws: ``AttachmentError`` with `tooLarge` when the content is larger, `fileFailed`, `contentChanged`, and
    ///   `notReadable` for a stream.
    public func bytes(limit: Int = 64 << 20) throws(AttachmentError) -> [UInt8] {
        let source = try source()
        guard source.count <= limit else {
            throw AttachmentError(
                .tooLarge,
                "The attachment \(contentID.shown) has \(source.count) bytes, more than the limit of \(limit) bytes in memory; read it in pieces, or save it."
            )
        }
        return try source.read(at: 0, source.count)
    }

    /// Passes all content to `take`, in pieces of at most 256 KiB.
    ///
    /// - Throws: ``AttachmentError`` with `contentChanged`, `fileFailed`; `notReadable` for a stream; `CancellationError`.
    package func readPieces(_ take: ([UInt8]) -> Void) throws {
        let source = try source()
        var place = 0
        while place < source.count {
            try Task.checkCancellation()
            let bytes = try source.read(at: place, 256 << 10)
            place += bytes.count
            take(bytes)
        }
    }

    /// The same attachment with other content.
    package func replacingContent(by bytes: [UInt8]) -> MessageAttachment {
        MessageAttachment(
            bytes, contentType: contentType, contentID: contentID, contentLocation: contentLocation, fileName: fileName)
    }

    /// The content in pieces of at most 64 KiB, for content that should not be in memory as a whole. It can be iterated
    /// as often as needed.
    ///
    /// Reading throws ``AttachmentError`` as ``bytes(limit:)`` does, but for `tooLarge`, and `CancellationError`.
    public var pieces: AttachmentPieces { AttachmentPieces(attachment: self) }

    /// Saves the content to a file, which gets its name when everything is written: an error leaves no file behind.
    ///
    /// Only its owner can open the file. Cancellation is checked between pieces.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - replacing: whether an existing file may be replaced.
    /// - Throws: ``AttachmentError`` with `fileExists`, `fileFailed`, `contentChanged`; `CancellationError`; for a
    ///   stream, the errors of the stream.
    public func save(to path: String, replacing: Bool = false) async throws {
        let file = try AttachmentFile.new(toBecome: path, replacing: replacing)
        do {
            let place = Place()
            try await write { bytes in try file.write(bytes[...], at: place.advance(by: bytes.count)) }
            try file.sync()
            try file.move(to: path, replacing: replacing)
        } catch {
            AttachmentFile.remove(file.path)
            throw error
        }
    }

    /// Passes all content to `take`, in pieces of at most 256 KiB unless the content itself has larger pieces.
    ///
    /// - Parameter expected: the length of a file when it was measured.
    func write(expected: Int? = nil, _ take: @escaping @Sendable ([UInt8]) async throws -> Void) async throws {
        if case .body(let body) = content, case .stream(let stream) = body.content {
            try await stream.run(take)
            return
        }
        let source = try source()
        if let expected, expected != source.count {
            if case .file(let path) = content { throw Self.changed(path, expected) }
        }
        var place = 0
        while place < source.count {
            try Task.checkCancellation()
            let bytes = try source.read(at: place, 256 << 10)
            place += bytes.count
            try await take(bytes)
        }
    }
}

/// The offset of the next piece.
private final class Place: Sendable {
    private let next = Mutex(0)

    func advance(by count: Int) -> Int {
        next.withLock { next in
            defer { next += count }
            return next
        }
    }
}

/// The content of an ``MessageAttachment`` in pieces.
public struct AttachmentPieces: AsyncSequence, Sendable {
    public typealias Element = [UInt8]
    public typealias Failure = any Error
    let attachment: MessageAttachment

    public func makeAsyncIterator() -> Iterator { Iterator(attachment: attachment) }

    /// Reads the attachment once from its start. Each iterator has a place of its own.
    public struct Iterator: AsyncIteratorProtocol {
        let attachment: MessageAttachment
        private var source: MessageAttachment.Source?
        private var place = 0

        init(attachment: MessageAttachment) { self.attachment = attachment }

        /// The next piece; nil at the end.
        ///
        /// - Throws: see ``MessageAttachment/pieces``.
        public mutating func next() async throws -> [UInt8]? {
            try Task.checkCancellation()
            let source = try source ?? attachment.source()
            self.source = source
            guard place < source.count else { return nil }
            let bytes = try source.read(at: place, 64 << 10)
            place += bytes.count
            return bytes
        }
    }
}

import Synchronization

/// Content that is written into a request while it is sent, so that it need not fit into memory: elements, or the
/// content of an element in base64.
///
/// ```swift
/// let rows = ServiceStream.elements(database.rows, at: [upload, row])
/// let answer = try await shop.caller.answer(to: Shop.Operations.upload, input, sending: rows)
/// ```
///
/// The input is written as usual, and the streamed content is inserted at its place. The request is sent in chunks (RFC
/// 9112 §7.1) when its length is not known in advance.
///
/// A stream made of a sequence can be sent once: a call with it is not repeated, and the client asks the server for
/// permission before it sends the content (`Expect: 100-continue`), so that the server can demand credentials first. A
/// stream that can be made anew is sent as often as needed.
public struct ServiceStream: Sendable {
    /// The kind of content at ``path``.
    enum Kind: Sendable { case elements, content }

    let kind: Kind
    /// The names from the child of Body to the element.
    let path: [XMLName]
    /// The number of bytes that are written; nil when it is not known in advance.
    let count: Int?
    private let isReplayable: Bool
    private let write: @Sendable (XMLInsertionPlace, inout StreamPieces) async throws -> Void
    private let use = StreamUse()
    /// Whether each element is checked against its schema.
    var checksElements = false

    private init(
        _ kind: Kind, _ path: [XMLName], count: Int? = nil, isReplayable: Bool,
        _ write: @escaping @Sendable (XMLInsertionPlace, inout StreamPieces) async throws -> Void
    ) {
        (self.kind, self.path, self.count, self.isReplayable, self.write) = (kind, path, count, isReplayable, write)
    }

    // MARK: Elements

    /// Makes a stream of elements that follow the input's own elements at the same place.
    ///
    /// If the input has no elements there, the type of the input determines the place. If it does not, as below the
    /// input's own elements, the call is refused before anything is sent: put the first element into the input then.
    ///
    /// The next element is requested when there is room for it. An error of the sequence, or an element that cannot be
    /// written, ends the call with ``/SignetHTTP/TransportError`` and `contentFailed`, with that error as the cause.
    ///
    /// - Parameters:
    ///   - elements: the elements in the order in which they are sent.
    ///   - path: the names of the element and of those around it, beginning with the child of Body.
    public static func elements<Elements: AsyncSequence & Sendable>(
        _ elements: Elements, at path: [XMLName]
    ) -> ServiceStream where Elements.Element: XMLStructure, Elements.AsyncIterator: SendableMetatype {
        make(path, isReplayable: false) { elements }
    }

    /// Makes a stream of elements that can be made anew, so that the call can be repeated; see ``elements(_:at:)``.
    ///
    /// - Parameters:
    ///   - path: the names of the element and of those around it, beginning with the child of Body.
    ///   - regenerating: makes the same elements each time.
    public static func elements<Elements: AsyncSequence & SendableMetatype>(
        at path: [XMLName], regenerating: @escaping @Sendable () -> Elements
    ) -> ServiceStream where Elements.Element: XMLStructure, Elements.AsyncIterator: SendableMetatype {
        make(path, isReplayable: true, regenerating)
    }

    private static func make<Elements: AsyncSequence & SendableMetatype>(
        _ path: [XMLName], isReplayable: Bool, _ elements: @escaping @Sendable () -> Elements
    ) -> ServiceStream where Elements.Element: XMLStructure, Elements.AsyncIterator: SendableMetatype {
        ServiceStream(.elements, path, isReplayable: isReplayable) { place, pieces in
            guard let name = path.last else { return }
            for try await element in elements() {
                let violations = pieces.checksElements ? element.violations() : []
                if let violation = violations.first {
                    throw ServiceError(
                        .invalidInput, "An element “\(name.localName)” is not what its schema asks for: \(violation).",
                        violations: violations)
                }
                try await pieces.add(try place.element(name, element))
            }
        }
    }

    // MARK: Content

    /// Makes a stream of the content of an element of `xs:base64Binary`, from a file that is read while it is sent. The
    /// input must have the element, and it must be empty. The file must not change before the call has returned.
    ///
    /// - Parameters:
    ///   - file: the path of the file.
    ///   - path: the names of the element and of those around it, beginning with the child of Body.
    /// - Throws: ``AttachmentError`` with `fileFailed` when the file cannot be opened, or is not a regular file.
    public static func base64(file: String, at path: [XMLName]) throws(AttachmentError) -> ServiceStream {
        let file = try AttachmentFile.reading(file)
        let length = try file.length()
        // A piece whose length is a multiple of three needs no padding.
        let step = 48 << 10
        return ServiceStream(.content, path, count: (length + 2) / 3 * 4, isReplayable: true) { _, pieces in
            var offset = 0
            while offset < length {
                let bytes = try file.read(at: offset, min(step, length - offset))
                guard !bytes.isEmpty else { return }
                offset += bytes.count
                try await pieces.add(XSDBase64Binary.letters(for: bytes))
            }
        }
    }

    /// Makes a stream of the content of an element of `xs:base64Binary`, from pieces of any size. The input must have
    /// the element, and it must be empty.
    ///
    /// - Parameters:
    ///   - content: the content in pieces of any size, not yet in base64.
    ///   - path: the names of the element and of those around it, beginning with the child of Body.
    public static func base64<Pieces: AsyncSequence & Sendable>(
        _ content: Pieces, at path: [XMLName]
    ) -> ServiceStream where Pieces.Element: Sequence<UInt8>, Pieces.AsyncIterator: SendableMetatype {
        ServiceStream(.content, path, isReplayable: false) { _, pieces in
            var held: [UInt8] = []
            for try await piece in content {
                held += piece
                let whole = held.count / 3 * 3
                try await pieces.add(XSDBase64Binary.letters(for: Array(held[..<whole])))
                held.removeFirst(whole)
            }
            try await pieces.add(XSDBase64Binary.letters(for: held))
        }
    }

    // MARK: Sending

    /// Whether the stream can be sent now.
    var canBeSent: Bool { isReplayable || !use.isBegun }

    private static var used: TransportError {
        TransportError(
            .contentUsed,
            "The stream was sent by another call already, and cannot be sent again; make it with `regenerating`.")
    }

    /// The envelope, with the streamed content at its place.
    func body(in envelope: [UInt8], at place: XMLInsertionPlace) -> HTTPBody {
        let (before, behind) = (Array(envelope[..<place.offset]), Array(envelope[place.offset...]))
        return HTTPBody(length: count.map { envelope.count + $0 }, isReplayable: isReplayable) { writer in
            guard use.begin() || isReplayable else { throw Self.used }
            var pieces = StreamPieces(writer, before, checksElements: checksElements)
            try await write(place, &pieces)
            // A sequence may end without an error when its task is cancelled; the sent message would then be too short.
            try Task.checkCancellation()
            try await pieces.add(behind)
            try await pieces.flush()
        }
    }
}

/// Whether a stream was begun.
private final class StreamUse: Sendable {
    private let state = Mutex(false)

    var isBegun: Bool { state.withLock { $0 } }

    /// Marks the stream as begun; false when it was begun before.
    func begin() -> Bool {
        state.withLock { isBegun in
            defer { isBegun = true }
            return !isBegun
        }
    }
}

/// Collects the written bytes into pieces that are large enough to send.
struct StreamPieces: Sendable {
    private static let size = 64 << 10

    private let writer: HTTPBodyWriter
    private var bytes: [UInt8]
    let checksElements: Bool

    init(_ writer: HTTPBodyWriter, _ bytes: [UInt8], checksElements: Bool) {
        (self.writer, self.bytes, self.checksElements) = (writer, bytes, checksElements)
        self.bytes.reserveCapacity(Self.size)
    }

    mutating func add(_ more: [UInt8]) async throws {
        bytes += more
        if bytes.count >= Self.size { try await flush() }
    }

    mutating func flush() async throws {
        let piece = bytes
        bytes = []
        bytes.reserveCapacity(Self.size)
        try await writer.write(piece)
    }
}

/// Splits a document that arrives in pieces: into its repeated elements one by one as they arrive, and the rest.
///
/// A service may answer with any number of elements of one kind. A framer finds the end of each element, so that the
/// synchronous ``XMLReader`` and generated code read it from contiguous bytes, while no more than one element is kept
/// in memory:
///
/// ```swift
/// var framer = XMLFramer(path: [envelope, body, response, entry])
/// for try await chunk in chunks {
///     framer.push(chunk)
///     while let event = try framer.next() { … }
/// }
/// framer.finish()
/// while let event = try framer.next() { … }
/// ```
///
/// | event | when | what for |
/// |---|---|---|
/// | ``Event/opening(_:)`` | once, before the first element | header blocks and faults, judged first |
/// | ``Event/element(_:)`` | for each repeated element | its value |
/// | ``Event/remainder(_:)`` | once, at the end | the document without its repeated elements |
///
/// A repeated element is one whose expanded name and whose ancestors' names are those of the path; such elements inside
/// another one belong to it. The root element is never repeated.
///
/// Everything outside the repeated elements is checked as ``XMLReader`` checks it, in the order of the document. The
/// framer only delimits an element; the reader of the element checks it. The events and the errors do not depend on how
/// the document was split, and the first defect is final.
///
/// Documents must be in UTF-8, with or without a byte-order mark; others are refused, because they can only be read as
/// a whole. The remainder omits comments, processing instructions and white space between two repeated elements.
public struct XMLFramer: Sendable {
    /// An event that the framer yields.
    public enum Event: Sendable {
        /// The document up to the first repeated element, with end tags added for the open elements; the whole document
        /// when there is no repeated element.
        case opening(XMLExcerpt)
        /// A repeated element.
        case element(XMLExcerpt)
        /// The whole document without the repeated elements; it is complete and well-formed.
        case remainder(XMLExcerpt)
    }

    enum Stage: Sendable {
        /// The first bytes, which determine the encoding.
        case head
        case outside
        case element
        /// The content of the one element whose content is yielded.
        case content
        /// The document is complete, and the last events are yielded.
        case whole
        case end
    }

    /// The names of the repeated element and its ancestors, from the root.
    public let path: [XMLName]
    /// The limits of a reader; ``XMLLimits/documentBytes`` limits the part of the document outside its repeated
    /// elements that is kept.
    public let limits: XMLLimits
    /// The largest size of one repeated element, in bytes.
    public let elementBytes: Int
    let charset: String?
    /// Whether the framer yields the content of one element, in pieces as they arrive, as events of elements.
    let handsOutContent: Bool

    var stage = Stage.head
    var failure: XMLError?
    var isFinished = false
    var scanner = XMLTokenScanner()

    // The bytes pushed last, and the position up to which they have been scanned.
    var chunk: [UInt8] = []
    var position = 0

    /// The document without its repeated elements, as far as it has been scanned.
    var skeleton: [UInt8] = []
    /// The position up to which the skeleton has been checked, its position in the document, and the open elements
    /// there.
    var checked = 0
    var place = XMLPlace()
    var surroundings = XMLSurroundings()
    /// Where the token begins that is being scanned; the tokens before it are complete.
    var tokenStart = 0
    /// The number of open elements that match the path.
    var matched = 0

    /// The positions in the document of the bytes of the skeleton.
    var places = XMLPlaces()
    /// Where the skeleton continues after the last repeated element, as long as nothing has arrived that must be kept.
    var gap: Int?

    /// The beginning of the repeated element, if it was in an earlier piece.
    var carried: [UInt8] = []
    /// Whether that is the complete element.
    var isWhole = false
    /// The surroundings of the element, as long as they are the same as before.
    var context: XMLExcerpt.Context?
    /// The beginning of the last start tag: `<p:entry`. While its parent is open, elements that begin in the same way
    /// are alike.
    var predicted: [UInt8] = []
    var hasOpened = false
    /// The size of the previous repeated element, and whether it was written as `<a/>`.
    var lastElement = (size: 0, isEmpty: false)
    /// The position in the bytes pushed last from which elements may be read ahead; see ``takeRun(_:)``.
    var nextRun = 0

    /// - Parameters:
    ///   - path: the names of the repeated element and its ancestors, from the root: `Envelope`, `Body`, the wrapper,
    ///     the element. With fewer than two names no element is repeated.
    ///   - limits: the limits of a reader. ``XMLLimits/documentBytes`` limits everything that is kept outside the
    ///     repeated elements.
    ///   - elementBytes: the largest size of one repeated element, in bytes; a larger one is an error
    ///     `elementTooLarge`.
    ///   - charset: the encoding that the transport names, as in `text/xml; charset=utf-8`; nil when it names none.
    public init(
        path: [XMLName], limits: XMLLimits = .init(), elementBytes: Int = 1 << 20, charset: String? = nil
    ) {
        self.path = path
        self.limits = limits
        self.elementBytes = max(0, elementBytes)
        self.charset = charset
        handsOutContent = false
    }

    /// Makes a framer that yields the content of the one element with this path, in pieces as they arrive, and keeps
    /// the element itself.
    init(contentOf path: [XMLName], limits: XMLLimits, charset: String?) {
        (self.path, self.limits, self.charset) = (path, limits, charset)
        elementBytes = 0
        handsOutContent = true
    }

    /// Adds the next bytes of the document, any number of them. Call it when ``next()`` has returned nil.
    public mutating func push(_ bytes: [UInt8]) {
        guard failure == nil, !isFinished else { return }
        if position < chunk.count {
            chunk.removeFirst(position)
            chunk.append(contentsOf: bytes)
        } else {
            chunk = bytes
        }
        nextRun -= position
        position = 0
    }

    /// States that no more bytes come.
    public mutating func finish() { isFinished = true }

    /// Returns the next event; nil when more bytes are needed, and at the end.
    ///
    /// - Throws: the first defect outside of the repeated elements, or of one that does not end; the same at every
    ///   later call.
    public mutating func next() throws(XMLError) -> Event? {
        if let failure { throw failure }
        do throws(XMLError) {
            return try advance()
        } catch {
            failure = error
            (chunk, skeleton, carried, position) = ([], [], [], 0)
            throw error
        }
    }

    private mutating func advance() throws(XMLError) -> Event? {
        while true {
            let step: Step
            switch stage {
            case .head: step = try readHead()
            case .outside: step = position < chunk.count ? try scanOutside() : try endOutside()
            case .element: step = try scanElement()
            case .content: step = try scanContent()
            case .whole: return endDocument()
            case .end: return nil
            }
            switch step {
            case .event(let event): return event
            case .more: return nil
            case .again: continue
            }
        }
    }

    enum Step {
        case event(Event)
        /// Continue with the stage that has been entered.
        case again
        /// More bytes are needed.
        case more
    }

    /// Handles the end of the document, which is complete and checked.
    private mutating func endDocument() -> Event {
        let excerpt = document(skeleton, places)
        guard hasOpened else {
            hasOpened = true
            return .opening(excerpt)
        }
        stage = .end
        return .remainder(excerpt)
    }

    func document(_ bytes: [UInt8], _ places: XMLPlaces) -> XMLExcerpt {
        XMLExcerpt(
            bytes: bytes[...], context: XMLExcerpt.Context(places: places, limits: limits(of: bytes.count)),
            place: XMLPlace())
    }

    /// The limits for reading an excerpt, whose size was limited already while it was scanned.
    func limits(of count: Int) -> XMLLimits {
        var limits = limits
        limits.documentBytes = max(limits.documentBytes, count)
        return limits
    }

    /// Whether the last event has been yielded.
    public var isComplete: Bool { stage == .end }

    /// The number of pushed bytes that are held back: less than both limits together.
    package var heldBytes: Int { keptBytes + carried.count }

    /// The number of bytes that may still be kept of the document.
    var documentRoom: Int { max(0, limits.documentBytes) - keptBytes }

    /// The number of bytes that count against the limit of the document.
    var keptBytes: Int { skeleton.count + places.others.count * MemoryLayout<XMLRun>.stride }
}

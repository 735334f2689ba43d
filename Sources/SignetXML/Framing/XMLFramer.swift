/// Takes a document apart that arrives in pieces: its repeated elements one by one as they come, and what is left of it.
///
/// A service may answer with any number of elements of one kind. A framer finds the end of each, so that the synchronous
/// ``XMLReader`` and generated code read it from contiguous bytes, while no more than one of them is kept:
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
/// A repeated element is one whose expanded name and whose ancestors' names are those of the path; those inside of another one
/// belong to it. The root element is never repeated.
///
/// Everything outside the repeated elements is checked as ``XMLReader`` checks it, in the order of the document. An element is
/// delimited only; whoever reads it checks it. The events and the errors do not depend on how the document was cut, and the first
/// defect is final.
///
/// Documents are in UTF-8, with or without a byte-order mark; others are refused, because they can only be read as a whole.
/// Comments, processing instructions and white space between
/// two repeated elements are left out of the remainder.
public struct XMLFramer: Sendable {
    /// What has been found.
    public enum Event: Sendable {
        /// The document up to the first repeated element, with end tags for what is open there; the whole document when there
        /// is none.
        case opening(XMLExcerpt)
        /// A repeated element.
        case element(XMLExcerpt)
        /// The whole document without the repeated elements; it is complete and well-formed.
        case remainder(XMLExcerpt)
    }

    enum Stage: Sendable {
        /// The first bytes, which tell the encoding.
        case head
        case outside
        case element
        /// The content that is handed out of the one element.
        case content
        /// The document is complete; the last events are to be yielded.
        case whole
        case end
    }

    /// The names of the repeated element and its ancestors, from the root.
    public let path: [XMLName]
    /// Bounds as of a reader; ``XMLLimits/documentBytes`` bounds what is kept of the document outside its repeated elements.
    public let limits: XMLLimits
    /// The size of one repeated element in bytes.
    public let elementBytes: Int
    let charset: String?
    /// Whether it is the content of one element that is handed out, in pieces as they come, as events of elements.
    let handsOutContent: Bool

    var stage = Stage.head
    var failure: XMLError?
    var isFinished = false
    var scanner = XMLTokenScanner()

    // The bytes pushed last, and how far they have been scanned.
    var chunk: [UInt8] = []
    var position = 0

    /// The document without its repeated elements, as far as it has been scanned.
    var skeleton: [UInt8] = []
    /// Up to where the skeleton has been checked, where that stands in the document, and what is open there.
    var checked = 0
    var place = XMLPlace()
    var surroundings = XMLSurroundings()
    /// Where the token begins that is being scanned; those before it are whole.
    var tokenStart = 0
    /// How many of the open elements are those of the path.
    var matched = 0

    /// Where the bytes of the skeleton stand in the document.
    var places = XMLPlaces()
    /// Where the skeleton goes on behind the last repeated element, while nothing has come that must be kept.
    var gap: Int?

    /// The beginning of the repeated element when it was in an earlier piece.
    var carried: [UInt8] = []
    /// Whether that is all of it.
    var isWhole = false
    /// What stands around it, while that is still the same.
    var context: XMLExcerpt.Context?
    /// How the start tag of the last one began: `<p:entry`. While its parent is open, others that begin so are like it.
    var predicted: [UInt8] = []
    var hasOpened = false
    /// How large the repeated element before was, and whether it was written as `<a/>`.
    var lastElement = (size: 0, isEmpty: false)
    /// From where in the bytes pushed last elements may be read ahead; see ``takeRun(_:)``.
    var nextRun = 0

    /// - Parameters:
    ///   - path: the names of the repeated element and its ancestors, from the root: `Envelope`, `Body`, the wrapper, the
    ///     element. With fewer than two names no element is repeated.
    ///   - limits: bounds as of a reader. ``XMLLimits/documentBytes`` bounds all that is kept outside the repeated elements.
    ///   - elementBytes: the size of one repeated element in bytes; a larger one is an `elementTooLarge`.
    ///   - charset: what the transport said about the encoding, as in `text/xml; charset=utf-8`; nil when it said nothing.
    public init(
        path: [XMLName], limits: XMLLimits = .init(), elementBytes: Int = 1 << 20, charset: String? = nil
    ) {
        self.path = path
        self.limits = limits
        self.elementBytes = max(0, elementBytes)
        self.charset = charset
        handsOutContent = false
    }

    /// A framer that hands out the content of the one element with this path, in pieces as they come, and keeps the
    /// element itself.
    init(contentOf path: [XMLName], limits: XMLLimits, charset: String?) {
        (self.path, self.limits, self.charset) = (path, limits, charset)
        elementBytes = 0
        handsOutContent = true
    }

    /// Takes the next bytes of the document; any number of them. To be called when ``next()`` has nothing more.
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

    /// Says that no more bytes come.
    public mutating func finish() { isFinished = true }

    /// The next event; nil when more bytes are needed, and at the end.
    ///
    /// - Throws: the first defect outside of the repeated elements, or of one that does not end; the same at every later call.
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
        /// Go on with the stage that has been entered.
        case again
        /// More bytes are needed.
        case more
    }

    /// The document is whole and checked.
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

    /// The limits for reading an excerpt: its size has been bounded while it was scanned.
    func limits(of count: Int) -> XMLLimits {
        var limits = limits
        limits.documentBytes = max(limits.documentBytes, count)
        return limits
    }

    /// Whether the last event has been yielded.
    public var isComplete: Bool { stage == .end }

    /// The bytes held back of what was pushed before: less than both limits together.
    package var heldBytes: Int { keptBytes + carried.count }

    /// How much more may be kept of the document.
    var documentRoom: Int { max(0, limits.documentBytes) - keptBytes }

    /// What counts against the limit of the document.
    var keptBytes: Int { skeleton.count + places.others.count * MemoryLayout<XMLRun>.stride }
}

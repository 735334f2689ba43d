/// A pull reader over bytes: it resolves namespaces, checks well-formedness, builds no tree, and limits its work.
///
/// The program decides what to read next: the next token, the next child, the next element with a name. It then reads
/// the found part as a text, a value, a structure or a fragment, or skips it.
///
/// ```swift
/// let names = try XMLReader.read(bytes) { reader in
///     var names: [String] = []
///     while try reader.nextElement(XMLName("urn:example", "name")) { names.append(try reader.elementText()) }
///     return names
/// }
/// ```
///
/// | to move | to take the element whose start tag was read last, to its end tag |
/// |---|---|
/// | ``root()``: the root element | ``elementText()``: its text |
/// | ``nextChild()``: a child, or the end of the open element | ``value(_:)``: a value of a simple type |
/// | ``nextElement(_:)``: an element with a name, wherever it stands | ``structure(_:)``: a structure |
/// | ``next()``: whatever comes next | ``fragment()``: the element as it was written |
/// | ``finish()``: the end of the document | ``skipElement()``: nothing |
///
/// A reader works on bytes at a fixed address, so it exists only inside ``read(_:limits:charset:doctype:_:)``. It
/// checks everything that it passes, once: bytes, characters, tags, attributes, namespaces (XML 1.0 fifth edition;
/// Namespaces in XML 1.0). A document type declaration is refused unless the program asks for it (``XMLDoctype``). It
/// does not check the part of the document after its position, except the bytes; ``finish()`` ensures that the document
/// is complete.
///
/// The first defect found is final: every later call reports the same ``XMLError``.
public struct XMLReader: ~Copyable {
    /// An open element: its name as written, and the namespace declarations in scope around it.
    struct Frame {
        var name: UnsafePointer<UInt8>
        var length: Int
        var bindings: Int
    }

    struct Binding {
        var prefix: UnsafePointer<UInt8>
        var length: Int
        var namespace: Int32
    }

    struct Attribute {
        var name: UnsafePointer<UInt8>
        var prefixLength: Int
        var localName: UnsafePointer<UInt8>
        var localLength: Int
        var value: UnsafePointer<UInt8>
        var valueLength: Int
        /// Whether the value has no references and needs no normalization.
        var isPlain: Bool
        var namespace: Int32
    }

    // All of these point into the bytes that `read` keeps alive; `p` never leaves `start...end`.
    let start: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var p: UnsafePointer<UInt8>
    let limits: XMLLimits
    private let source: XMLSource
    let hasBracket: Bool
    private var cursor: PlaceCursor

    /// Whether a comment or a processing instruction is an error (`unexpected`) from here on, for example inside signed
    /// content: signatures may omit comments, so the signer has not vouched for them. It may be changed while reading.
    public var refusesCommentsAndInstructions = false

    private var failure: XMLError?
    /// Whether there is a failure. It is checked at every step, and far cheaper than a check of the error.
    private(set) var hasFailed = false
    var frames: [Frame] = []
    var bindings: [Binding] = []
    /// The declarations of the element whose end tag ends at `end`: its value is read after its end tag.
    var closed: (end: UnsafePointer<UInt8>, bindings: [Binding])
    var attributes: [Attribute] = []
    /// Names of namespaces used in this document only; their numbers are negative: -1 is the first.
    var foreign: [String] = []
    var foreignNumbers: [ExactText: Int32] = [:]
    /// Numbers of names that no declaration in scope uses any more; the next names get them.
    var freeNumbers: [Int32] = []
    /// The state of the program's namespaces when `foreign` was last compared with it.
    var generation = 0
    /// Whether the innermost open element was written as `<a/>` and its end is still to be reported.
    var selfClosed = false
    var rootSeen = false

    /// Which deviations from a schema are tolerated; it may be changed before a structure or a value is read.
    public var tolerance = XMLTolerance.standard
    /// Whether the absence of an element that may repeat and must occur at least once is a deviation. Programs that
    /// read answers accept the empty list.
    package var demandsLists = false
    /// The state that few documents need, kept in another object because a reader is passed to every value that it
    /// reads.
    var extras: Extras?
    /// The token that the group read last has held back for its surroundings.
    var held: Held = []

    // The start tag read last.
    var elementNamespace: Int32 = 0
    var localName: UnsafePointer<UInt8>
    var localLength = 0

    // The text read last, as written.
    var text: UnsafePointer<UInt8>
    var textLength = 0
    var textIsLiteral = false
    var textIsCDATA = false

    var prediction = Prediction()
    var leaf: Leaf
    var scratch = ByteBuffer()
    /// How many bytes lists may still reserve in advance.
    var spareRoom: Int
    /// The number of bytes kept so far as they were written.
    var keptBytes = 0
    /// Whether error messages omit invalid values, whatever the names around them are.
    var hidesValues = false
    /// The positions of the bytes when they are a piece of a document.
    var places: XMLPlaces?
    /// The number of open elements with which the bytes may end: zero for a document, those around an excerpt, any
    /// number for a part.
    var outerDepth = 0

    /// - Parameters:
    ///   - text: the document in UTF-8, without a byte-order mark.
    ///   - source: the input that the text comes from.
    init(_ text: UnsafeBufferPointer<UInt8>, of source: consuming XMLSource, limits: XMLLimits) {
        let base = text.baseAddress ?? Self.nowhere
        start = base
        end = base + text.count
        p = base
        closed = (base, [])
        localName = base
        self.text = base
        leaf = Leaf(name: base)
        spareRoom = text.count
        cursor = PlaceCursor(source.expansion?.source.baseAddress ?? base)
        self.limits = limits
        let failure = source.failure
        let prologLength = source.prologLength
        self.source = source
        let survey = failure == nil ? XMLCharacters.survey(base, text.count) : XMLCharacters.Survey()
        hasBracket = survey.hasBracket
        if let failure {
            fail(failure.code, failure.message, at: base + min(failure.offset, text.count))
        } else if let defect = survey.defect {
            fail(.invalidCharacter, XMLCharacters.describe(base + defect, text.count - defect), at: base + defect)
        } else {
            p = base + prologLength
            // Most documents need no more, and none of the three then has to grow.
            frames.reserveCapacity(8)
            bindings.reserveCapacity(8)
            attributes.reserveCapacity(8)
        }
    }

    /// Runs `body` with a reader over `bytes`, a document in UTF-8, UTF-16, US-ASCII, ISO-8859, windows-125x or KOI8.
    ///
    /// The encoding is that of the byte-order mark; without a mark it is `charset`; without both it is the one that the
    /// document declares. An encoding that contradicts the bytes is refused (RFC 7303 §3, XML 1.0 §4.3.3). A document
    /// in UTF-8 is read in place, any other is converted first.
    ///
    /// - Parameters:
    ///   - bytes: the document.
    ///   - limits: the limits of the document.
    ///   - charset: the encoding that the transport names, as in `text/xml; charset=utf-8`; nil when it names none.
    ///   - doctype: what to do with a document type declaration. Only a document that has one is copied for it.
    ///   - body: reads the document; its result is returned.
    /// - Throws: the errors of `body`. The call that finds a defect throws it, never this method itself.
    public static func read<Result, Failure: Error>(
        _ bytes: [UInt8], limits: XMLLimits = .init(), charset: String? = nil,
        doctype: XMLDoctype = .refused, _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try bytes.withUnsafeBufferPointer { (given) throws(Failure) -> Result in
            let source = XMLSource(given, charset: charset, limits: limits)
            guard let converted = source.converted else {
                let document = UnsafeBufferPointer(rebasing: given[source.markLength...])
                return try read(document, of: source, limits, doctype, body)
            }
            return try converted.withUnsafeBufferPointer { (document) throws(Failure) -> Result in
                try read(document, of: source, limits, doctype, body)
            }
        }
    }

    private static func read<Result, Failure: Error>(
        _ document: UnsafeBufferPointer<UInt8>, of source: consuming XMLSource, _ limits: XMLLimits,
        _ doctype: XMLDoctype, _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        guard doctype == .internalEntities else {
            var reader = XMLReader(document, of: source, limits: limits)
            return try body(&reader)
        }
        var source = source
        source.expand(document, limits: limits)
        return try source.withExpansion(of: document) { (text) throws(Failure) -> Result in
            var reader = XMLReader(text, of: source, limits: limits)
            return try body(&reader)
        }
    }

    /// The address of a document without bytes.
    static var nowhere: UnsafePointer<UInt8> {
        let empty: StaticString = ""
        return empty.utf8Start
    }

    // MARK: Defects

    /// Records the first defect and moves to the end, so that every loop stops.
    mutating func fail(_ code: XMLError.Code, _ message: String, at place: UnsafePointer<UInt8>? = nil) {
        guard !hasFailed else { return }
        // The text ends too early when the document type declaration could not be applied further.
        let cause = code == .unexpectedEnd ? source.expansion?.failure : nil
        let place = cause?.offset ?? source.place(of: min(max(place ?? p, start), end) - start)
        let (line, column) = position(of: place)
        hasFailed = true
        failure = XMLError(
            cause?.code ?? code, cause?.message ?? message, offset: source.offset(of: place), line: line,
            column: column, path: path)
        p = end
    }

    /// An error with its position in the input.
    mutating func located(_ code: XMLError.Code, _ message: String, at place: UnsafePointer<UInt8>) -> XMLError {
        let place = source.place(of: min(max(place, start), end) - start)
        let (line, column) = position(of: place)
        return placed(
            XMLError(code, message, offset: source.offset(of: place), line: line, column: column, path: path))
    }

    /// The line and column of a place in the document in UTF-8.
    private mutating func position(of place: Int) -> (line: Int, column: Int) {
        guard let expansion = source.expansion, let base = expansion.source.baseAddress else {
            return cursor.move(to: start + place, of: end)
        }
        return cursor.move(to: base + place, of: base + expansion.source.count)
    }

    /// The open elements as written; each name and the whole path are limited in length.
    package var path: String { path(of: frames[...]) }

    func path(of frames: ArraySlice<Frame>) -> String {
        var names = frames.prefix(16).map { string($0.name, min($0.length, 80)) }
        if frames.count > 16 { names.append("…") }
        if !leaf.framed && leaf.length > 0 {
            names.append(string(leaf.name, min(leaf.length, 80)))
        }
        return names.joined(separator: "/")
    }

    /// Throws the first defect found, if any.
    public func check() throws(XMLError) {
        if hasFailed, let failure { throw placed(failure) }
    }

    /// The position in bytes from the start of the input, a byte-order mark included. In a converted document it is
    /// found by counting from the start; inside the text of an entity it is the position of the reference.
    public var offset: Int { source.offset(of: source.place(of: p - start)) }
    /// The position of the `<` of the start tag read last, or of the reference to the entity that contains it, for
    /// error messages: the line, and the character in the line, both from 1.
    package mutating func startTagPlace() -> (line: Int, column: Int) {
        // The names of elements around an excerpt are elsewhere in memory.
        let tag = min(max((frames.last?.name ?? start + 1) - 1, start), end)
        return position(of: source.place(of: tag - start))
    }
    /// The position of the reader, as line and column.
    package mutating func place() -> (line: Int, column: Int) { position(of: source.place(of: p - start)) }
    /// Where the returned ranges of bytes begin to count: at a byte-order mark, if the input was UTF-8.
    var hasOwnBytes: Bool { source.converted == nil }
    var base: UnsafePointer<UInt8> { source.converted == nil ? start - source.markLength : start }
    /// The number of open elements.
    public var depth: Int { frames.count }

    func string(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

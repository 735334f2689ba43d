/// Writes well-formed XML into a growing run of UTF-8 bytes.
///
/// It writes everything in the form of Canonical XML 1.0 §2.3: references where canonical XML has them, a start and an
/// end tag also for empty elements, values between double quotes. A namespace is declared once: on the element that the
/// caller chooses, otherwise on the root element, even if it is needed only much later. An element without prefix is in
/// no namespace: no default namespace is ever declared.
///
/// Content that cannot be written is a defect: a character that XML does not allow, an invalid name, a prefix that must
/// not be bound. The first defect is final, and ``finish()`` throws it with the path of the element or attribute.
public struct XMLWriter: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    var count = 0
    /// How many bytes may be written before ``grow(_:)`` must be called; less than the available memory while segments
    /// are digested.
    private(set) var room: Int
    private var capacity: Int

    private(set) var failure: XMLError?
    /// Whether there is a failure; this is cheaper than a check of the error.
    private(set) var hasFailed = false

    /// Where the start tags of the open elements begin, for error messages.
    private var open: [Int] = []
    /// The field whose simple value is being written.
    var current: UnsafePointer<XMLTable.Field>?
    var isInAttribute = false

    /// The prefixes in scope, outermost first. None is bound again while it is in scope.
    var bindings: [Binding] = [] {
        didSet { scopeChanged() }
    }
    /// The depth of the innermost element that has brought something into scope; zero when there is none.
    var lastDeclaration = 0
    /// The prefixes that the caller has chosen, with the names of their namespaces.
    let wishes: [(prefix: String, uri: String)]
    /// Declarations that the root's start tag gets at the end, and their positions.
    var hoisted: [Insertion] = []
    /// Where declarations are inserted into the root's start tag; nil when it can take none.
    var rootTag: Int?
    /// The beginnings of the tags of the namespace written last.
    var ready = ReadyTag()
    var depth = 0
    /// Where the start tag written last begins. Nothing before it is ever changed.
    var tagStart = 0
    /// The places for white space; nil when none is wanted.
    var layout: Layout?

    /// The canonical segments that are being written, outermost first.
    var segments: [Segment] = []
    /// The segments that have ended, and those that are open.
    var finished: [(number: Int, range: Range<Int>, prefixes: [[UInt8]])] = []
    var segmentCount = 0
    /// The declarations in the start tags of open elements in segments, outermost first.
    var rendered: [Rendered] = [] {
        didSet { scopeChanged() }
    }
    /// The declarations that the start tag being written must have although only values use them, when it is in a
    /// segment.
    var kept: [XMLDeclaration] = []
    /// The prefixes that values may use in the kept piece that is being written.
    var valuePrefixes: Set<[UInt8]> = []
    /// Whether a start tag is complete when `>` is written: no layout, no segment.
    var isPlain = true

    /// The content that is written instead of the ``XMLAny`` whose start tag was written last.
    var replaced: XMLAny?
    /// How many more bytes the repeated declarations in such content may take. The number grows with the content
    /// written, so that a declaration that a sender wrote once cannot grow a hundredfold.
    var roomForDeclarations = 64 << 10
    /// The table of the structure whose content is being written.
    var table: XMLTable?
    /// Whether the start tag written last is still open for the only field of a structure.
    @usableFromInline var hasOpenTag = false
    /// Whether the type of each element is written if its table knows it (SOAP 1.1 §5): `xsi:type="xsd:int"`.
    public var writesTypes = false {
        didSet { isWatched = writesTypes || checker != nil }
    }
    /// Takes values out of the document, to send them beside it; nil to write them all into it.
    package var includer: (any XMLIncluder)?
    /// Checks each value that is written.
    private(set) var checker: XMLRuleChecker?
    /// Whether each element needs more work than writing it.
    private(set) var isWatched = false
    /// Collects the fields of structures instead of writing them.
    let collector: XMLFieldCollector?

    mutating func watch(with checker: XMLRuleChecker) {
        self.checker = checker
        isWatched = true
    }

    /// - Parameters:
    ///   - prefixes: prefixes to use for namespaces wherever they must be declared and `declaring` names no other. Of
    ///     two prefixes for one namespace the first free one is used. A prefix that already means another namespace at
    ///     a place is not used there: the namespace gets `n1`, `n2` and so on, like all namespaces without a chosen
    ///     prefix except that of `xsi`. Prefixes that are not valid names, begin with `xml`, or belong to the
    ///     namespaces of `xml` and `xmlns` or to no namespace are defects (Namespaces in XML 1.0 §3).
    ///   - indentation: white space before the tags inside elements that contain only elements. None by default,
    ///     because programs read messages.
    public init(prefixes: [(prefix: String, uri: String)] = [], indentation: XMLIndentation? = nil) {
        (base, capacity) = SpareMemory.take()
        room = capacity
        wishes = prefixes
        collector = nil
        layout = indentation.map { Layout(unit: $0) }
        isPlain = indentation == nil
        // For small messages, an array that grows would take a large part of the time.
        open.reserveCapacity(8)
        for (prefix, uri) in prefixes { _ = canBind(prefix, uri) }
    }

    /// Makes a writer that passes fields to a collector instead of writing them.
    init(handingFieldsTo collector: XMLFieldCollector) {
        self.collector = collector
        capacity = 64
        room = capacity
        base = .allocate(capacity: capacity)
        wishes = []
    }

    /// Makes a writer in a given state: with these bindings, and possibly with a failure.
    init(bindings: [Binding], failure: XMLError?) {
        self.init()
        self.bindings = bindings
        self.failure = failure
        hasFailed = failure != nil
    }

    deinit { SpareMemory.giveBack(base, capacity) }

    /// Returns the bytes written, after checking that there was no defect.
    public consuming func finish() throws(XMLError) -> [UInt8] {
        if let failure { throw failure }
        return hoisted.isEmpty && layout == nil ? bytesWritten : complete()
    }

    /// The bytes written so far, unchecked, and without the insertions of ``finish()``.
    var bytesWritten: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    // MARK: Bytes

    @inline(__always) mutating func reserve(_ additional: Int) {
        if room - count < additional { grow(additional) }
    }

    @inline(never) private mutating func grow(_ additional: Int) {
        digest(upTo: tagStart)
        if capacity - count < additional {
            let larger = (count + additional) * 2
            let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
            moved.update(from: base, count: count)
            SpareMemory.giveBack(base, capacity)
            base = moved
            capacity = larger
        }
        makeRoom(additional)
    }

    /// While a segment is digested, `room` ends early, so that ``grow(_:)`` passes on the bytes soon after they are
    /// written.
    mutating func makeRoom(_ additional: Int = 0) {
        room = segments.isEmpty ? capacity : min(capacity, count + additional + Segment.chunk)
    }

    @inline(__always) mutating func raw(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    /// Writes this many bytes, all of which `fill` stores in place.
    @inline(__always) mutating func raw(count length: Int, _ fill: (UnsafeMutablePointer<UInt8>) -> Void) {
        reserve(length)
        fill(base + count)
        count += length
    }

    mutating func raw(_ literal: StaticString) {
        raw(literal.utf8Start, literal.utf8CodeUnitCount)
    }

    mutating func raw(_ bytes: some Collection<UInt8>) {
        let isDone: Void? = bytes.withContiguousStorageIfAvailable {
            if let start = $0.baseAddress { raw(start, $0.count) }
        }
        if isDone == nil { for byte in bytes { raw(byte) } }
    }

    @inline(__always) mutating func raw(_ bytes: UnsafePointer<UInt8>, _ length: Int) {
        reserve(length)
        (base + count).update(from: bytes, count: length)
        count += length
    }

    /// Inserts bytes at a position in the written bytes.
    mutating func insert(_ bytes: [UInt8], at place: Int) {
        let rest = cut(from: place)
        raw(bytes)
        raw(rest)
        layout?.moved(by: bytes.count, from: place)
    }

    /// Removes and returns the bytes written from a position on.
    mutating func cut(from place: Int) -> [UInt8] {
        defer { count = place }
        return Array(UnsafeBufferPointer(start: base + place, count: count - place))
    }

    /// Writes ASCII that needs no escaping: digits, base64, names.
    public mutating func ascii(_ text: String) {
        var text = text
        text.withUTF8 { if let start = $0.baseAddress { raw(start, $0.count) } }
    }

    // MARK: Defects

    mutating func fail(_ message: String) {
        guard !hasFailed else { return }
        hasFailed = true
        // A loop instead of `map`: Swift 6.3.1 cannot compile a closure that captures the writer.
        var path: [String] = []
        for place in open { path.append(localName(at: place)) }
        if let current { path.append(current.pointee.shownName) }
        failure = XMLError(.unwritable, message, path: path.joined(separator: "/"))
    }

    /// Writes the value of an attribute. A defect in it gets the attribute's name into its path: `a/b/@c`.
    ///
    /// - Parameter elements: the part of the path for elements that have not been entered: `b/`.
    @inline(__always)
    mutating func value(
        of attribute: @autoclosure () -> String, behind elements: String = "", _ write: (inout XMLWriter) -> Void
    ) {
        locating("\(elements)@\(attribute())", write)
    }

    /// Writes something that is not in the path of defects yet.
    @inline(__always) mutating func locating(_ name: @autoclosure () -> String, _ write: (inout XMLWriter) -> Void) {
        let hadFailed = hasFailed
        write(&self)
        if hasFailed, !hadFailed { failed(in: name()) }
    }

    private mutating func failed(in name: String) {
        // Not changed in place: Swift 6.3.1 would lose a reference to the old path.
        guard var failed = failure else { return }
        failed.path += (failed.path.isEmpty ? "" : "/") + name
        failure = failed
    }

    /// The local name in the start tag at a position.
    private func localName(at place: Int) -> String {
        let name = UnsafeBufferPointer(start: base, count: count).dropFirst(place + 1).prefix {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ">")
        }
        let local = name.firstIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local, as: UTF8.self)
    }

    /// Records that the content follows of the element whose start tag was begun last.
    mutating func enter() { open.append(tagStart) }

    mutating func leave() { _ = open.popLast() }
}

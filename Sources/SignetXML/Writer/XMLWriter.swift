/// Writes well-formed XML into a growing run of UTF-8 bytes.
///
/// There is one way only to write each thing, that of Canonical XML 1.0 §2.3: references where canonical XML has them,
/// a start and an end tag also for what is empty, values between double quotes. A namespace is declared once: on the
/// element where the caller says so, else on the root element, also when the need comes up much later. An element without
/// prefix is in no namespace: no default namespace is ever declared.
///
/// What cannot be written is a defect: a character that XML does not have, what is not a name, a prefix that must not be
/// bound. The first one found is final, and ``finish()`` throws it with the path of the element or attribute.
public struct XMLWriter: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    var count = 0
    /// What may be written before ``grow(_:)`` must be asked; below the memory there is while segments are digested.
    private(set) var room: Int
    private var capacity: Int

    private(set) var failure: XMLError?
    /// Whether there is a failure, which is cheaper to ask for.
    private(set) var hasFailed = false

    /// Where the start tags of the open elements begin, for messages.
    private var open: [Int] = []
    /// The field whose simple value is being written.
    var current: UnsafePointer<XMLTable.Field>?
    var isInAttribute = false

    /// The prefixes in scope, outermost first. None is bound again while it is in scope.
    var bindings: [Binding] = [] {
        didSet { scopeChanged() }
    }
    /// How deep the innermost element stands that has brought something into scope; zero when there is none.
    var lastDeclaration = 0
    /// Prefixes that the caller has chosen, with the names of their namespaces.
    let wishes: [(prefix: String, uri: String)]
    /// Declarations that the root's start tag gets in the end, and where.
    var hoisted: [Insertion] = []
    /// Where the root's start tag takes declarations; nil when it can take none.
    var rootTag: Int?
    /// How tags of the namespace written last begin.
    var ready = ReadyTag()
    var depth = 0
    /// Where the start tag written last begins. Nothing that stands before it is ever changed.
    var tagStart = 0
    /// Where white space is to come in; nil when it is not wished for.
    var layout: Layout?

    /// The canonical segments that are being written, outermost first.
    var segments: [Segment] = []
    /// What was written in the segments that have ended, and in those that are open.
    var finished: [(number: Int, range: Range<Int>, prefixes: [[UInt8]])] = []
    var segmentCount = 0
    /// The declarations that stand in the start tags of open elements in segments, outermost first.
    var rendered: [Rendered] = [] {
        didSet { scopeChanged() }
    }
    /// What the start tag being written must declare although only values use it, when it stands in a segment.
    var kept: [XMLDeclaration] = []
    /// The prefixes that values may use in the piece being written that was kept as it was written.
    var valuePrefixes: Set<[UInt8]> = []
    /// Whether a start tag is done when `>` is written: no layout, no segment.
    var isPlain = true

    /// What is written instead of the ``XMLAny`` whose start tag was written last.
    var replaced: XMLAny?
    /// Bytes that declarations repeated in such content may still take. It grows with the content written, so that what
    /// a sender wrote once cannot grow a hundredfold.
    var roomForDeclarations = 64 << 10
    /// The table of the structure whose content is being written.
    var table: XMLTable?
    /// Whether the start tag written last is still open for the one field of a structure.
    @usableFromInline var hasOpenTag = false
    /// Whether the type of each element is said where its table knows it (SOAP 1.1 §5): `xsi:type="xsd:int"`.
    public var writesTypes = false {
        didSet { isWatched = writesTypes || checker != nil }
    }
    /// Takes values out of the document that shall stand beside it; nil to write them all in it.
    package var includer: (any XMLIncluder)?
    /// What looks at each value that is written.
    private(set) var checker: XMLRuleChecker?
    /// Whether more is to be done for an element than to write it.
    private(set) var isWatched = false
    /// What takes the fields of structures, so that they are not written.
    let collector: XMLFieldCollector?

    mutating func watch(with checker: XMLRuleChecker) {
        self.checker = checker
        isWatched = true
    }

    /// - Parameters:
    ///   - prefixes: prefixes to use for namespaces wherever they must be declared and `declaring` names no other. Of two for
    ///     one namespace the first is used that is free. A prefix that already means another namespace at a place gives way:
    ///     there the namespace gets `n1`, `n2` and so on, as do all namespaces without a chosen prefix but that of
    ///     `xsi`. Prefixes that are no names, begin with `xml`, or belong to the namespaces of `xml` and `xmlns` or to none are
    ///     defects (Namespaces in XML 1.0 §3).
    ///   - indentation: white space before the tags of elements that hold elements only. None by default: a message is read by
    ///     programs.
    public init(prefixes: [(prefix: String, uri: String)] = [], indentation: XMLIndentation? = nil) {
        (base, capacity) = SpareMemory.take()
        room = capacity
        wishes = prefixes
        collector = nil
        layout = indentation.map { Layout(unit: $0) }
        isPlain = indentation == nil
        // Small messages would spend a good part of their time on an array that grows.
        open.reserveCapacity(8)
        for (prefix, uri) in prefixes { _ = canBind(prefix, uri) }
    }

    /// A writer that writes no fields.
    init(handingFieldsTo collector: XMLFieldCollector) {
        self.collector = collector
        capacity = 64
        room = capacity
        base = .allocate(capacity: capacity)
        wishes = []
    }

    /// A writer of which more is known than that nothing is written.
    init(bindings: [Binding], failure: XMLError?) {
        self.init()
        self.bindings = bindings
        self.failure = failure
        hasFailed = failure != nil
    }

    deinit { SpareMemory.giveBack(base, capacity) }

    /// The bytes written, after a check that nothing unwritable was among them.
    public consuming func finish() throws(XMLError) -> [UInt8] {
        if let failure { throw failure }
        return hoisted.isEmpty && layout == nil ? bytesWritten : complete()
    }

    /// What was written so far, unchecked, and without what ``finish()`` puts in.
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

    /// While something is digested, `room` ends early, so that ``grow(_:)`` sees what was written while it is still at hand.
    mutating func makeRoom(_ additional: Int = 0) {
        room = segments.isEmpty ? capacity : min(capacity, count + additional + Segment.chunk)
    }

    @inline(__always) mutating func raw(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    /// Writes so many bytes, all of which `fill` puts into their place.
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

    /// Puts bytes in at a place in what was written.
    mutating func insert(_ bytes: [UInt8], at place: Int) {
        let rest = cut(from: place)
        raw(bytes)
        raw(rest)
        layout?.moved(by: bytes.count, from: place)
    }

    /// Takes off what was written from a place on.
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
        // Not mapped: Swift 6.3.1 cannot compile that a closure takes the writer.
        var path: [String] = []
        for place in open { path.append(localName(at: place)) }
        if let current { path.append(current.pointee.shownName) }
        failure = XMLError(.unwritable, message, path: path.joined(separator: "/"))
    }

    /// Writes the value of an attribute. A defect in it gets the attribute's name into its path: `a/b/@c`.
    ///
    /// - Parameter elements: what the path says of elements that have not been entered: `b/`.
    @inline(__always)
    mutating func value(
        of attribute: @autoclosure () -> String, behind elements: String = "", _ write: (inout XMLWriter) -> Void
    ) {
        locating("\(elements)@\(attribute())", write)
    }

    /// Writes something that is not on the path of defects yet.
    @inline(__always) mutating func locating(_ name: @autoclosure () -> String, _ write: (inout XMLWriter) -> Void) {
        let hadFailed = hasFailed
        write(&self)
        if hasFailed, !hadFailed { failed(in: name()) }
    }

    private mutating func failed(in name: String) {
        // Not in its place: Swift 6.3.1 would lose a reference to the old path.
        guard var failed = failure else { return }
        failed.path += (failed.path.isEmpty ? "" : "/") + name
        failure = failed
    }

    /// The local name in the start tag at a place.
    private func localName(at place: Int) -> String {
        let name = UnsafeBufferPointer(start: base, count: count).dropFirst(place + 1).prefix {
            $0 != UInt8(ascii: " ") && $0 != UInt8(ascii: ">")
        }
        let local = name.firstIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
        return String(decoding: local, as: UTF8.self)
    }

    /// Notes that the content of the element follows whose start tag was begun last.
    mutating func enter() { open.append(tagStart) }

    mutating func leave() { _ = open.popLast() }
}

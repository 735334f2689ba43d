/// A pull reader over UTF-8 bytes: namespaces resolved, well-formedness checked, no DTD, no tree, bounded work.
///
/// The code that reads says what comes next: the next token, the next child, the next element with a name. What it has found
/// it takes as a text, a value, a structure or a fragment, or it passes it over.
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
/// A reader works on bytes that stay where they are, so it lives only inside ``read(_:limits:_:)``. It checks what it
/// passes, once: bytes, characters, tags, attributes, namespaces (XML 1.0 fifth edition without a document type
/// declaration; Namespaces in XML 1.0). What it has not come to is not checked, but for its bytes; ``finish()`` makes sure
/// that the document is whole.
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
        var namespace: Int32
    }

    // All of these point into the bytes that `read` keeps alive; `p` never leaves `start...end`.
    let start: UnsafePointer<UInt8>
    /// Where the bytes given begin; `start` lies behind a byte-order mark.
    let given: UnsafePointer<UInt8>
    let end: UnsafePointer<UInt8>
    var p: UnsafePointer<UInt8>
    let limits: XMLLimits
    let hasBracket: Bool

    private var failure: XMLError?
    /// Whether there is a failure: asked at every step, and far cheaper than to look at the error.
    private(set) var hasFailed = false
    var frames: [Frame] = []
    var bindings: [Binding] = []
    var attributes: [Attribute] = []
    /// Names of namespaces met in this document only; their numbers are negative: -1 is the first.
    var foreign: [String] = []
    var foreignNumbers: [String: Int32] = [:]
    /// The state of the program's namespaces when `foreign` was last compared with it.
    var generation = 0
    /// Whether the innermost open element was written as `<a/>` and its end is still to be reported.
    var selfClosed = false
    var rootSeen = false

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
    /// Bytes kept so far as they were written.
    var keptBytes = 0
    /// Whether values that are wrong are left out of messages whatever the names around them say.
    var hidesValues = false

    init(_ bytes: UnsafeBufferPointer<UInt8>, fallback: UnsafePointer<UInt8>, limits: XMLLimits) {
        var base = bytes.baseAddress ?? fallback
        let end = base + bytes.count
        given = base
        if bytes.count >= 3 && base[0] == 0xEF && base[1] == 0xBB && base[2] == 0xBF { base += 3 }
        start = base
        self.end = end
        p = base
        localName = base
        text = base
        leaf = Leaf(name: base)
        self.limits = limits
        let survey = XMLCharacters.survey(base, end - base)
        hasBracket = survey.hasBracket
        if bytes.count > limits.documentBytes {
            fail(.documentTooLarge, "the document is larger than \(limits.documentBytes) bytes (XMLLimits.documentBytes).")
        } else if end - base >= 2
            && (base[0] == 0xFE && base[1] == 0xFF || base[0] == 0xFF && base[1] == 0xFE
                || base[0] == 0 || base[1] == 0)
        {
            fail(.unsupportedEncoding, "the document is in UTF-16 or UTF-32; only UTF-8 is read.")
        } else if let defect = survey.defect {
            fail(
                .invalidCharacter,
                "the byte 0x\(String(base[defect], radix: 16)) is not valid UTF-8 or not a character of XML.",
                at: base + defect)
        } else {
            readDeclaration()
        }
    }

    /// Runs `body` with a reader over `bytes`, a document in UTF-8 with or without a byte-order mark.
    ///
    /// - Throws: what `body` throws. A defect is thrown by the call that meets it, never here.
    public static func read<Result, Failure: Error>(
        _ bytes: [UInt8], limits: XMLLimits = .init(), _ body: (inout XMLReader) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        let outcome: Swift.Result<Result, Failure> = bytes.withUnsafeBufferPointer { buffer in
            withUnsafePointer(to: UInt8(0)) { fallback in
                var reader = XMLReader(buffer, fallback: fallback, limits: limits)
                do throws(Failure) { return .success(try body(&reader)) } catch { return .failure(error) }
            }
        }
        return try outcome.get()
    }

    // MARK: Defects

    /// Records the first defect and moves to the end, so that every loop stops.
    mutating func fail(_ code: XMLError.Code, _ message: String, at place: UnsafePointer<UInt8>? = nil) {
        guard !hasFailed else { return }
        let place = min(max(place ?? p, start), end)
        var line = 1
        var column = 1
        var q = start
        while q < place {
            if q[0] == 0x0A || (q[0] == 0x0D && !(q + 1 < end && q[1] == 0x0A)) {
                line += 1
                column = 1
            } else if q[0] & 0xC0 != 0x80 {
                column += 1
            }
            q += 1
        }
        hasFailed = true
        failure = XMLError(code, message, offset: place - given, line: line, column: column, path: path)
        p = end
    }

    /// The open elements as written, each name and the whole bounded.
    var path: String {
        var names = frames.prefix(16).map {
            String(decoding: UnsafeBufferPointer(start: $0.name, count: min($0.length, 80)), as: UTF8.self)
        }
        if frames.count > 16 { names.append("…") }
        if !leaf.framed && leaf.length > 0 {
            names.append(
                String(decoding: UnsafeBufferPointer(start: leaf.name, count: min(leaf.length, 80)), as: UTF8.self))
        }
        return names.joined(separator: "/")
    }

    /// Throws the first defect found, if any.
    public func check() throws(XMLError) {
        if let failure { throw failure }
    }

    /// The position in bytes from the start of what was given, a byte-order mark included.
    public var offset: Int { p - given }
    /// The number of open elements.
    public var depth: Int { frames.count }

    func string(_ start: UnsafePointer<UInt8>, _ count: Int) -> String {
        String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
    }
}

/// A growable run of bytes that stays in place between two calls, for texts that must be rewritten.
struct ByteBuffer: ~Copyable {
    private(set) var base: UnsafeMutablePointer<UInt8>
    private(set) var count = 0
    private var capacity: Int

    init() {
        capacity = 0
        base = .allocate(capacity: 1)
    }

    deinit { base.deallocate() }

    mutating func removeAll() { count = 0 }

    mutating func append(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
    }

    mutating func append(_ start: UnsafePointer<UInt8>, _ length: Int) {
        guard length > 0 else { return }
        reserve(length)
        (base + count).update(from: start, count: length)
        count += length
    }

    private mutating func reserve(_ additional: Int) {
        guard capacity - count < additional else { return }
        let larger = max(256, (count + additional) * 2)
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }
}

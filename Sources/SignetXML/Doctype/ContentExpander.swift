/// Copies a document from its document type declaration on, and replaces references to what that declaration defines.
///
/// It knows only as much markup as it needs to distinguish references from text that looks like one. It copies defects
/// of the document itself unchanged: the reader of the result finds and reports them. It refuses defects in the text of
/// an entity, because the reader could not see them: markup must begin and end in the same entity (§4.3.2).
struct ContentExpander {
    let declarations: DoctypeDeclarations
    /// The bytes of ``DoctypeDeclarations/texts``.
    let texts: UnsafeBufferPointer<UInt8>
    let limits: XMLLimits
    var budget: ExpansionBudget
    private(set) var output: [UInt8] = []
    private(set) var replacements: [XMLExpansion.Replacement] = []

    /// The text that is being copied.
    var frame: EntityFrame
    /// The frames around it, the document first.
    private var outer: [EntityFrame] = []
    /// The number of open elements.
    var depth = 0
    /// Where the outermost reference begins in the document, and where its replacement begins in the output.
    private var reference = (source: 0, output: 0)
    /// Whether the next text was not adjacent to the text before it.
    private var isSeam = false

    init(_ parser: DoctypeParser, doctype: Int, texts: UnsafeBufferPointer<UInt8>) {
        declarations = parser.declarations
        self.texts = texts
        limits = parser.limits
        budget = parser.budget
        frame = EntityFrame(cursor: parser.cursor)
        // Reserves at once everything that the budget can fill: a growing array takes twice the memory while it is
        // moved, and untouched memory costs nothing. The array grows only for programs that allow far more.
        let behind = frame.cursor.bytes.count - frame.cursor.position
        output.reserveCapacity(doctype + 1 + behind + max(0, min(budget.rest, 1 << 20)))
        output.append(contentsOf: frame.cursor.slice(0..<doctype))
        // A space replaces the declaration, so that no “<?xml” after it comes to the start.
        write(" ")
        replacements.append(.init(output: doctype..<output.count, source: doctype..<frame.cursor.position))
    }

    var isInsideEntity: Bool { !outer.isEmpty }
    /// The position in the document that errors report for the current position.
    var place: Int { isInsideEntity ? reference.source : frame.cursor.position }

    /// Copies the document up to its end, or to the first defect that the reader of the result could not see.
    mutating func run() -> XMLError? {
        do throws(XMLError) {
            try copyDocument()
            return nil
        } catch {
            if isInsideEntity { recordReference() }
            return error
        }
    }

    private mutating func copyDocument() throws(XMLError) {
        while true {
            switch frame.cursor.peek() {
            case nil:
                guard isInsideEntity else { return }
                try closeEntity()
            case UInt8(ascii: "<"): try markup()
            case UInt8(ascii: "&"): try replaceReference()
            default: try copyText()
            }
        }
    }

    // MARK: Output

    /// Copies up to `end`, and continues there.
    mutating func copy(to end: Int) {
        copy(frame.cursor.position..<end)
        frame.cursor.position = end
    }

    mutating func copy(_ range: Range<Int>) { append(frame.cursor.slice(range)) }

    mutating func write(_ text: StaticString) {
        append(UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    mutating func append(_ bytes: UnsafeBufferPointer<UInt8>) {
        output.append(contentsOf: bytes)
    }

    /// Appends the value of an attribute as the declarations require; returns whether it differs from the written
    /// value.
    mutating func append(value range: Range<Int>, _ form: AttributeValueForm) throws(XMLError) {
        let begin = output.count
        let literal = frame.cursor.slice(range)
        try declarations.append(value: literal, form, limits: limits, budget: &budget, to: &output)
        if !output[begin...].elementsEqual(literal) { try record(from: begin, source: range) }
    }

    /// Records that the output since `begin` comes from `source`; inside an entity the whole entity is recorded later.
    mutating func record(from begin: Int, source: Range<Int>) throws(XMLError) {
        guard !isInsideEntity else { return }
        try budget.takePlace(at: source.lowerBound)
        replacements.append(.init(output: begin..<output.count, source: source))
    }

    /// Handles malformed markup at the position.
    mutating func refuse(_ message: String) throws(XMLError) {
        if isInsideEntity {
            throw XMLError(.malformed, "in the text of an entity, \(message)", offset: place)
        }
        copy(to: frame.cursor.bytes.count)
    }

    // MARK: References

    private mutating func replaceReference() throws(XMLError) {
        // Outside the root element no reference is allowed; the reader reports it.
        guard depth > 0 else { return try refuse("a reference stands outside the root element.") }
        var cursor = frame.cursor
        let offset = place
        switch cursor.reference() {
        case nil: try refuse("“&” begins no complete reference.")
        case .character, .predefined: copy(to: cursor.position)
        case .entity(let name):
            if !isInsideEntity { reference = (offset, output.count) }
            frame.cursor.position = cursor.position
            outer.append(frame)
            let text = try declarations.replacement(
                for: cursor.slice(name), inside: outer, inAttribute: false, limits: limits, budget: &budget, at: offset)
            let bytes = UnsafeBufferPointer(rebasing: texts[text])
            frame = EntityFrame(cursor: MarkupCursor(bytes: bytes), text: text, depth: depth)
            isSeam = true
        }
    }

    private mutating func closeEntity() throws(XMLError) {
        guard depth == frame.depth else { return try refuse("an element begins that does not end there.") }
        guard let around = outer.popLast() else { return }
        frame = around
        isSeam = true
        if !isInsideEntity { recordReference() }
    }

    private mutating func recordReference() {
        let end = (outer.first ?? frame).cursor.position
        replacements.append(.init(output: reference.output..<output.count, source: reference.source..<end))
    }

    // MARK: Text

    private mutating func copyText() throws(XMLError) {
        if isSeam, try closeSeam() { return }
        isSeam = false
        var end = frame.cursor.position
        let bytes = frame.cursor.bytes
        while end < bytes.count, bytes[end] != UInt8(ascii: "<"), bytes[end] != UInt8(ascii: "&") {
            if bytes[end] == 0x0D && isInsideEntity { break }
            end += 1
        }
        copy(to: end)
        // It came from a character reference: unescaped it would be read as a line end (§2.11).
        if isInsideEntity && frame.cursor.skip("\r") { try escape("&#13;") }
    }

    /// Prevents two texts that are now adjacent from forming a `]]>` or a line end that neither of them contains.
    private mutating func closeSeam() throws(XMLError) -> Bool {
        let begin = frame.cursor.position
        let from = output.count
        if frame.cursor.peek() == 0x0A && output.last == 0x0D {
            frame.cursor.position += 1
            try escape("&#10;")
        } else if output.suffix(2).elementsEqual("]]".utf8) && frame.cursor.skip(">") {
            try escape("&gt;")
        } else if output.last == UInt8(ascii: "]") && frame.cursor.skip("]>") {
            try escape("]&gt;")
        } else {
            return false
        }
        isSeam = false
        try record(from: from, source: begin..<frame.cursor.position)
        return true
    }

    mutating func escape(_ text: StaticString) throws(XMLError) {
        try budget.take(text.utf8CodeUnitCount, at: place)
        write(text)
    }
}

/// Writes the canonical form of what a reader reads.
struct XMLCanonicalWriter: ~Copyable {
    /// Where comments and processing instructions stand (Canonical XML 1.0 §2.3).
    enum Place { case beforeRoot, inside, afterRoot }

    /// An attribute in the namespace `xml` that an element has from an element around the form (Canonical XML 1.0 §2.4).
    struct Inherited: Sendable, Hashable {
        var localName: [UInt8]
        var value: String
    }

    /// An element that is open in the form.
    private struct Open {
        var name: UnsafePointer<UInt8>
        var length: Int
        /// The number of declarations around it.
        var rendered: Int
    }

    private let form: XMLCanonicalization
    /// The PrefixList, where the empty prefix means the default namespace.
    private let prefixes: [[UInt8]]
    /// Escapes as the form requires.
    private var output = XMLWriter()
    private var open: [Open] = []
    /// The declarations of the open elements in the form.
    private var rendered: [XMLReader.Binding] = []
    /// What the start tag in progress declares.
    private var due: [XMLReader.Binding] = []
    private var order: [Int] = []
    /// The bytes that were passed on.
    private var bytes = 0

    /// The form goes on in pieces of about this size.
    private static let pieceBytes = 64 << 10

    init(_ form: XMLCanonicalization) {
        self.form = form
        guard form.method == .exclusive10 else {
            prefixes = []
            return
        }
        var seen: Set<String> = []
        prefixes = form.inclusiveNamespaces.filter { seen.insert($0).inserted }.map {
            $0 == "#default" ? [] : Array($0.utf8)
        }
    }

    /// Passes on what was written.
    mutating func flush(into sink: (UnsafeRawBufferPointer) -> Void) {
        guard output.count > 0 else { return }
        bytes += output.count
        sink(UnsafeRawBufferPointer(start: output.base, count: output.count))
        output.count = 0
    }

    /// Writes the element whose start tag was read last, to its end tag.
    ///
    /// - Parameters:
    ///   - inherited: attributes from around the element.
    ///   - omitted: where the start tag of an element begins that is left out; nil to leave nothing out.
    mutating func element(
        _ reader: inout XMLReader, inherited: [Inherited] = [], omitting omitted: Int? = nil,
        into sink: (UnsafeRawBufferPointer) -> Void
    ) throws(XMLError) {
        let depth = reader.frames.count
        var isOmitted = false
        if prefixes.count > reader.limits.namespaces {
            reader.fail(
                .tooManyNamespaces,
                "the list of prefixes has more than \(reader.limits.namespaces) (XMLLimits.namespaces).")
        }
        startTag(&reader, isApex: true, inherited)
        while true {
            if !reader.selfClosed { markup(&reader, .inside) }
            switch reader.advance() {
            case .startElement:
                if let omitted, let name = reader.frames.last?.name, name - 1 - reader.base == omitted {
                    try reader.skipElement()
                    isOmitted = true
                } else {
                    startTag(&reader, isApex: false, [])
                }
            case .text: text(&reader)
            case .endElement:
                endTag()
                if reader.frames.count < depth {
                    if let omitted, !isOmitted {
                        reader.fail(.unexpected, "no element inside begins at byte \(omitted) of the document.")
                    }
                    try reader.check()
                    return
                }
            case .endOfDocument, nil:
                try reader.check()
                return
            }
            if output.count >= Self.pieceBytes {
                flush(into: sink)
                // A declaration is written again in each element that uses it.
                if bytes > reader.limits.documentBytes {
                    reader.fail(
                        .documentTooLarge,
                        "the canonical form is larger than \(reader.limits.documentBytes) bytes (XMLLimits.documentBytes)."
                    )
                }
            }
        }
    }

    // MARK: Comments and processing instructions

    /// Writes the comments and processing instructions that stand at the reader's position.
    mutating func markup(_ reader: inout XMLReader, _ place: Place) {
        while !reader.hasFailed {
            if place != .inside {
                while reader.p < reader.end, XMLCharacters.isSpace(reader.p[0]) { reader.p += 1 }
            }
            let begin = reader.p
            guard reader.end - begin >= 4, begin[0] == UInt8(ascii: "<") else { return }
            let isComment: Bool
            if begin[1] == UInt8(ascii: "?") {
                isComment = false
                guard reader.skipProcessingInstruction() else { return }
            } else if begin[1] == UInt8(ascii: "!"), begin[2] == UInt8(ascii: "-"), begin[3] == UInt8(ascii: "-") {
                isComment = true
                guard reader.skipComment() else { return }
            } else {
                return
            }
            guard !isComment || form.hasComments else { continue }
            if place == .afterRoot { output.raw(0x0A) }
            if isComment {
                lines(begin, reader.p - begin)
            } else {
                instruction(begin, reader.p - begin)
            }
            if place == .beforeRoot { output.raw(0x0A) }
        }
    }

    /// Writes an instruction with one space behind its target.
    private mutating func instruction(_ begin: UnsafePointer<UInt8>, _ count: Int) {
        let end = begin + count - 2
        var q = begin
        while q < end, !XMLCharacters.isSpace(q[0]) { q += 1 }
        output.raw(begin, q - begin)
        while q < end, XMLCharacters.isSpace(q[0]) { q += 1 }
        if q < end { output.raw(UInt8(ascii: " ")) }
        lines(q, end + 2 - q)
    }

    /// Writes bytes with line ends normalised (XML 1.0 §2.11).
    private mutating func lines(_ begin: UnsafePointer<UInt8>, _ count: Int) {
        var (from, q) = (begin, begin)
        let end = begin + count
        while q < end {
            if q[0] == 0x0D {
                output.raw(from, q - from)
                // Of the two bytes of a line end the second remains.
                if q + 1 >= end || q[1] != 0x0A { output.raw(0x0A) }
                from = q + 1
            }
            q += 1
        }
        output.raw(from, end - from)
    }

    // MARK: Elements

    private mutating func text(_ reader: inout XMLReader) {
        if reader.textIsLiteral {
            output.escape(UnsafeBufferPointer(start: reader.text, count: reader.textLength), isAttribute: false)
        } else {
            reader.scratch.removeAll()
            guard reader.appendCurrentText() else { return }
            output.escape(
                UnsafeBufferPointer(start: reader.scratch.base, count: reader.scratch.count), isAttribute: false)
        }
    }

    private mutating func endTag() {
        guard let element = open.popLast() else { return }
        output.raw("</")
        output.raw(element.name, element.length)
        output.raw(UInt8(ascii: ">"))
        if rendered.count > element.rendered { rendered.removeLast(rendered.count - element.rendered) }
    }

    private mutating func startTag(_ reader: inout XMLReader, isApex: Bool, _ inherited: [Inherited]) {
        guard let frame = reader.frames.last else { return }
        open.append(Open(name: frame.name, length: frame.length, rendered: rendered.count))
        output.raw(UInt8(ascii: "<"))
        output.raw(frame.name, frame.length)
        collectDeclarations(&reader, frame, isApex: isApex)
        if !due.isEmpty { writeDeclarations(&reader) }
        if !inherited.isEmpty {
            writeAttributes(&reader, with: inherited)
        } else if !reader.attributes.isEmpty {
            writeAttributes(&reader)
        }
        output.raw(UInt8(ascii: ">"))
    }

    // MARK: Declarations

    private mutating func collectDeclarations(
        _ reader: inout XMLReader, _ frame: XMLReader.Frame, isApex: Bool
    ) {
        due.removeAll(keepingCapacity: true)
        guard form.method == .exclusive10 else {
            let first = isApex ? 0 : frame.bindings
            // Of two declarations of a prefix, the inner one counts, also one that ends a default namespace.
            var hasDefault = false
            for index in stride(from: reader.bindings.count - 1, through: first, by: -1) {
                let binding = reader.bindings[index]
                if binding.length == 0 {
                    if hasDefault { continue }
                    hasDefault = true
                }
                consider(binding, &reader)
            }
            return
        }
        let prefixLength = max(0, reader.localName - frame.name - 1)
        consider(.init(prefix: frame.name, length: prefixLength, namespace: reader.elementNamespace), &reader)
        for index in reader.attributes.indices {
            let attribute = reader.attributes[index]
            guard attribute.prefixLength > 0, !reader.isDeclaration(attribute) else { continue }
            consider(
                .init(prefix: attribute.name, length: attribute.prefixLength, namespace: attribute.namespace), &reader)
        }
        for prefix in prefixes { considerListed(prefix, &reader) }
    }

    /// A prefix of the list is declared wherever it is in scope, used or not.
    private mutating func considerListed(_ prefix: [UInt8], _ reader: inout XMLReader) {
        let bound = prefix.withUnsafeBufferPointer { name in
            reader.bindings.last { binding in
                binding.length == name.count
                    && (name.isEmpty || XMLReader.same(binding.prefix, name.baseAddress ?? binding.prefix, name.count))
            }
        }
        if let bound {
            consider(bound, &reader)
        } else if prefix.isEmpty {
            consider(.init(prefix: reader.start, length: 0, namespace: 0), &reader)
        }
    }

    /// Adds a declaration to those of the tag in progress, unless the form has it already.
    private mutating func consider(_ binding: XMLReader.Binding, _ reader: inout XMLReader) {
        if binding.length == 3, reader.starts(with: "xml", at: binding.prefix) { return }
        for known in due where Self.isSame(known, binding) { return }
        let around = rendered.last { Self.isSame($0, binding) }
        if let around {
            if isEqual(around.namespace, binding.namespace, &reader) { return }
        } else if binding.namespace == 0 {
            return
        }
        due.append(binding)
    }

    private static func isSame(_ one: XMLReader.Binding, _ other: XMLReader.Binding) -> Bool {
        one.length == other.length && (one.length == 0 || XMLReader.same(one.prefix, other.prefix, one.length))
    }

    /// Whether two numbers mean the same namespace, which may have got another number meanwhile.
    private func isEqual(_ one: Int32, _ other: Int32, _ reader: inout XMLReader) -> Bool {
        one == other || ((one < 0) != (other < 0) && reader.uri(of: one).isExactly(reader.uri(of: other)))
    }

    private mutating func writeDeclarations(_ reader: inout XMLReader) {
        if due.count > 1 {
            due.sort { one, other in
                UnsafeBufferPointer(start: one.prefix, count: one.length).lexicographicallyPrecedes(
                    UnsafeBufferPointer(start: other.prefix, count: other.length))
            }
        }
        for binding in due {
            let uri = reader.uri(of: binding.namespace)
            guard Self.isAbsolute(uri) else {
                reader.fail(
                    .namespace,
                    "the namespace name “\(uri.prefix(80))” is relative; such a document has no canonical form.")
                return
            }
            output.raw(" xmlns")
            if binding.length > 0 {
                output.raw(UInt8(ascii: ":"))
                output.raw(binding.prefix, binding.length)
            }
            output.raw("=\"")
            output.escape(uri, isAttribute: true)
            output.raw(UInt8(ascii: "\""))
        }
        rendered.append(contentsOf: due)
    }

    /// Whether a namespace name is empty, or begins with a scheme (RFC 3986 §3.1).
    private static func isAbsolute(_ uri: String) -> Bool {
        guard let first = uri.utf8.first else { return true }
        guard (0x61...0x7A).contains(first | 0x20) else { return false }
        for byte in uri.utf8 {
            if byte == UInt8(ascii: ":") { return true }
            let isPart =
                (0x61...0x7A).contains(byte | 0x20) || (0x30...0x39).contains(byte)
                || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            if !isPart { return false }
        }
        return false
    }

    // MARK: Attributes

    private mutating func writeAttributes(_ reader: inout XMLReader) {
        order.removeAll(keepingCapacity: true)
        for index in reader.attributes.indices where !reader.isDeclaration(reader.attributes[index]) {
            order.append(index)
        }
        if order.count > 1 { sortAttributes(&reader) }
        for index in order {
            let attribute = reader.attributes[index]
            let skipped = attribute.localName - attribute.name
            output.raw(UInt8(ascii: " "))
            output.raw(attribute.name, attribute.localLength + skipped)
            output.raw("=\"")
            output.escape(reader.attributeBytes(attribute), isAttribute: true)
            output.raw(UInt8(ascii: "\""))
        }
    }

    /// By namespace name, then by local name.
    private mutating func sortAttributes(_ reader: inout XMLReader) {
        let attributes = reader.attributes
        var names: [Int32: [UInt8]] = [:]
        for attribute in attributes where attribute.prefixLength > 0 && !reader.isDeclaration(attribute) {
            if names[attribute.namespace] == nil {
                names[attribute.namespace] = Array(reader.uri(of: attribute.namespace).utf8)
            }
        }
        order.sort { one, other in
            let (one, other) = (attributes[one], attributes[other])
            let (left, right) = (one.prefixLength > 0 ? one.namespace : 0, other.prefixLength > 0 ? other.namespace : 0)
            if left != right {
                let (left, right) = (names[left] ?? [], names[right] ?? [])
                if left != right { return left.lexicographicallyPrecedes(right) }
            }
            return UnsafeBufferPointer(start: one.localName, count: one.localLength).lexicographicallyPrecedes(
                UnsafeBufferPointer(start: other.localName, count: other.localLength))
        }
    }

    /// The attributes of the outermost element with those that it inherits.
    private mutating func writeAttributes(_ reader: inout XMLReader, with inherited: [Inherited]) {
        var all: [(uri: [UInt8], localName: [UInt8], name: [UInt8], value: String)] = []
        let xml = Array(XMLNamespace.xml.uri.utf8)
        let attributes = reader.attributes
        for attribute in attributes where !reader.isDeclaration(attribute) {
            let localName = Array(UnsafeBufferPointer(start: attribute.localName, count: attribute.localLength))
            let skipped = attribute.localName - attribute.name
            all.append(
                (
                    attribute.prefixLength > 0 ? Array(reader.uri(of: attribute.namespace).utf8) : [], localName,
                    Array(UnsafeBufferPointer(start: attribute.name, count: attribute.localLength + skipped)),
                    reader.attributeValue(attribute)
                ))
        }
        let owned = all.count
        var isEmpty = false
        for attribute in inherited {
            let own = all.prefix(owned).firstIndex { $0.uri == xml && $0.localName == attribute.localName }
            if let own {
                if form.method == .inclusive11, attribute.localName.elementsEqual("base".utf8) {
                    all[own].value = XMLBase.joined(attribute.value, all[own].value)
                    // As libxml2 does: what joins to nothing is no base.
                    isEmpty = all[own].value.isEmpty
                }
            } else {
                all.append((xml, attribute.localName, Array("xml:".utf8) + attribute.localName, attribute.value))
            }
        }
        if isEmpty { all.removeAll { $0.uri == xml && $0.localName.elementsEqual("base".utf8) } }
        all.sort {
            $0.uri == $1.uri
                ? $0.localName.lexicographicallyPrecedes($1.localName) : $0.uri.lexicographicallyPrecedes($1.uri)
        }
        for attribute in all {
            output.raw(UInt8(ascii: " "))
            output.raw(attribute.name)
            output.raw("=\"")
            output.escape(attribute.value, isAttribute: true)
            output.raw(UInt8(ascii: "\""))
        }
    }
}

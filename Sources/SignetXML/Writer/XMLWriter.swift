/// Writes well-formed XML into a growing run of UTF-8 bytes.
///
/// Names come from the program and are trusted; text comes from anywhere and is escaped. A character that XML cannot carry
/// is a defect: the first one found is final and ``finish()`` throws it.
public struct XMLWriter: ~Copyable {
    var base: UnsafeMutablePointer<UInt8>
    var count = 0
    private var capacity: Int

    private(set) var failure: XMLError?
    /// A local name on the path to the place of writing.
    private enum PathName {
        case name(String)
        case field(XMLTable.Field)

        var text: String {
            switch self {
            case .name(let name): name
            case .field(let field):
                String(decoding: UnsafeBufferPointer(start: field.name, count: field.length), as: UTF8.self)
            }
        }
    }

    /// The open elements, for messages.
    private var open: [PathName] = []
    /// Declared namespaces with their prefixes, and how deep in the document each was declared.
    ///
    /// No prefix is declared again while it is in scope, and never a default namespace: an element without prefix is in no
    /// namespace, and what was written elsewhere can be put anywhere.
    var prefixes: [(namespace: Int32, prefix: [UInt8], depth: Int)] = [] {
        didSet {
            lastDeclaration = prefixes.last?.depth ?? 0
            ready.forget()
        }
    }
    /// How deep the innermost declaration stands; zero when there is none.
    private(set) var lastDeclaration = 0
    /// How tags of the namespace written last begin.
    var ready = ReadyTag()
    var depth = 0
    /// Where the start tag written last begins.
    var tagStart = 0
    /// The content of the ``XMLAny`` being written where it differs from its own.
    var replacedContent: [UInt8]?
    /// Bytes that declarations repeated in such content may still take. It grows with the content written, so that what
    /// a sender wrote once cannot grow a hundredfold.
    var roomForDeclarations = 64 << 10
    /// Namespaces without a number that values declared in the start tag at `tag`.
    var valueNamespaces: (tag: Int, declared: [(uri: String, prefix: [UInt8])]) = (-1, [])
    /// The table of the structure whose content is being written.
    var table: XMLTable?

    public init() {
        capacity = 4096
        base = .allocate(capacity: 4096)
    }

    deinit { base.deallocate() }

    /// The bytes written, after a check that nothing unwritable was among them.
    public consuming func finish() throws(XMLError) -> [UInt8] {
        if let failure { throw failure }
        return Array(UnsafeBufferPointer(start: base, count: count))
    }

    /// Number of bytes written so far.
    public var byteCount: Int { count }

    /// What was written so far, unchecked.
    var bytesWritten: [UInt8] { Array(UnsafeBufferPointer(start: base, count: count)) }

    // MARK: Bytes

    @inline(__always) mutating func reserve(_ additional: Int) {
        if capacity - count < additional { grow(additional) }
    }

    @inline(never) private mutating func grow(_ additional: Int) {
        let larger = (count + additional) * 2
        let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
        moved.update(from: base, count: count)
        base.deallocate()
        base = moved
        capacity = larger
    }

    @inline(__always) mutating func raw(_ byte: UInt8) {
        reserve(1)
        base[count] = byte
        count += 1
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

    /// Writes ASCII that needs no escaping: digits, base64, names.
    public mutating func ascii(_ text: String) {
        var text = text
        text.withUTF8 { if let start = $0.baseAddress { raw(start, $0.count) } }
    }

    // MARK: Elements

    /// `<?xml version="1.0" encoding="UTF-8"?>`
    public mutating func declaration() { raw("<?xml version=\"1.0\" encoding=\"UTF-8\"?>") }

    /// Writes a start tag; the namespaces in `declaring` are declared on it, so that what follows need not.
    ///
    /// A prefix that is empty or already in scope is not used; the namespace gets another one when it is needed.
    public mutating func startElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: [(name: XMLName, value: String)] = []
    ) {
        startElement(name, declaring: declaring) { writer in
            for (name, value) in attributes { writer.attribute(name, value) }
        }
    }

    /// Writes a start tag with the attributes that `attributes` writes.
    public mutating func startElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: (inout XMLWriter) -> Void
    ) {
        if !XMLName.isNCName(name.localName) { fail("“\(name.localName.prefix(80))” is no name of an element.") }
        beginTag(namespace: name.namespace.id, local: Array(name.localName.utf8)) { writer in
            for (prefix, namespace) in declaring where writer.prefix(of: namespace.id) == nil {
                let prefix = Array(prefix.utf8)
                if prefix.isEmpty || writer.prefixes.contains(where: { $0.prefix == prefix }) { continue }
                writer.declare(namespace.id, prefix: prefix)
            }
        }
        attributes(&self)
        raw(UInt8(ascii: ">"))
        open.append(.name(name.localName))
    }

    public mutating func endElement(_ name: XMLName) {
        endTag(namespace: name.namespace.id, local: Array(name.localName.utf8))
        open.removeLast(min(1, open.count))
    }

    /// Writes an attribute into the start tag that is being written.
    public mutating func attribute(_ name: XMLName, _ value: String) {
        attributeStart(namespace: name.namespace.id, local: Array(name.localName.utf8))
        escape(value, isAttribute: true)
        raw(UInt8(ascii: "\""))
    }

    /// Writes an attribute whose value is a qualified name, such as `xsi:type`, into the start tag that is being written.
    public mutating func attribute(_ name: XMLName, qualifiedName value: XMLName) {
        let prefix = value.namespace == .none ? [] : boundPrefix(value.namespace.id)
        attributeStart(namespace: name.namespace.id, local: Array(name.localName.utf8))
        write(prefix: prefix, Array(value.localName.utf8))
        raw(UInt8(ascii: "\""))
    }

    /// The prefix that is declared for a namespace here; nil when there is none. Needed for texts that are qualified names.
    public func prefix(for namespace: XMLNamespace) -> String? {
        prefix(of: namespace.id).map { String(decoding: $0, as: UTF8.self) }
    }

    mutating func attributeStart(namespace: Int32, local: [UInt8]) {
        // An attribute in a namespace needs a prefix; the default namespace does not apply to it.
        let prefix = namespace == 0 ? [] : boundPrefix(namespace)
        raw(UInt8(ascii: " "))
        write(prefix: prefix, local)
        raw("=\"")
    }

    func prefix(of namespace: Int32) -> [UInt8]? {
        prefixes.last { $0.namespace == namespace }?.prefix
    }

    private mutating func boundPrefix(_ namespace: Int32) -> [UInt8] {
        if namespace == XMLNamespace.xml.id { return Array("xml".utf8) }
        if let known = prefix(of: namespace) { return known }
        let prefix = newPrefix(for: namespace)
        declare(namespace, prefix: prefix)
        return prefix
    }

    /// A prefix that is in scope nowhere.
    func newPrefix(for namespace: Int32, besides taken: [String] = []) -> [UInt8] {
        let prefixes = prefixes
        func isTaken(_ prefix: String) -> Bool {
            taken.contains(prefix) || prefixes.contains { $0.prefix.elementsEqual(prefix.utf8) }
        }
        if namespace == XMLNamespace.schemaInstance.id, !isTaken("xsi") { return Array("xsi".utf8) }
        return Array(Self.freePrefix(isTaken).utf8)
    }

    /// `n1`, or the first after it that is free.
    static func freePrefix(_ isTaken: (String) -> Bool) -> String {
        var number = 1
        while isTaken("n\(number)") { number += 1 }
        return "n\(number)"
    }

    mutating func declare(_ namespace: Int32, prefix: [UInt8]) {
        writeDeclaration(prefix, XMLNamespace.uri(of: namespace))
        prefixes.append((namespace, prefix, depth))
    }

    /// Writes ` xmlns:prefix="uri"`.
    mutating func writeDeclaration(_ prefix: some Collection<UInt8>, _ uri: String) {
        raw(prefix.isEmpty ? " xmlns" : " xmlns:")
        raw(prefix)
        raw("=\"")
        escape(uri, isAttribute: true)
        raw(UInt8(ascii: "\""))
    }

    mutating func write(prefix: [UInt8], _ local: [UInt8]) {
        if !prefix.isEmpty {
            prefix.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
            raw(UInt8(ascii: ":"))
        }
        local.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
    }

    /// Writes `<p:name` and the declarations that it needs; the caller adds attributes and `>`.
    mutating func beginTag(namespace: Int32, local: [UInt8], declaring: (inout XMLWriter) -> Void = { _ in }) {
        depth += 1
        tagStart = count
        raw(UInt8(ascii: "<"))
        if namespace == 0 {
            write(prefix: [], local)
            declaring(&self)
        } else if let known = prefix(of: namespace) {
            write(prefix: known, local)
            declaring(&self)
        } else {
            // The declaration follows the name, so the prefix is chosen first and declared behind it.
            let mark = count
            declaring(&self)
            let prefix = boundPrefix(namespace)
            let declarations = Array(UnsafeBufferPointer(start: base + mark, count: count - mark))
            count = mark
            write(prefix: prefix, local)
            declarations.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
        }
    }

    private mutating func endTag(namespace: Int32, local: [UInt8]) {
        raw("</")
        write(prefix: namespace == 0 ? [] : prefix(of: namespace) ?? [], local)
        raw(UInt8(ascii: ">"))
        leaveScope()
    }

    // MARK: Attributes of a table

    mutating func startAttribute(_ field: XMLTable.Field) {
        attributeStart(
            namespace: field.namespace, local: Array(UnsafeBufferPointer(start: field.name, count: field.length)))
        isInAttribute = true
    }

    mutating func endAttribute() {
        isInAttribute = false
        raw(UInt8(ascii: "\""))
    }

    private var isInAttribute = false
    /// The field whose simple value is being written.
    var current: XMLTable.Field?

    // MARK: Text

    /// Writes character data, escaped as its place demands.
    public mutating func text(_ value: String) { escape(value, isAttribute: isInAttribute) }

    mutating func escape(_ value: String, isAttribute: Bool) {
        var value = value
        value.withUTF8 { bytes in
            guard let start = bytes.baseAddress else { return }
            reserve(bytes.count)
            var from = 0
            var i = 0
            while i < bytes.count {
                let byte = bytes[i]
                // Everything from 0x40 on stands for itself, but for the end of the Basic Multilingual Plane.
                if byte >= 0x40 && byte != 0xEF || byte == 0x20 {
                    i += 1
                    continue
                }
                guard let replacement = replacement(byte, bytes, i, isAttribute) else {
                    i += 1
                    continue
                }
                raw(start + from, i - from)
                raw(replacement)
                i += 1
                from = i
            }
            raw(start + from, bytes.count - from)
        }
    }

    /// What stands for a byte that cannot stand for itself; nil when it can.
    private mutating func replacement(
        _ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isAttribute: Bool
    ) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): return "&amp;"
        case UInt8(ascii: "<"): return "&lt;"
        case UInt8(ascii: ">"): return "&gt;"
        case UInt8(ascii: "\"") where isAttribute: return "&quot;"
        case 0x0D: return "&#13;"
        case 0x0A: return isAttribute ? "&#10;" : nil
        case 0x09: return isAttribute ? "&#9;" : nil
        case 0x00..<0x20: fail(UInt32(byte))
        case 0xEF where index + 2 < bytes.count && bytes[index + 1] == 0xBF && bytes[index + 2] >= 0xBE:
            fail(bytes[index + 2] == 0xBE ? 0xFFFE : 0xFFFF)
        default: break
        }
        return nil
    }

    private mutating func fail(_ scalar: UInt32) {
        let name = String(scalar, radix: 16, uppercase: true)
        let zeros = String(repeating: "0", count: max(0, 4 - name.count))
        fail("the character U+\(zeros)\(name) cannot stand in XML.")
    }

    mutating func fail(_ message: String) {
        guard failure == nil else { return }
        let path = (open + (current.map { [.field($0)] } ?? [])).map(\.text)
        failure = XMLError(.unwritable, message, path: path.joined(separator: "/"))
    }

    mutating func enter(_ field: XMLTable.Field) { open.append(.field(field)) }

    mutating func leave() { open.removeLast(min(1, open.count)) }
}

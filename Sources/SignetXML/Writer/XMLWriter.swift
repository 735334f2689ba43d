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
    private var prefixes: [(namespace: Int32, prefix: [UInt8], depth: Int)] = []
    private var nextPrefix = 1
    private var depth = 0
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
    public mutating func startElement(
        _ name: XMLName, declaring: [(prefix: String, namespace: XMLNamespace)] = [],
        attributes: [(name: XMLName, value: String)] = []
    ) {
        beginTag(namespace: name.namespace.id, local: Array(name.localName.utf8)) { writer in
            for (prefix, namespace) in declaring where writer.prefix(of: namespace.id) == nil {
                writer.declare(namespace.id, prefix: Array(prefix.utf8))
            }
        }
        for (name, value) in attributes { attribute(name, value) }
        raw(UInt8(ascii: ">"))
        open.append(.name(name.localName))
    }

    public mutating func endElement(_ name: XMLName) {
        endTag(namespace: name.namespace.id, local: Array(name.localName.utf8))
        open.removeLast(min(1, open.count))
    }

    /// Writes an attribute into the start tag that is being written.
    mutating func attribute(_ name: XMLName, _ value: String) {
        attributeStart(namespace: name.namespace.id, local: Array(name.localName.utf8))
        escape(value, isAttribute: true)
        raw(UInt8(ascii: "\""))
    }

    private mutating func attributeStart(namespace: Int32, local: [UInt8]) {
        // An attribute in a namespace needs a prefix; the default namespace does not apply to it.
        let prefix = namespace == 0 ? [] : boundPrefix(namespace)
        raw(UInt8(ascii: " "))
        write(prefix: prefix, local)
        raw("=\"")
    }

    private func prefix(of namespace: Int32) -> [UInt8]? {
        prefixes.last { $0.namespace == namespace }?.prefix
    }

    private mutating func boundPrefix(_ namespace: Int32) -> [UInt8] {
        if namespace == XMLNamespace.xml.id { return Array("xml".utf8) }
        if let known = prefix(of: namespace) { return known }
        let prefix: [UInt8]
        if namespace == XMLNamespace.schemaInstance.id {
            prefix = Array("xsi".utf8)
        } else {
            prefix = Array("n\(nextPrefix)".utf8)
            nextPrefix += 1
        }
        declare(namespace, prefix: prefix)
        return prefix
    }

    private mutating func declare(_ namespace: Int32, prefix: [UInt8]) {
        raw(" xmlns:")
        prefix.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
        raw("=\"")
        escape(XMLNamespace.uri(of: namespace), isAttribute: true)
        raw(UInt8(ascii: "\""))
        prefixes.append((namespace, prefix, depth))
    }

    private mutating func write(prefix: [UInt8], _ local: [UInt8]) {
        if !prefix.isEmpty {
            prefix.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
            raw(UInt8(ascii: ":"))
        }
        local.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
    }

    /// Writes `<p:name` and the declarations that it needs; the caller adds attributes and `>`.
    private mutating func beginTag(namespace: Int32, local: [UInt8], declaring: (inout XMLWriter) -> Void = { _ in }) {
        depth += 1
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
        while let last = prefixes.last, last.depth == depth { prefixes.removeLast() }
        depth -= 1
    }

    // MARK: Fields of a table

    mutating func startField(_ field: XMLTable.Field, isNil: Bool = false) {
        depth += 1
        raw(UInt8(ascii: "<"))
        if field.namespace != 0, prefix(of: field.namespace) == nil {
            depth -= 1
            count -= 1
            beginTag(
                namespace: field.namespace, local: Array(UnsafeBufferPointer(start: field.name, count: field.length)))
        } else {
            writeName(field)
        }
        if isNil {
            attributeStart(namespace: XMLNamespace.schemaInstance.id, local: Array("nil".utf8))
            raw("true\"")
        }
    }

    mutating func endField(_ field: XMLTable.Field) {
        raw("</")
        writeName(field)
        raw(UInt8(ascii: ">"))
        while let last = prefixes.last, last.depth == depth { prefixes.removeLast() }
        depth -= 1
    }

    @inline(__always) private mutating func writeName(_ field: XMLTable.Field) {
        if field.namespace != 0 {
            for entry in prefixes.reversed() where entry.namespace == field.namespace {
                entry.prefix.withUnsafeBufferPointer { if let start = $0.baseAddress { raw(start, $0.count) } }
                raw(UInt8(ascii: ":"))
                break
            }
        }
        raw(field.name, field.length)
    }

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
    /// The field whose simple value is being written, for messages.
    var current: XMLTable.Field?

    // MARK: Text

    /// Writes character data, escaped as its place demands.
    public mutating func text(_ value: String) { escape(value, isAttribute: isInAttribute) }

    private mutating func escape(_ value: String, isAttribute: Bool) {
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
        guard failure == nil else { return }
        let name = String(scalar, radix: 16, uppercase: true)
        let path = (open + (current.map { [.field($0)] } ?? [])).map(\.text)
        failure = XMLError(
            .unwritable,
            "the character U+\(String(repeating: "0", count: max(0, 4 - name.count)))\(name) cannot stand in XML.",
            path: path.joined(separator: "/"))
    }

    mutating func enter(_ field: XMLTable.Field) { open.append(.field(field)) }

    mutating func leave() { open.removeLast(min(1, open.count)) }
}

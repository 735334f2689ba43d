extension XMLReader {
    /// The element or attribute whose value a field is about to take.
    struct Leaf {
        var name: UnsafePointer<UInt8>
        var length = 0
        /// Whether the element is on the stack of open elements; a predicted start tag is put there only when
        /// necessary.
        var framed = true
        var isNil = false
        /// Whether the value is content beside the document.
        var isIncluded = false
        /// Whether the element has attributes that were not checked yet.
        var hasAttributes = false
        /// The name of the element whose value was read last; the reader is past its end tag when the value turns out
        /// to be wrong.
        var lastName: UnsafePointer<UInt8>
        var lastLength = 0
        /// The field of the element in the table; nil for an element that no table names.
        var field: UnsafePointer<XMLTable.Field>?
        /// Set while the value comes from an attribute or from simple content already read.
        var value: UnsafeBufferPointer<UInt8>?
        /// The name of the attribute that such a value comes from; nil for simple content.
        var valueName: UnsafeBufferPointer<UInt8>?
        /// The attribute that a field for attributes of any name is about to take.
        var attribute: Attribute?

        init(name: UnsafePointer<UInt8>) {
            self.name = name
            lastName = name
        }
    }

    /// The most likely beginning of a start tag of the expected namespace here: `<p:`.
    struct Prediction {
        var namespace: Int32 = .min
        /// No bytes match this under the mask: when no prefix is known, no tag is expected.
        var open: UInt64 = 1
        var openMask: UInt64 = 0
        var openLength = 0

        mutating func forget() { namespace = .min }
    }

    /// Finds the prefix that is bound to `namespace` here.
    mutating func predict(_ namespace: Int32) {
        prediction = Prediction()
        prediction.namespace = namespace
        // Prefixes that do not fit into a word are not considered, however many there are.
        for binding in bindings.reversed()
        where binding.length <= 6 && binding.namespace == namespace
            && lookup(binding.prefix, binding.length) == namespace
        {
            predict(prefix: binding.prefix, binding.length)
            return
        }
        if namespace == 0 && lookup(start, 0) == 0 { predict(prefix: start, 0) }
    }

    private mutating func predict(prefix: UnsafePointer<UInt8>, _ length: Int) {
        var name: UInt64 = 0
        for i in 0..<length { name |= UInt64(prefix[i]) << UInt64(8 * i) }
        if length > 0 { name |= UInt64(UInt8(ascii: ":")) << UInt64(8 * length) }
        let nameLength = length > 0 ? length + 1 : 0
        func mask(_ count: Int) -> UInt64 { count >= 8 ? .max : (1 << UInt64(count * 8)) - 1 }
        prediction.open = name << 8 | UInt64(UInt8(ascii: "<"))
        prediction.openMask = mask(nameLength + 1)
        prediction.openLength = nameLength + 1
    }

    @inline(__always) func word(_ q: UnsafePointer<UInt8>) -> UInt64 { Self.word(q) }

    @inline(__always) static func word(_ q: UnsafePointer<UInt8>) -> UInt64 {
        UInt64(littleEndian: UnsafeRawPointer(q).loadUnaligned(as: UInt64.self))
    }

    /// Whether the bytes at the cursor are exactly the start tag `<p:name>` of `field`; then the leaf is set to it.
    @inline(__always) mutating func takeStartTag(_ place: UnsafePointer<XMLTable.Field>) -> Bool {
        // Read through the pointer: otherwise each attempt copies the whole field.
        var field: XMLTable.Field { @inline(__always) get { place.pointee } }
        if prediction.namespace != field.namespace { predict(field.namespace) }
        // An element that would be too deep is left to the code that refuses it.
        guard frames.count < limits.depth, end - p >= field.length + 24,
            word(p) & prediction.openMask == prediction.open
        else { return false }
        let name = p + prediction.openLength
        guard word(name) & field.mask == field.word else { return false }
        if field.length >= 8 && !same(name + 8, field.name + 8, field.length - 7) { return false }
        leaf.name = p + 1
        leaf.length = prediction.openLength - 1 + field.length
        leaf.framed = false
        leaf.isNil = false
        p = name + field.length + 1
        return true
    }

    /// Makes the innermost open element the leaf, without a field of a table.
    mutating func beginLeaf() {
        leaf.framed = true
        leaf.isNil = false
        leaf.field = nil
    }

    /// Puts a predicted element on the stack of open elements.
    mutating func frameLeaf() {
        guard !leaf.framed else { return }
        leaf.framed = true
        frames.append(Frame(name: leaf.name, length: leaf.length, bindings: bindings.count))
    }

    /// The value of the leaf, read to its end tag; nil after a defect. The bytes stay valid until the next call.
    ///
    /// - Parameter orIncluded: whether a reference to content beside the document is allowed there: then there are no
    ///   bytes, and ``inclusion`` has the content.
    @usableFromInline mutating func leafBytes(orIncluded: Bool = false) -> UnsafeBufferPointer<UInt8>? {
        if let value = leaf.value {
            guard leaf.isIncluded, !orIncluded else { return value }
            noteElementInValue()
            return nil
        }
        leaf.isIncluded = false
        guard !hasFailed else { return nil }
        if leaf.hasAttributes { noteUnknownAttributes() }
        if !selfClosed {
            let begin = p
            let q = endOfPlainText(begin)
            let name = leaf.framed ? frames.last?.name ?? p : leaf.name
            let length = leaf.framed ? frames.last?.length ?? 0 : leaf.length
            if isEndTag(at: q, of: name, length) {
                guard isShort(begin, q), endsCleanly(begin, q) else { return nil }
                p = q + 3 + length
                leaf.lastName = name
                leaf.lastLength = length
                if leaf.framed { popFrame() }
                leaf.length = 0
                return begin == q ? presetBytes : UnsafeBufferPointer(start: begin, count: q - begin)
            }
            if q < end, q[0] != UInt8(ascii: "<"), let stop = resolve(begin, q, name, length) {
                p = stop + 3 + length
                leaf.lastName = name
                leaf.lastLength = length
                if leaf.framed { popFrame() }
                leaf.length = 0
                return UnsafeBufferPointer(start: scratch.base, count: scratch.count)
            }
        }
        return collectedBytes(orIncluded)
    }

    /// Puts text with references into the scratch buffer and returns the position of the end tag after it. Returns nil,
    /// and takes nothing, when something else follows or the text has a defect.
    mutating func resolve(
        _ begin: UnsafePointer<UInt8>, _ first: UnsafePointer<UInt8>, _ name: UnsafePointer<UInt8>, _ length: Int
    ) -> UnsafePointer<UInt8>? {
        guard !hasBracket else { return nil }
        scratch.removeAll()
        var run = begin
        var q = first
        while q < end, q - begin <= limits.textBytes {
            scratch.append(run, q - run)
            switch q[0] {
            case UInt8(ascii: "<"):
                return isEndTag(at: q, of: name, length) ? q : nil
            case UInt8(ascii: "&"):
                let reference = Self.readReference(at: q, end)
                guard reference.length > 0 else { return nil }
                scratch.append(scalar: reference.scalar)
                q += reference.length
            default:
                // A carriage return, alone or before a line feed.
                q += q + 1 < end && q[1] == UInt8(ascii: "\n") ? 2 : 1
                scratch.append(UInt8(ascii: "\n"))
            }
            run = q
            q = endOfPlainText(q)
        }
        return nil
    }

    /// The text of an element with references, CDATA, comments, or an end tag written with spaces.
    private mutating func collectedBytes(_ orIncluded: Bool) -> UnsafeBufferPointer<UInt8>? {
        frameLeaf()
        leaf.lastName = frames.last?.name ?? p
        leaf.lastLength = frames.last?.length ?? 0
        scratch.removeAll()
        while let token = advance() {
            switch token {
            case .text:
                guard appendCurrentText() else { return nil }
                if scratch.count > limits.textBytes {
                    fail(.textTooLong, "a text is longer than \(limits.textBytes) bytes (XMLLimits.textBytes).")
                    return nil
                }
            case .endElement:
                leaf.length = 0
                if leaf.isIncluded {
                    noteTextBesideInclusion()
                    return UnsafeBufferPointer(start: p, count: 0)
                }
                return scratch.count == 0
                    ? presetBytes : UnsafeBufferPointer(start: scratch.base, count: scratch.count)
            case .startElement:
                if orIncluded, !leaf.isIncluded, takeInclusion() { break }
                noteElementInValue()
                skipRest()
            case .endOfDocument:
                return nil
            }
        }
        return nil
    }

    /// Discards the text so far, which may only be white space.
    mutating func noteTextBesideInclusion() {
        if !trimmed(UnsafeBufferPointer(start: scratch.base, count: scratch.count)).isEmpty {
            deviate(.invalidValue, as: .unexpected, "text stands beside xop:Include.")
        }
        scratch.removeAll()
    }

    private mutating func noteElementInValue() {
        deviate(.invalidValue, as: .unexpected, "an element stands where a simple value is expected.")
    }

    /// The value of an element without text: the default or fixed value of the schema, if there is one (XML Schema Part
    /// 1 §3.3.4).
    private var presetBytes: UnsafeBufferPointer<UInt8> {
        guard let preset = leaf.field?.pointee.preset else { return UnsafeBufferPointer(start: p, count: 0) }
        var length = 0
        while preset[length] != 0 { length += 1 }
        return UnsafeBufferPointer(start: preset, count: length)
    }

    /// The end of plain text: the next `<`, `&` or carriage return.
    @inline(__always) func endOfPlainText(_ begin: UnsafePointer<UInt8>) -> UnsafePointer<UInt8> {
        Self.endOfPlainText(begin, end)
    }

    @inline(__always) static func endOfPlainText(
        _ begin: UnsafePointer<UInt8>, _ end: UnsafePointer<UInt8>
    ) -> UnsafePointer<UInt8> {
        var q = begin
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        while end - q >= 8 {
            let x = word(q)
            let less = x ^ (ones &* 0x3C)
            let ampersand = x ^ (ones &* 0x26)
            let carriage = x ^ (ones &* 0x0D)
            let hit =
                (((less &- ones) & ~less) | ((ampersand &- ones) & ~ampersand) | ((carriage &- ones) & ~carriage))
                & highs
            if hit != 0 { return q + hit.trailingZeroBitCount >> 3 }
            q += 8
        }
        while q < end && q[0] != 0x3C && q[0] != 0x26 && q[0] != 0x0D { q += 1 }
        return q
    }

    // MARK: Defects

    /// Where the value just read begins, and the path of its element, whose end tag the reader has passed, or of its
    /// attribute.
    private var valuePlace: (start: UnsafePointer<UInt8>, path: String) {
        if leaf.value != nil, let name = leaf.valueName, let start = name.baseAddress {
            return (start, "\(path)/@\(string(start, min(name.count, 80)))")
        }
        let name = string(leaf.lastName, min(leaf.lastLength, 80))
        return (max(leaf.lastName - 1, start), frames.isEmpty ? name : "\(path)/\(name)")
    }

    /// Notes a defect of the value just read.
    mutating func deviate(value code: XMLDeviation.Code, as error: XMLError.Code? = nil, _ message: String) {
        guard notes(code) else { return }
        let (place, path) = valuePlace
        deviate(code, as: error, message, at: place, in: path)
    }

    /// Whether an error must not repeat the value just read. Values of attributes are never repeated.
    private var isSecret: Bool {
        hidesValues || leaf.value != nil || SecretName.matches(string(leaf.lastName, min(leaf.lastLength, 80)))
            || path.split(separator: "/").contains { SecretName.matches(String($0)) }
    }

    @usableFromInline mutating func failValue(_ bytes: UnsafeBufferPointer<UInt8>, _ type: String) {
        let shown = String(decoding: bytes.prefix(40), as: UTF8.self)
        deviate(
            value: .invalidValue,
            isSecret
                ? "what stands here is not a value of \(type)."
                : "“\(shown)\(bytes.count > 40 ? "…" : "")” is not a value of \(type).")
    }

    /// The bytes without white space at either end.
    @usableFromInline @inline(__always) func trimmed(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>
    {
        // Hardly any value has space at its ends.
        guard let first = bytes.first, let last = bytes.last, first <= 0x20 || last <= 0x20 else { return bytes }
        return strippingSpace(bytes)
    }

    @inline(never) private func strippingSpace(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8> {
        var low = 0
        var high = bytes.count
        while low < high && XMLCharacters.isSpace(bytes[low]) { low += 1 }
        while high > low && XMLCharacters.isSpace(bytes[high - 1]) { high -= 1 }
        return UnsafeBufferPointer(rebasing: bytes[low..<high])
    }
}

/// Finds the tags of a document that is known to be well-formed and to have no document type declaration. It reads only
/// the positions of the tags.
struct MarkupScanner {
    let bytes: [UInt8]
    private(set) var position: Int

    /// A piece of the document.
    enum Token {
        case startTag(StartTag)
        case endTag(Range<Int>)
        /// Text, CDATA sections, comments and processing instructions.
        case other(Range<Int>)
    }

    struct StartTag {
        var range: Range<Int>
        /// The qualified name.
        var name: Range<Int>
        var attributes: [Attribute]
        var isEmpty: Bool
    }

    struct Attribute {
        var name: Range<Int>
        /// The value between the quotes, as it is written.
        var value: Range<Int>
        /// The name and the value with their quotes.
        var range: Range<Int>
    }

    init(_ bytes: [UInt8], from position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The next piece; nil at the end of the document.
    mutating func next() -> Token? {
        guard position < bytes.count else { return nil }
        let start = position
        guard bytes[start] == UInt8(ascii: "<") else {
            position = bytes[start...].firstIndex(of: UInt8(ascii: "<")) ?? bytes.count
            return .other(start..<position)
        }
        switch bytes.indices.contains(start + 1) ? bytes[start + 1] : 0 {
        case UInt8(ascii: "/"):
            position = end(of: ">", from: start)
            return .endTag(start..<position)
        case UInt8(ascii: "?"):
            position = end(of: "?>", from: start)
        case UInt8(ascii: "!"):
            position = starts("<!--", at: start) ? end(of: "-->", from: start + 4) : end(of: "]]>", from: start)
        default: return .startTag(startTag(at: start))
        }
        return .other(start..<position)
    }

    private mutating func startTag(at start: Int) -> StartTag {
        position = start + 1
        let name = word()
        var attributes: [Attribute] = []
        while position < bytes.count {
            let byte = bytes[position]
            if byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/") { break }
            if Self.isSpace(byte) {
                position += 1
                continue
            }
            let name = word()
            while position < bytes.count, bytes[position] != UInt8(ascii: "\""), bytes[position] != UInt8(ascii: "'") {
                position += 1
            }
            guard position < bytes.count else { break }
            let quote = bytes[position]
            let value = position + 1
            let end = bytes[value...].firstIndex(of: quote) ?? bytes.count
            position = min(end + 1, bytes.count)
            attributes.append(Attribute(name: name, value: value..<end, range: name.lowerBound..<position))
        }
        let isEmpty = position < bytes.count && bytes[position] == UInt8(ascii: "/")
        position = end(of: ">", from: position)
        return StartTag(range: start..<position, name: name, attributes: attributes, isEmpty: isEmpty)
    }

    private mutating func word() -> Range<Int> {
        let start = position
        while position < bytes.count {
            let byte = bytes[position]
            if Self.isSpace(byte) || byte == UInt8(ascii: "=") || byte == UInt8(ascii: ">") || byte == UInt8(ascii: "/")
            {
                break
            }
            position += 1
        }
        // A word of length zero would keep the loop at its position.
        if position == start { position += position < bytes.count ? 1 : 0 }
        return start..<position
    }

    private func starts(_ text: StaticString, at place: Int) -> Bool {
        let count = text.utf8CodeUnitCount
        guard place + count <= bytes.count else { return false }
        return text.withUTF8Buffer { unsafe bytes[place..<place + count].elementsEqual($0) }
    }

    private func end(of text: StaticString, from start: Int) -> Int {
        var place = start
        while place < bytes.count {
            if starts(text, at: place) { return place + text.utf8CodeUnitCount }
            place += 1
        }
        return bytes.count
    }

    static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 }
}

extension MarkupScanner {
    /// The local name of the first element in an envelope's body; nil when the body has no element. It looks ahead,
    /// before the message is read with all checks.
    static func firstInBody(_ message: [UInt8], charset: String?) -> String? {
        namesInBody(message, charset: charset, limit: 1).first
    }

    /// The local names of the elements in an envelope's body.
    ///
    /// - Parameter limit: the greatest number of names to return.
    static func namesInBody(_ message: [UInt8], charset: String?, limit: Int = 256) -> [String] {
        guard let bytes = try? XMLReader.utf8(message, charset: charset) else { return [] }
        var scanner = MarkupScanner(bytes)
        var depth = 0
        var names: [String] = []
        var isInBody = false
        while names.count < limit, let token = scanner.next() {
            switch token {
            case .startTag(let tag):
                let name = bytes[tag.name]
                let local = name.lastIndex(of: UInt8(ascii: ":")).map { name[($0 + 1)...] } ?? name
                if isInBody, depth == 2 { names.append(String(decoding: local.prefix(1024), as: UTF8.self)) }
                isInBody = isInBody || depth == 1 && !tag.isEmpty && local.elementsEqual("Body".utf8)
                if !tag.isEmpty { depth += 1 }
            case .endTag:
                depth -= 1
                if isInBody, depth < 2 { return names }
            case .other: break
            }
        }
        return names
    }
}

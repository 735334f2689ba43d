/// One block of a PEM file (RFC 7468).
struct PEMBlock {
    let label: String
    let der: [UInt8]
    /// Header lines between the label and the data. Only the old format for encrypted keys has them.
    let headers: [String: String]

    /// All blocks of a file; text between them is skipped, as RFC 7468 §2 asks.
    ///
    /// - Throws: ``EncodingError`` that names the block that is cut off or is not Base64.
    static func all(in pem: [UInt8]) throws(EncodingError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, body: [UInt8], headers: [String: String])?
        for line in Lines(rest: TextFile.utf8(pem)[...]) {
            if line.starts(with: begin.utf8), label(of: line, begin) == nil {
                // The rest of the line may be a key, so the error does not show it.
                throw EncodingError(
                    "the line that begins block \(blocks.count + 1) holds more than its label, as where line breaks became spaces; \(begin)LABEL-----, the Base64 and \(self.end)LABEL----- stand on lines of their own"
                )
            }
            if let label = label(of: line, begin) {
                if let open { throw EncodingError("block \(blocks.count + 1) (\(shown(open.label))) has no end") }
                open = (label, [], [:])
            } else if let label = label(of: line, end) {
                guard let block = open, block.label == label else {
                    throw EncodingError("the end of \(shown(label)) stands where none was begun")
                }
                guard let der = Text.bytes(base64: block.body) else {
                    throw EncodingError("block \(blocks.count + 1) (\(shown(label))) is not Base64")
                }
                blocks.append(PEMBlock(label: label, der: der, headers: block.headers))
                open = nil
            } else if open != nil {
                if let open, open.headers.count > 8 {
                    throw EncodingError("block \(blocks.count + 1) has too many headers")
                }
                if let colon = line.firstIndex(of: UInt8(ascii: ":")) {
                    let value = line[(colon + 1)...].drop { $0 == 0x20 }
                    open?.headers[String(decoding: line[..<colon], as: UTF8.self)] = String(
                        decoding: value, as: UTF8.self)
                } else {
                    open?.body += line
                }
            }
        }
        if let open { throw EncodingError("block \(blocks.count + 1) (\(shown(open.label))) has no end") }
        return blocks
    }

    private static let begin = "-----BEGIN "
    private static let end = "-----END "

    /// A label for messages. It is escaped, since the file's author chooses it.
    static func shown(_ label: String) -> String { DistinguishedName.printable(label) }

    /// Whether any line begins a block.
    static func isLikely(_ bytes: [UInt8]) -> Bool {
        Lines(rest: TextFile.utf8(Array(bytes.prefix(PEMFile.maximumBytes)))[...]).contains {
            $0.starts(with: begin.utf8)
        }
    }

    /// Reads the lines one by one, because an array of them could take many times the memory of the file.
    private struct Lines: Sequence, IteratorProtocol {
        var rest: ArraySlice<UInt8>

        mutating func next() -> ArraySlice<UInt8>? {
            rest = rest.drop { $0 == 0x0A || $0 == 0x0D }
            guard !rest.isEmpty else { return nil }
            let line = rest.prefix { $0 != 0x0A && $0 != 0x0D }
            rest = rest[line.endIndex...]
            return line
        }
    }

    /// Labels in use have at most 27 characters.
    private static let longestLabel = 64

    /// The label, where the line holds nothing else (RFC 7468 §3); otherwise nil.
    private static func label(of line: ArraySlice<UInt8>, _ marker: String) -> String? {
        var end = line.endIndex
        while end > line.startIndex, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        let text = line[..<end]
        guard text.starts(with: marker.utf8), text.suffix(5).elementsEqual("-----".utf8),
            text.count >= marker.utf8.count + 5, text.count <= marker.utf8.count + 5 + longestLabel
        else { return nil }
        let label = String(decoding: text.dropFirst(marker.utf8.count).dropLast(5), as: UTF8.self)
        return label.contains("--") ? nil : label
    }
}

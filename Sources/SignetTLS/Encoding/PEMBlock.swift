/// One block of a PEM file (RFC 7468).
struct PEMBlock {
    let label: String
    let der: [UInt8]
    /// Header lines between the label and the data, which only the old encrypted key format has.
    let hasHeaders: Bool

    /// All blocks of a file; text between them is skipped, as RFC 7468 §2 asks.
    ///
    /// - Throws: ``EncodingError`` naming the block that is cut off or is not Base64.
    static func all(in pem: [UInt8]) throws(EncodingError) -> [PEMBlock] {
        var blocks: [PEMBlock] = []
        var open: (label: String, body: [UInt8], hasHeaders: Bool)?
        for line in pem.split(omittingEmptySubsequences: true, whereSeparator: { $0 == 0x0A || $0 == 0x0D }) {
            if let label = label(of: line, "-----BEGIN ") {
                if let open { throw EncodingError("block \(blocks.count + 1) (\(open.label)) has no end") }
                open = (label, [], false)
            } else if let label = label(of: line, "-----END ") {
                guard let block = open, block.label == label else {
                    throw EncodingError("the end of \(label) stands where none was begun")
                }
                guard let der = Text.bytes(base64: block.body) else {
                    throw EncodingError("block \(blocks.count + 1) (\(label)) is not Base64")
                }
                blocks.append(PEMBlock(label: label, der: der, hasHeaders: block.hasHeaders))
                open = nil
            } else if open != nil {
                if line.contains(UInt8(ascii: ":")) { open?.hasHeaders = true } else { open?.body += line }
            }
        }
        if let open { throw EncodingError("block \(blocks.count + 1) (\(open.label)) has no end") }
        return blocks
    }

    private static func label(of line: ArraySlice<UInt8>, _ marker: String) -> String? {
        var end = line.endIndex
        while end > line.startIndex, line[end - 1] == 0x20 || line[end - 1] == 0x09 { end -= 1 }
        let text = line[..<end]
        guard text.starts(with: marker.utf8), text.suffix(5).elementsEqual("-----".utf8),
            text.count >= marker.utf8.count + 5
        else { return nil }
        return String(decoding: text.dropFirst(marker.utf8.count).dropLast(5), as: UTF8.self)
    }
}

/// Encodings of documents that are not UTF-8.
enum DocumentEncoding {
    /// The document in UTF-8 when its declaration says ISO-8859-1 (Latin-1) or US-ASCII; any other is given back unchanged,
    /// and refused by the reader unless it is UTF-8.
    static func utf8(_ document: [UInt8]) -> [UInt8] {
        guard document.starts(with: "<?xml".utf8),
            let end = document.prefix(200).firstIndex(of: UInt8(ascii: ">"))
        else { return document }
        let declaration = String(decoding: document[...end], as: UTF8.self)
        for name in ["iso-8859-1", "latin1", "us-ascii"] {
            for quote in ["\"", "'"] where declaration.lowercased().contains("\(quote)\(name)\(quote)") {
                return transcode(document, declarationEnd: end)
            }
        }
        return document
    }

    /// Every byte is the number of its character. The declaration is blanked, so that every place stays what it is.
    private static func transcode(_ document: [UInt8], declarationEnd end: Int) -> [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity(document.count + document.count / 8)
        for (index, byte) in document.enumerated() {
            if index <= end {
                text.append(byte == 0x0A || byte == 0x0D ? byte : 0x20)
            } else if byte < 0x80 {
                text.append(byte)
            } else {
                text += [0xC0 | byte >> 6, 0x80 | byte & 0x3F]
            }
        }
        return text
    }
}

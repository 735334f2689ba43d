/// The XML declaration `<?xml …?>` at the start of a document (XML 1.0 §2.8).
///
/// It has the same bytes in every encoding that extends ASCII, so it can be read before the document is converted.
struct XMLProlog {
    /// The length of the declaration in bytes; zero when there is none.
    var length = 0
    /// The name of the encoding, shortened if it is longer than any known name, and its position.
    var encoding: (name: String, offset: Int)?

    /// Reads the declaration at the start of `bytes`: version 1.x, then an encoding, then `standalone`.
    ///
    /// - Throws: `XMLError` for a malformed declaration; the offset counts from the start of `bytes`.
    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(XMLError) {
        guard bytes.starts(with: "<?xml".utf8) else { return }
        // Another target may begin with the same letters.
        if bytes.count > 5, bytes[5] != UInt8(ascii: "?"), !XMLCharacters.isSpace(bytes[5]) { return }
        if Self.isUsual(bytes) {
            encoding = ("utf-8", 30)
            length = Self.usual.utf8CodeUnitCount
            return
        }
        guard let close = Self.end(of: bytes) else {
            throw XMLError(.unexpectedEnd, "the XML declaration has no end.")
        }
        var next = 0
        var q = 5
        func skipSpace() { while q < close && XMLCharacters.isSpace(bytes[q]) { q += 1 } }
        while true {
            let before = q
            skipSpace()
            if q >= close { break }
            guard q > before, let index = Self.item(at: q, in: bytes), index >= next, next > 0 || index == 0 else {
                throw Self.malformed(q)
            }
            next = index + 1
            q += Self.items[index].utf8.count
            skipSpace()
            guard q < close, bytes[q] == UInt8(ascii: "=") else { throw Self.malformed(q) }
            q += 1
            skipSpace()
            guard q < close, bytes[q] == UInt8(ascii: "\"") || bytes[q] == UInt8(ascii: "'") else {
                throw Self.malformed(q)
            }
            let quote = bytes[q]
            q += 1
            let from = q
            while q < close && bytes[q] != quote { q += 1 }
            let value = UnsafeBufferPointer(rebasing: bytes[from..<q])
            guard q < close, Self.isAllowed(value, for: index) else { throw Self.malformed(from) }
            // One byte more than the longest name is enough to refuse it.
            if index == 1 {
                encoding = (String(decoding: value.prefix(XMLEncoding.longestName + 1), as: UTF8.self), from)
            }
            q += 1
        }
        guard next > 0 else { throw Self.malformed(q) }
        length = close + 2
    }

    /// The declaration that most messages have, with small or capital letters in the name of the encoding.
    private static let usual: StaticString = #"<?xml version="1.0" encoding="utf-8"?>"#

    private static func isUsual(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        guard bytes.count >= usual.utf8CodeUnitCount else { return false }
        let wanted = usual.utf8Start
        for i in 0..<usual.utf8CodeUnitCount where bytes[i] != wanted[i] {
            guard (30..<33).contains(i), bytes[i] | 0x20 == wanted[i] else { return false }
        }
        return true
    }

    private static let items = ["version", "encoding", "standalone"]

    private static func item(at q: Int, in bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        items.firstIndex { bytes[q...].starts(with: $0.utf8) }
    }

    /// The position of `?>`.
    private static func end(of bytes: UnsafeBufferPointer<UInt8>) -> Int? {
        var q = 5
        while q + 1 < bytes.count {
            if bytes[q] == UInt8(ascii: "?") && bytes[q + 1] == UInt8(ascii: ">") { return q }
            q += 1
        }
        return nil
    }

    /// Productions 26 (VersionNum), 81 (EncName) and 32 (SDDecl).
    private static func isAllowed(_ value: UnsafeBufferPointer<UInt8>, for index: Int) -> Bool {
        func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
        func isLetter(_ byte: UInt8) -> Bool { (0x61...0x7A).contains(byte | 0x20) }
        switch index {
        case 0: return value.count > 2 && value.starts(with: "1.".utf8) && value.dropFirst(2).allSatisfy(isDigit)
        case 1:
            guard let first = value.first, isLetter(first) else { return false }
            return value.allSatisfy { isDigit($0) || isLetter($0) || $0 == 0x2E || $0 == 0x5F || $0 == 0x2D }
        default: return value.elementsEqual("yes".utf8) || value.elementsEqual("no".utf8)
        }
    }

    private static func malformed(_ offset: Int) -> XMLError {
        XMLError(.malformed, "the XML declaration is malformed.", offset: offset)
    }
}

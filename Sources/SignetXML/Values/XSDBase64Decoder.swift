/// Reads an `xs:base64Binary` that arrives in pieces (XML Schema Part 2 §3.2.16), by the rules of ``XSDBase64Binary``.
struct XSDBase64Decoder: Sendable {
    private static let longestReference = 8

    /// The letters of the last group, as long as it is incomplete.
    private var held: [UInt8] = []
    private var isPadded = false
    /// The part of a character reference that has arrived, without the ampersand; nil outside a reference.
    private var reference: [UInt8]?

    /// Whether the text is complete.
    var isWhole: Bool { held.isEmpty && reference == nil }

    /// Adds the bytes of the next piece.
    ///
    /// - Returns: the position of the first invalid byte; nil when all are valid.
    mutating func decode(_ text: ArraySlice<UInt8>, into bytes: inout [UInt8]) -> Int? {
        var letters = held
        letters.reserveCapacity(held.count + text.count)
        // The text before the damage counts.
        let damage = text.indices.first { !take(written: text[$0], &letters) }
        held = Array(letters[(letters.count / 4 * 4)...])
        letters.removeLast(held.count)
        guard let decoded = letters.withUnsafeBufferPointer({ XSDBase64Binary(lexical: $0.span) }) else {
            return text.indices.last ?? text.startIndex
        }
        bytes += decoded.bytes
        return damage
    }

    /// Adds a letter, or a part of a reference to one; false for a byte that is not allowed there.
    private mutating func take(written byte: UInt8, _ letters: inout [UInt8]) -> Bool {
        guard var begun = reference else {
            guard byte == UInt8(ascii: "&") else { return take(byte, &letters) }
            reference = []
            return true
        }
        if byte == UInt8(ascii: ";") {
            reference = nil
            return Self.character(begun).map { take($0, &letters) } ?? false
        }
        begun.append(byte)
        reference = begun
        return begun.count <= Self.longestReference
    }

    /// Adds a letter, or skips white space; false for a byte that is not allowed there.
    private mutating func take(_ byte: UInt8, _ letters: inout [UInt8]) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return true
        case UInt8(ascii: "="):
            // At most two padding characters, at the place of the third and the fourth letter.
            guard letters.count % 4 >= 2 else { return false }
            isPadded = true
        case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "+"), UInt8(ascii: "/"):
            if isPadded { return false }
        default: return false
        }
        letters.append(byte)
        return true
    }

    /// The character of a reference such as `#13` or `#xD`, if it is ASCII (XML 1.0 §4.1).
    private static func character(_ reference: [UInt8]) -> UInt8? {
        // A sign is no digit.
        guard !reference.contains(UInt8(ascii: "+")), !reference.contains(UInt8(ascii: "-")) else { return nil }
        let text = String(decoding: reference, as: UTF8.self)
        if text.hasPrefix("#x") { return UInt8(text.dropFirst(2), radix: 16) }
        return text.hasPrefix("#") ? UInt8(text.dropFirst(), radix: 10) : nil
    }
}

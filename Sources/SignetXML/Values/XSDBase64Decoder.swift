/// Reads an `xs:base64Binary` that comes in pieces (XML Schema Part 2 §3.2.16), by the rules of ``XSDBase64Binary``.
struct XSDBase64Decoder: Sendable {
    private static let longestReference = 8

    /// The letters of the last group, while it is not whole.
    private var held: [UInt8] = []
    private var isPadded = false
    /// What has come of a reference to a character, without the ampersand; nil outside of one.
    private var reference: [UInt8]?

    /// Whether nothing is missing.
    var isWhole: Bool { held.isEmpty && reference == nil }

    /// Adds what the next piece stands for.
    ///
    /// - Returns: where the first byte stands that does not belong there; nil when all do.
    mutating func decode(_ text: ArraySlice<UInt8>, into bytes: inout [UInt8]) -> Int? {
        var letters = held
        letters.reserveCapacity(held.count + text.count)
        // What stands before the damage counts.
        let damage = text.indices.first { !take(written: text[$0], &letters) }
        held = Array(letters[(letters.count / 4 * 4)...])
        letters.removeLast(held.count)
        guard let decoded = letters.withUnsafeBufferPointer({ XSDBase64Binary(lexical: $0.span) }) else {
            return text.indices.last ?? text.startIndex
        }
        bytes += decoded.bytes
        return damage
    }

    /// Adds a letter, or a part of a reference to one; false for what cannot stand there.
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

    /// Adds a letter, or passes white space over; false for what cannot stand there.
    private mutating func take(_ byte: UInt8, _ letters: inout [UInt8]) -> Bool {
        switch byte {
        case 0x20, 0x09, 0x0A, 0x0D: return true
        case UInt8(ascii: "="):
            // Two at most, where the third and the fourth letter would be.
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

    /// The character that a reference such as `#13` or `#xD` stands for, if that is ASCII (XML 1.0 §4.1).
    private static func character(_ reference: [UInt8]) -> UInt8? {
        // A sign is no digit.
        guard !reference.contains(UInt8(ascii: "+")), !reference.contains(UInt8(ascii: "-")) else { return nil }
        let text = String(decoding: reference, as: UTF8.self)
        if text.hasPrefix("#x") { return UInt8(text.dropFirst(2), radix: 16) }
        return text.hasPrefix("#") ? UInt8(text.dropFirst(), radix: 10) : nil
    }
}

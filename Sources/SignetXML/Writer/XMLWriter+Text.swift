extension XMLWriter {
    /// Writes character data, escaped as its position requires.
    public mutating func text(_ value: String) {
        if isCollected { return handOver(XMLFieldCollector.Part.text, value) }
        escape(value, isAttribute: isInAttribute)
    }

    mutating func escape(_ value: String, isAttribute: Bool) {
        var value = value
        value.withUTF8 { escape($0, isAttribute: isAttribute) }
    }

    mutating func escape(_ bytes: UnsafeBufferPointer<UInt8>, isAttribute: Bool) {
        guard let start = bytes.baseAddress else { return }
        var i = 0
        while true {
            reserve(bytes.count - i + 8)
            let copied = Self.copyPlainText(start + i, bytes.count - i, to: base + count, isAttribute: isAttribute)
            count += copied
            i += copied
            guard i < bytes.count else { return }
            if let replacement = replacement(bytes[i], bytes, i, isAttribute) {
                raw(replacement)
            } else {
                raw(bytes[i])
            }
            i += 1
        }
    }

    /// Copies text up to the first byte that may need escaping, and returns the number of copied bytes. It overwrites
    /// eight more bytes after them.
    @inline(__always) static func copyPlainText(
        _ from: UnsafePointer<UInt8>, _ count: Int, to: UnsafeMutablePointer<UInt8>, isAttribute: Bool
    ) -> Int {
        let source = UnsafeRawPointer(from)
        let target = UnsafeMutableRawPointer(to)
        var i = 0
        while count &- i >= 8 {
            let word = source.loadUnaligned(fromByteOffset: i, as: UInt64.self)
            target.storeBytes(of: word, toByteOffset: i, as: UInt64.self)
            let marks = suspects(word.littleEndian, isAttribute)
            guard marks == 0 else { return i &+ marks.trailingZeroBitCount &>> 3 }
            i &+= 8
        }
        guard i < count else { return i }
        // The last bytes, followed by spaces, read byte by byte: the memory after the text is unknown.
        var word: UInt64 = 0x2020_2020_2020_2020
        var k = count
        while k > i {
            k &-= 1
            word = word &<< 8 | UInt64(from[k])
        }
        target.storeBytes(of: word.littleEndian, toByteOffset: i, as: UInt64.self)
        return min(count, i &+ suspects(word, isAttribute).trailingZeroBitCount &>> 3)
    }

    /// Marks the highest bit of bytes that may need escaping or a check: `<`, `>`, `&`, in attributes `"`, control
    /// characters, and 0xEF, with which the end of the Basic Multilingual Plane begins. Only the first mark is certain.
    @inline(__always) private static func suspects(_ word: UInt64, _ isAttribute: Bool) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        // Zero where the byte is the one searched for.
        let brackets = (word | ones &* 2) ^ ones &* 0x3E
        let ampersands = word ^ ones &* 0x26
        let quotes = isAttribute ? word ^ ones &* 0x22 : ampersands
        let ends = word ^ ones &* 0xEF
        return
            ((word &- ones &* 0x20) & ~word | (brackets &- ones) & ~brackets | (ampersands &- ones) & ~ampersands
            | (quotes &- ones) & ~quotes | (ends &- ones) & ~ends) & highs
    }

    /// The replacement of a byte that must be escaped (Canonical XML 1.0 §2.3); nil when the byte is written as it is.
    private mutating func replacement(
        _ byte: UInt8, _ bytes: UnsafeBufferPointer<UInt8>, _ index: Int, _ isAttribute: Bool
    ) -> StaticString? {
        switch byte {
        case UInt8(ascii: "&"): return "&amp;"
        case UInt8(ascii: "<"): return "&lt;"
        case UInt8(ascii: ">"): return isAttribute ? nil : "&gt;"
        case UInt8(ascii: "\""): return isAttribute ? "&quot;" : nil
        case 0x0D: return "&#xD;"
        case 0x0A: return isAttribute ? "&#xA;" : nil
        case 0x09: return isAttribute ? "&#x9;" : nil
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
}

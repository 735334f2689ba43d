extension XMLWriter {
    /// Writes character data, escaped as its place demands.
    public mutating func text(_ value: String) {
        if isCollected { return handOver(XMLFieldCollector.Part.text, value) }
        escape(value, isAttribute: isInAttribute)
    }

    mutating func escape(_ value: String, isAttribute: Bool) {
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

    /// What stands for a byte that cannot stand for itself (Canonical XML 1.0 §2.3); nil when it can.
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

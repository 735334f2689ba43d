/// Text files as editors and shells write them.
package enum TextFile {
    /// The bytes of a text in UTF-8 without a byte order mark, which Windows writes before it. UTF-16, which PowerShell
    /// writes, is converted to UTF-8. All other bytes are returned as they are.
    package static func utf8(_ bytes: [UInt8]) -> [UInt8] {
        let start = bytes.prefix(4)
        if start.starts(with: [0xEF, 0xBB, 0xBF]) { return Array(bytes.dropFirst(3)) }
        if start.starts(with: [0xFF, 0xFE]) { return utf16(bytes.dropFirst(2), isLittleEndian: true) ?? bytes }
        if start.starts(with: [0xFE, 0xFF]) { return utf16(bytes.dropFirst(2), isLittleEndian: false) ?? bytes }
        // Without a byte order mark, the zero bytes of the first two characters show UTF-16, as those characters are
        // ASCII.
        let zeros = start.map { $0 == 0 }
        if zeros == [false, true, false, true] { return utf16(bytes[...], isLittleEndian: true) ?? bytes }
        if zeros == [true, false, true, false] { return utf16(bytes[...], isLittleEndian: false) ?? bytes }
        return bytes
    }

    private static func utf16(_ bytes: ArraySlice<UInt8>, isLittleEndian: Bool) -> [UInt8]? {
        guard bytes.count.isMultiple(of: 2) else { return nil }
        var units: [UInt16] = []
        units.reserveCapacity(bytes.count / 2)
        var rest = bytes
        while let first = rest.popFirst(), let second = rest.popFirst() {
            units.append(
                isLittleEndian ? UInt16(second) << 8 | UInt16(first) : UInt16(first) << 8 | UInt16(second))
        }
        return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
    }
}

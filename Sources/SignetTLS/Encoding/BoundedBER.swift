import SwiftASN1

/// Reads ASN.1 after counting its values, so that a small file cannot take much memory.
enum BoundedBER {
    /// A certificate has about 150 values, the largest key files a few thousand.
    static let maximumValues = 65_536

    /// - Throws: ``IdentityError`` with `tooLarge`, or the decoder's error.
    static func parse(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard valueCount(bytes, upTo: maximumValues) <= maximumValues else {
            throw IdentityError(.tooLarge, "The file holds more than \(maximumValues) ASN.1 values.")
        }
        return try BER.parse(bytes)
    }

    /// Counts the tags without looking at how they nest. The decoder reports what is malformed.
    private static func valueCount(_ bytes: ArraySlice<UInt8>, upTo limit: Int) -> Int {
        var (rest, count) = (bytes, 0)
        while let tag = rest.popFirst(), count <= limit {
            count += 1
            if tag & 0x1F == 0x1F { while let digit = rest.popFirst(), digit & 0x80 != 0 {} }
            guard let first = rest.popFirst() else { break }
            var length = Int(first)
            if first > 0x80 {
                guard first <= 0x88 else { break }
                let digits = rest.prefix(Int(first & 0x7F))
                rest = rest.dropFirst(digits.count)
                guard let long = Int(exactly: UInt64(bigEndian: digits)) else { break }
                length = long
            } else if first == 0x80 {
                continue
            }
            // The count continues inside a constructed value, and skips the content of others.
            if tag & 0x20 == 0 { rest = rest.dropFirst(length) }
        }
        return count
    }
}

import SwiftASN1

/// ASN.1 whose number of values is counted before any of them takes memory.
enum BoundedBER {
    /// A certificate has about 150, the largest key files a few thousand.
    static let maximumValues = 65_536

    /// - Throws: ``IdentityError`` with `tooLarge`, or what the decoder says.
    static func parse(_ bytes: ArraySlice<UInt8>) throws -> ASN1Node {
        guard valueCount(bytes, upTo: maximumValues) <= maximumValues else {
            throw IdentityError(.tooLarge, "The file holds more than \(maximumValues) ASN.1 values.")
        }
        return try BER.parse(bytes)
    }

    /// Walks over the tags and lengths without looking at how they nest; what is malformed is left to the decoder.
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
            // The content of a constructed value is walked through, that of others stepped over.
            if tag & 0x20 == 0 { rest = rest.dropFirst(length) }
        }
        return count
    }
}

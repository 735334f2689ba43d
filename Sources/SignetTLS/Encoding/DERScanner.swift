import SwiftASN1

/// Steps over the values of a sequence in DER without building a tree, for lists with very many values.
///
/// It knows tags of one byte only, of which revocation lists consist.
struct DERScanner {
    struct Value {
        let tag: UInt8
        let content: ArraySlice<UInt8>
        /// The whole value with its tag and length.
        let encoded: ArraySlice<UInt8>

        /// The value as a tree.
        ///
        /// - Throws: ``EncodingError`` above 64 KiB, or the decoder's error. A tree takes many times the memory.
        func tree() throws -> ASN1Node {
            guard encoded.count <= CertificateContent.maximumBytes else {
                throw EncodingError("a value of \(encoded.count) bytes where a short one belongs")
            }
            return try DER.parse(encoded)
        }
    }

    private var rest: ArraySlice<UInt8>

    init(_ bytes: ArraySlice<UInt8>) { rest = bytes }

    var isAtEnd: Bool { rest.isEmpty }

    /// The tag of the next value; nil at the end.
    var nextTag: UInt8? { rest.first }

    mutating func next() throws(EncodingError) -> Value {
        let whole = rest
        guard let tag = rest.popFirst(), let first = rest.popFirst() else { throw EncodingError("a value is missing") }
        guard tag & 0x1F != 0x1F else { throw EncodingError("an unexpected ASN.1 tag") }
        var length = Int(first)
        if first >= 0x80 {
            let digits = rest.prefix(Int(first & 0x7F))
            rest = rest.dropFirst(digits.count)
            guard digits.count == Int(first & 0x7F), (1...4).contains(digits.count), digits.first != 0 else {
                throw EncodingError("a malformed length")
            }
            guard let long = Int(exactly: digits.reduce(UInt32(0)) { $0 << 8 | UInt32($1) }), long >= 0x80 else {
                throw EncodingError("a malformed length")
            }
            length = long
        }
        guard length <= rest.count else { throw EncodingError("a value that is cut off") }
        let content = rest.prefix(length)
        rest = rest.dropFirst(length)
        return Value(tag: tag, content: content, encoded: whole[whole.startIndex..<rest.startIndex])
    }

    mutating func next(_ tag: UInt8) throws(EncodingError) -> Value {
        guard nextTag == tag else { throw EncodingError("an unexpected ASN.1 tag") }
        return try next()
    }

    /// The next value when it has this tag; otherwise nil, and the scanner stays where it is.
    mutating func next(ifTagged tag: UInt8) throws(EncodingError) -> Value? { nextTag == tag ? try next() : nil }

    func end() throws(EncodingError) {
        if !isAtEnd { throw EncodingError("a value too many") }
    }
}

extension DERScanner {
    static let boolean: UInt8 = 0x01
    static let integer: UInt8 = 0x02
    static let bitString: UInt8 = 0x03
    static let octetString: UInt8 = 0x04
    static let objectIdentifier: UInt8 = 0x06
    static let enumerated: UInt8 = 0x0A
    static let utcTime: UInt8 = 0x17
    static let generalizedTime: UInt8 = 0x18
    static let sequence: UInt8 = 0x30
}

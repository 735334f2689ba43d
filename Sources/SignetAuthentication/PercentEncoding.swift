extension String {
    /// The text in UTF-8 with all but the unreserved characters percent-encoded (RFC 3986 §2.1, §2.3), in the one form that
    /// all parsers read alike.
    package var percentEncoded: String {
        let digits = Array("0123456789ABCDEF".utf8)
        var result: [UInt8] = []
        for byte in utf8 {
            if byte.isAlphanumeric || "-._~".utf8.contains(byte) {
                result.append(byte)
            } else {
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}

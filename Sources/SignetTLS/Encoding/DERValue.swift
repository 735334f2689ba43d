/// Finds the end of an ASN.1 value that other bytes follow.
enum DERValue {
    /// The number of bytes of the value at the start of `bytes` (X.690 §8.1.3), also of one of indefinite length; nil
    /// when the value does not end, or its lengths cannot be read.
    static func end(in bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        // How many values of indefinite length are open: each of them ends with a tag and a length of zero (§8.1.5).
        var open = 0
        repeat {
            guard let tag = rest.popFirst() else { return nil }
            if tag & 0x1F == 0x1F { while let digit = rest.popFirst(), digit & 0x80 != 0 {} }
            guard let first = rest.popFirst() else { return nil }
            if first == 0x80 {
                open += 1
                continue
            }
            var length = Int(first)
            if first & 0x80 != 0 {
                let digits = rest.prefix(Int(first & 0x7F))
                guard digits.count == Int(first & 0x7F), (1...4).contains(digits.count) else { return nil }
                length = digits.reduce(0) { $0 << 8 | Int($1) }
                rest = rest.dropFirst(digits.count)
            }
            guard length <= rest.count else { return nil }
            if open > 0, tag == 0, length == 0 { open -= 1 } else { rest = rest.dropFirst(length) }
        } while open > 0
        return rest.startIndex
    }
}

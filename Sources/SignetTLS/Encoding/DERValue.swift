/// One value of DER with something behind it.
enum DERValue {
    /// Where the value ends with which `bytes` begin (X.690 §8.1.3); nil when it does not end, or does not say where.
    static func end(in bytes: [UInt8]) -> Int? {
        var rest = bytes[...]
        guard rest.popFirst() != nil, let first = rest.popFirst() else { return nil }
        var length = Int(first)
        var start = 2
        if first & 0x80 != 0 {
            let digits = rest.prefix(Int(first & 0x7F))
            guard digits.count == Int(first & 0x7F), (1...4).contains(digits.count) else { return nil }
            length = digits.reduce(0) { $0 << 8 | Int($1) }
            start += digits.count
        }
        return length <= bytes.count - start ? start + length : nil
    }
}

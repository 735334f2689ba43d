/// A value of ASN.1 in DER (X.690 §8.1) around its content.
public func tagged(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
    var length: [UInt8] = []
    var rest = content.count
    while rest > 0 {
        length.insert(UInt8(rest & 0xFF), at: 0)
        rest >>= 8
    }
    if content.count < 0x80 { return [tag, UInt8(content.count)] + content }
    return [tag, 0x80 | UInt8(length.count)] + length + content
}

public func sequence(_ parts: [[UInt8]]) -> [UInt8] { tagged(0x30, Array(parts.joined())) }

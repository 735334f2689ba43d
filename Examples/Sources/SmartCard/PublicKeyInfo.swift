/// Makes a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) from the attributes of a token's key.
enum PublicKeyInfo {
    private static let rsaEncryption: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 1, 1, 0x05, 0]
    private static let ecPublicKey: [UInt8] = [0x06, 7, 0x2A, 0x86, 0x48, 0xCE, 0x3D, 2, 1]

    static func rsa(modulus: [UInt8], exponent: [UInt8]) -> [UInt8] {
        info(rsaEncryption, value(0x30, number(modulus) + number(exponent)))
    }

    /// - Parameters:
    ///   - curve: the DER of the curve's identifier.
    ///   - point: the point in an OCTET STRING, as the standard defines it.
    static func elliptic(curve: [UInt8], point: [UInt8]) -> [UInt8] {
        // The string's own tag and length are removed: two bytes, or three for P-521.
        info(ecPublicKey + curve, Array(point.dropFirst(point.count > 1 && point[1] == 0x81 ? 3 : 2)))
    }

    private static func info(_ algorithm: [UInt8], _ key: [UInt8]) -> [UInt8] {
        value(0x30, value(0x30, algorithm) + value(0x03, [0] + key))
    }

    private static func number(_ bytes: [UInt8]) -> [UInt8] {
        let digits = Array(bytes.drop { $0 == 0 })
        return value(0x02, digits.first ?? 0x80 >= 0x80 ? [0] + digits : digits)
    }

    private static func value(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        var length = [UInt8(truncatingIfNeeded: content.count)]
        if content.count >= 0x80 {
            length = [0x82, UInt8(truncatingIfNeeded: content.count >> 8), length[0]]
            if content.count < 0x100 { length = [0x81, length[2]] }
        }
        return [tag] + length + content
    }
}

import Crypto
import Support

/// The plan of a certificate that the fuzzer makes: its content, and the key that signs it.
struct Plan {
    static let now: Int64 = 1_800_000_000
    static let keys: [Curve25519.Signing.PrivateKey] = (1...6).map { (number: UInt8) in
        // Signatures of Ed25519 are deterministic, as everything here must be.
        guard let key = try? Curve25519.Signing.PrivateKey(rawRepresentation: [UInt8](repeating: number, count: 32))
        else { fatalError("32 bytes are no key") }
        return key
    }

    var subject: Int
    var issuer: Int
    var key: Int
    var signer: Int
    /// Nil leaves the extension out.
    var isAuthority: Bool?
    var pathLength: Int?
    var keyUsage: UInt8?
    var purposes: Int
    var validity: Int
    var names: Int
    var constraints: Int
    var hasKeyIdentifiers: Bool
    var isOld: Bool
    /// The byte that is changed after signing, counted from the end.
    var damage: Int?

    init(_ input: inout Input) {
        subject = input.number(below: 6)
        issuer = input.number(below: 6)
        key = input.number(below: 6)
        signer = input.number(below: 6)
        let basics = input.number(below: 16)
        isAuthority = basics < 12 ? true : basics < 14 ? false : nil
        pathLength = basics < 8 ? nil : basics % 4
        let usages: [UInt8?] = [nil, 0x06, 0x86, 0x80, 0x00]
        keyUsage = usages[input.number(below: usages.count)]
        purposes = input.number(below: 5)
        validity = input.number(below: 8)
        names = input.number(below: 6)
        constraints = input.number(below: 12)
        let rest = input.byte()
        hasKeyIdentifiers = rest & 1 == 1
        isOld = rest & 0x0E == 0x0E
        damage = rest & 0xF0 == 0xF0 ? Int(input.byte()) : nil
    }

    var notBefore: Int64 { validity == 6 ? Self.now + 86_400 : Self.now - 86_400 }
    var notAfter: Int64 { validity == 7 ? Self.now - 3600 : Self.now + 86_400 * 30 }

    var der: [UInt8] {
        let algorithm = sequence([[0x06, 3, 0x2B, 0x65, 0x70]])
        let publicKey = Array(Self.keys[key].publicKey.rawRepresentation)
        var fields: [[UInt8]] = isOld ? [] : [tagged(0xA0, [0x02, 1, 2])]
        fields += [
            [0x02, 1, UInt8(key + 1)], algorithm, name(issuer), sequence([time(notBefore), time(notAfter)]),
            name(subject), sequence([algorithm, tagged(0x03, [0] + publicKey)]),
        ]
        if !isOld { fields.append(tagged(0xA3, sequence(extensions))) }
        let body = sequence(fields)
        guard let signature = try? Self.keys[signer].signature(for: body) else { fatalError("a key does not sign") }
        var der = sequence([body, algorithm, tagged(0x03, [0] + signature)])
        if let damage { der[der.count - 1 - damage % der.count] ^= 0x01 }
        return der
    }

    private var extensions: [[UInt8]] {
        var result: [[UInt8]] = []
        func add(_ number: UInt8, isCritical: Bool = false, _ value: [UInt8]) {
            result.append(
                sequence([[0x06, 3, 0x55, 0x1D, number], isCritical ? [0x01, 1, 0xFF] : [], tagged(0x04, value)]))
        }
        if let isAuthority {
            var parts: [[UInt8]] = isAuthority ? [[0x01, 1, 0xFF]] : []
            if isAuthority, let pathLength { parts.append([0x02, 1, UInt8(pathLength)]) }
            add(19, isCritical: true, sequence(parts))
        }
        if let keyUsage { add(15, isCritical: true, [0x03, 2, 1, keyUsage]) }
        let purpose: (UInt8) -> [UInt8] = { [0x06, 8, 0x2B, 6, 1, 5, 5, 7, 3, $0] }
        switch purposes {
        case 1: add(37, sequence([purpose(1)]))
        case 2: add(37, sequence([purpose(2)]))
        case 3: add(37, sequence([purpose(1), purpose(2)]))
        case 4: add(37, isCritical: true, sequence([purpose(4)]))
        default: break
        }
        let hosts = ["a.example", "*.example", "b.example", "a.example.test"]
        if names < hosts.count { add(17, sequence([tagged(0x82, Array(hosts[names].utf8))])) }
        if names == 4 { add(17, sequence([tagged(0x87, [127, 0, 0, 1])])) }
        let subtree = { (tag: UInt8, bytes: [UInt8]) in tagged(tag, sequence([bytes])) }
        switch constraints {
        case 0: add(30, isCritical: true, sequence([subtree(0xA0, tagged(0x82, Array("example".utf8)))]))
        case 1: add(30, isCritical: true, sequence([subtree(0xA1, tagged(0x82, Array("a.example".utf8)))]))
        case 2: add(30, isCritical: true, sequence([subtree(0xA0, tagged(0xA4, name(1)))]))
        case 3: add(30, isCritical: true, sequence([subtree(0xA0, tagged(0x87, [127, 0, 0, 0, 255, 0, 0, 0]))]))
        case 4: add(99, isCritical: true, [0x05, 0])
        default: break
        }
        if hasKeyIdentifiers {
            add(14, tagged(0x04, [UInt8(key)]))
            add(35, sequence([tagged(0x80, [UInt8(signer)])]))
        }
        return result
    }

    private func name(_ number: Int) -> [UInt8] {
        let value = tagged(0x0C, Array("name \(number)".utf8))
        return sequence([tagged(0x31, sequence([[0x06, 3, 0x55, 4, 3], value]))])
    }

    /// A UTCTime between 2026 and 2028, the range used here.
    private func time(_ seconds: Int64) -> [UInt8] {
        // 1,800,000,000 is 2027-01-15 08:00:00.
        let text =
            switch seconds - Self.now {
            case 86_400: "270116080000Z"
            case -86_400: "270114080000Z"
            case -3600: "270115070000Z"
            default: "270214080000Z"
            }
        return tagged(0x17, Array(text.utf8))
    }
}

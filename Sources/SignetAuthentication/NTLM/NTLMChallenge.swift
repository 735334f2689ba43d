/// The server's NTLM message (MS-NLMP §2.2.1.2).
package struct NTLMChallenge: Sendable, Hashable {
    /// §2.2.2.5; only those that Signet uses.
    struct Flags: OptionSet, Sendable, Hashable {
        let rawValue: UInt32
        static let unicode = Flags(rawValue: 0x0000_0001)
        static let requestTarget = Flags(rawValue: 0x0000_0004)
        static let sign = Flags(rawValue: 0x0000_0010)
        static let ntlm = Flags(rawValue: 0x0000_0200)
        static let alwaysSign = Flags(rawValue: 0x0000_8000)
        static let extendedSessionSecurity = Flags(rawValue: 0x0008_0000)
        static let targetIsDomain = Flags(rawValue: 0x0001_0000)
        static let targetInfo = Flags(rawValue: 0x0080_0000)
        static let version = Flags(rawValue: 0x0200_0000)
        static let key128 = Flags(rawValue: 0x2000_0000)
        static let key56 = Flags(rawValue: 0x8000_0000)
    }

    /// One pair of the target information (§2.2.2.1).
    struct Pair: Sendable, Hashable {
        let id: UInt16
        let value: [UInt8]

        var bytes: [UInt8] {
            id.littleEndianBytes + UInt16(truncatingIfNeeded: value.count).littleEndianBytes + value
        }

        static let end: UInt16 = 0
        static let domainName: UInt16 = 2
        static let flags: UInt16 = 6
        static let timestamp: UInt16 = 7
        static let targetName: UInt16 = 9
        static let channelBindings: UInt16 = 10
    }

    static let signature = Array("NTLMSSP\0".utf8)
    /// More than a server needs.
    static let maximumBytes = 16 << 10

    let bytes: [UInt8]
    let flags: Flags
    let nonce: [UInt8]
    let pairs: [Pair]

    /// - Throws: ``AuthenticationError`` with `malformedChallenge` when it breaks the rules, or requires an older
    ///   version than 2.
    package init(_ bytes: [UInt8], space: ProtectionSpace) throws(AuthenticationError) {
        func broken(_ what: String) -> AuthenticationError {
            .init(.malformedChallenge, "The NTLM message of \(space) \(what) (MS-NLMP §2.2.1.2).", space: space)
        }
        guard bytes.count <= Self.maximumBytes else { throw broken("is longer than \(Self.maximumBytes) bytes") }
        guard bytes.starts(with: Self.signature), Self.number(bytes, at: 8, of: 4) == 2 else {
            throw broken("is not a challenge")
        }
        guard let flags = Self.number(bytes, at: 20, of: 4), let nonce = Self.bytes(bytes, at: 24, count: 8) else {
            throw broken("ends too early")
        }
        self.bytes = bytes
        self.flags = Flags(rawValue: UInt32(truncatingIfNeeded: flags))
        self.nonce = nonce
        guard self.flags.isSuperset(of: [.unicode, .targetInfo]),
            let length = Self.number(bytes, at: 40, of: 2), let offset = Self.number(bytes, at: 44, of: 4),
            let information = Self.bytes(bytes, at: offset, count: length)
        else { throw broken("has no target information, which leaves only version 1; that is not supported") }
        var pairs: [Pair] = []
        var place = 0
        while true {
            guard let id = Self.number(information, at: place, of: 2),
                let count = Self.number(information, at: place + 2, of: 2),
                let value = Self.bytes(information, at: place + 4, count: count)
            else { throw broken("has target information without an end") }
            if id == Pair.end { break }
            pairs.append(Pair(id: UInt16(truncatingIfNeeded: id), value: value))
            place += 4 + count
        }
        self.pairs = pairs
    }

    func value(_ id: UInt16) -> [UInt8]? { pairs.first { $0.id == id }?.value }

    static func bytes(_ bytes: [UInt8], at offset: Int, count: Int) -> [UInt8]? {
        guard offset >= 0, count >= 0, offset <= bytes.count, count <= bytes.count - offset else { return nil }
        return Array(bytes[offset..<offset + count])
    }

    /// Little-endian, with at most four bytes, so that it is never negative.
    static func number(_ bytes: [UInt8], at offset: Int, of count: Int) -> Int? {
        self.bytes(bytes, at: offset, count: count)?.reversed().reduce(0) { $0 << 8 | Int($1) }
    }
}

import Crypto

/// The secret from which the keys of a server's handshake messages in TLS 1.3 are made:
/// `server_handshake_traffic_secret` (RFC 8446 §7.1). It is of no use for what is sent after the handshake.
package struct HandshakeSecret: Sendable {
    private let key: SymmetricKey

    package init(_ bytes: some Sequence<UInt8>) { key = SymmetricKey(data: Array(bytes)) }

    /// Reads a line of a key log as NSS wrote it first; nil for a line about another secret.
    package init?(keyLogLine line: some Sequence<UInt8>) {
        let parts = Array(line).split(whereSeparator: { $0 == 0x20 || $0 == 0x0A || $0 == 0x0D })
        guard parts.count == 3, parts[0].elementsEqual("SERVER_HANDSHAKE_TRAFFIC_SECRET".utf8),
            let bytes = Self.bytes(hexadecimal: parts[2])
        else { return nil }
        self.init(bytes)
    }

    private static func bytes(hexadecimal text: ArraySlice<UInt8>) -> [UInt8]? {
        var digits: [UInt8] = []
        for byte in text {
            guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { return nil }
            digits.append(UInt8(truncatingIfNeeded: digit))
        }
        guard digits.count.isMultiple(of: 2), !digits.isEmpty else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    /// What records with keys of this secret contain, in order, up to the first that has other keys.
    ///
    /// - Parameter cipherSuite: its number in the registry of IANA; nothing is read with another one than those of RFC
    ///   8446 §B.4 that end with GCM or POLY1305.
    func open(_ records: [[UInt8]], cipherSuite: UInt16) -> [(type: UInt8, content: ArraySlice<UInt8>)] {
        guard let keys = keys(cipherSuite) else { return [] }
        var result: [(type: UInt8, content: ArraySlice<UInt8>)] = []
        for (number, record) in records.enumerated() {
            guard let inner = try? keys.open(record, number: UInt64(number)),
                // Zeros may follow the type of the content (RFC 8446 §5.4).
                let end = inner.lastIndex(where: { $0 != 0 })
            else { break }
            result.append((inner[end], inner[..<end]))
        }
        return result
    }

    private func keys(_ cipherSuite: UInt16) -> RecordKeys? {
        func expand<Hash: HashFunction>(_ hash: Hash.Type, _ label: String, _ count: Int) -> SymmetricKey {
            let name = Array("tls13 \(label)".utf8)
            let info = [0, UInt8(truncatingIfNeeded: count), UInt8(truncatingIfNeeded: name.count)] + name + [0]
            return HKDF<Hash>.expand(pseudoRandomKey: key, info: info, outputByteCount: count)
        }
        func keys<Hash: HashFunction>(_ hash: Hash.Type, _ kind: RecordKeys.Kind, _ count: Int) -> RecordKeys {
            let nonce = unsafe expand(hash, "iv", 12).withUnsafeBytes { unsafe Array($0) }
            return RecordKeys(kind: kind, key: expand(hash, "key", count), nonce: nonce)
        }
        return switch cipherSuite {
        case 0x1301: keys(SHA256.self, .gcm, 16)
        case 0x1302: keys(SHA384.self, .gcm, 32)
        case 0x1303: keys(SHA256.self, .chaChaPoly, 32)
        default: nil
        }
    }

    private struct RecordKeys {
        enum Kind { case gcm, chaChaPoly }

        private static let headSize = 5
        private static let tagSize = 16

        let kind: Kind
        let key: SymmetricKey
        let nonce: [UInt8]

        /// RFC 8446 §5.2, §5.3.
        func open(_ record: [UInt8], number: UInt64) throws -> [UInt8]? {
            guard record.count > Self.headSize + Self.tagSize else { return nil }
            let (head, sealed) = (record.prefix(Self.headSize), record.dropFirst(Self.headSize))
            let (text, tag) = (sealed.dropLast(Self.tagSize), sealed.suffix(Self.tagSize))
            var nonce = nonce
            for index in 0..<8 { nonce[nonce.count - 1 - index] ^= UInt8(truncatingIfNeeded: number >> (8 * index)) }
            switch kind {
            case .gcm:
                let box = try AES.GCM.SealedBox(nonce: .init(data: nonce), ciphertext: text, tag: tag)
                return Array(try AES.GCM.open(box, using: key, authenticating: head))
            case .chaChaPoly:
                let box = try ChaChaPoly.SealedBox(nonce: .init(data: nonce), ciphertext: text, tag: tag)
                return Array(try ChaChaPoly.open(box, using: key, authenticating: head))
            }
        }
    }
}

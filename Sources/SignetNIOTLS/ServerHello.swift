/// The part of a ServerHello that states the negotiated version and cipher suite (RFC 8446 §4.1.3, RFC 5246 §7.4.1.3).
package struct ServerHello: Sendable, Hashable {
    /// `0x0303` for TLS 1.2, `0x0304` for TLS 1.3.
    package let version: UInt16
    /// The number of the cipher suite in the registry of IANA.
    package let cipherSuite: UInt16

    package var versionName: String {
        switch version {
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "TLS version \(version)"
        }
    }

    package var cipherSuiteName: String { Self.names[cipherSuite] ?? "cipher suite \(cipherSuite)" }

    /// The cipher suites that Signet offers.
    private static let names: [UInt16: String] = [
        0x1301: "TLS_AES_128_GCM_SHA256", 0x1302: "TLS_AES_256_GCM_SHA384", 0x1303: "TLS_CHACHA20_POLY1305_SHA256",
        0xC02B: "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", 0xC02C: "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
        0xC02F: "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", 0xC030: "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384",
        // These only where the configuration allows insecure cipher suites.
        0xC009: "TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA", 0xC00A: "TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA",
        0xC013: "TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA", 0xC014: "TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA",
        0x009C: "TLS_RSA_WITH_AES_128_GCM_SHA256", 0x009D: "TLS_RSA_WITH_AES_256_GCM_SHA384",
        0x002F: "TLS_RSA_WITH_AES_128_CBC_SHA", 0x0035: "TLS_RSA_WITH_AES_256_CBC_SHA",
        0xCCA8: "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", 0xCCA9: "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
    ]
}

/// Finds the ServerHello in the first bytes from a server, however they are split.
struct ServerHelloScanner {
    enum Result: Equatable {
        case needsMore
        case found(ServerHello)
        /// The bytes are something else, or too many: no ServerHello will be found.
        case notFound
    }

    /// Far more than any ServerHello has.
    static let maximumBytes = 4096

    private var records: [UInt8] = []
    private var messages: [UInt8] = []
    private var result = Result.needsMore

    mutating func scan(_ bytes: some Sequence<UInt8>) -> Result {
        guard result == .needsMore else { return result }
        for byte in bytes {
            guard records.count + messages.count < Self.maximumBytes else {
                result = .notFound
                break
            }
            records.append(byte)
            if !takeRecord() { break }
        }
        return result
    }

    /// Moves the content of a complete record to the messages. False when the search has ended.
    private mutating func takeRecord() -> Bool {
        guard records.count >= 5 else { return true }
        // Record type 22 is handshake. Type 20, change_cipher_spec, may follow a HelloRetryRequest for the sake of
        // middleboxes.
        guard records[0] == 22 || records[0] == 20, records[1] == 3 else {
            result = .notFound
            return false
        }
        let length = Int(records[3]) << 8 | Int(records[4])
        guard length > 0, length <= Self.maximumBytes else {
            result = .notFound
            return false
        }
        guard records.count == 5 + length else { return true }
        if records[0] == 22 { messages.append(contentsOf: records[5...]) }
        records.removeAll(keepingCapacity: true)
        takeMessages()
        return result == .needsMore
    }

    private mutating func takeMessages() {
        while messages.count >= 4, result == .needsMore {
            let length = Int(messages[1]) << 16 | Int(messages[2]) << 8 | Int(messages[3])
            guard messages[0] == 2, length <= Self.maximumBytes else {
                result = .notFound
                return
            }
            guard messages.count >= 4 + length else { return }
            var reader = Reader(bytes: messages[4..<(4 + length)])
            messages.removeFirst(4 + length)
            guard let hello = reader.hello() else {
                result = .notFound
                return
            }
            if !hello.isRetryRequest { result = .found(hello.hello) }
        }
    }

    private struct Reader {
        var bytes: ArraySlice<UInt8>

        mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
            guard bytes.count >= count else { return nil }
            defer { bytes = bytes.dropFirst(count) }
            return bytes.prefix(count)
        }

        mutating func number(_ count: Int) -> Int? { take(count)?.reduce(0) { $0 << 8 | Int($1) } }

        mutating func hello() -> (hello: ServerHello, isRetryRequest: Bool)? {
            guard var version = number(2), let random = take(32), let sessionLength = number(1),
                take(sessionLength) != nil,
                let suite = number(2), number(1) != nil
            else { return nil }
            if let length = number(2) {
                guard let content = take(length) else { return nil }
                var extensions = Reader(bytes: content)
                while !extensions.bytes.isEmpty {
                    guard let type = extensions.number(2), let length = extensions.number(2),
                        let value = extensions.take(length)
                    else { return nil }
                    // supported_versions: in TLS 1.3 the old version field says 1.2 (RFC 8446 §4.2.1).
                    if type == 43 {
                        guard value.count == 2 else { return nil }
                        version = value.reduce(0) { $0 << 8 | Int($1) }
                    }
                }
            }
            let hello = ServerHello(
                version: UInt16(truncatingIfNeeded: version), cipherSuite: UInt16(truncatingIfNeeded: suite))
            return (hello, random.elementsEqual(Self.helloRetryRequest))
        }

        /// SHA-256 of `HelloRetryRequest` (RFC 8446 §4.1.3).
        static let helloRetryRequest: [UInt8] = [
            0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
            0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
        ]
    }
}

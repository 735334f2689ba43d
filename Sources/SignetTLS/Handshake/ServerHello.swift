/// What a server chose, from its ServerHello (RFC 8446 §4.1.3, RFC 5246 §7.4.1.3).
package struct ServerHello: Sendable, Hashable {
    /// `0x0303` for TLS 1.2, `0x0304` for TLS 1.3.
    package let version: UInt16
    /// The number of the cipher suite in the registry of IANA.
    package let cipherSuite: UInt16
    /// The protocol chosen by ALPN (RFC 7301), which TLS 1.3 encrypts; nil when the message names none.
    package let applicationProtocol: String?
    /// Whether the server wants another ClientHello first (RFC 8446 §4.1.4).
    package let isRetryRequest: Bool

    package init(
        version: UInt16, cipherSuite: UInt16, applicationProtocol: String? = nil, isRetryRequest: Bool = false
    ) {
        self.version = version
        self.cipherSuite = cipherSuite
        self.applicationProtocol = applicationProtocol
        self.isRetryRequest = isRetryRequest
    }

    /// Reads the body of the message; nil when it is malformed.
    package init?(body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard var version = reader.number(2), let random = reader.take(32), reader.vector(1) != nil,
            let suite = reader.number(2), reader.number(1) != nil
        else { return nil }
        var applicationProtocol: String?
        if !reader.isAtEnd {
            guard let extensions = reader.extensions(), reader.isAtEnd else { return nil }
            for (type, value) in extensions {
                var value = ByteReader(value)
                switch type {
                // supported_versions: in TLS 1.3 the old version field says 1.2 (RFC 8446 §4.2.1).
                case 43:
                    guard let chosen = value.number(2), value.isAtEnd else { return nil }
                    version = chosen
                case 16: applicationProtocol = value.protocolNames()?.first
                default: break
                }
            }
        }
        self.init(
            version: UInt16(truncatingIfNeeded: version), cipherSuite: UInt16(truncatingIfNeeded: suite),
            applicationProtocol: applicationProtocol, isRetryRequest: random.elementsEqual(Self.retryRequest))
    }

    package var versionName: String { Self.versionName(version) }

    /// `TLS 1.2` and the like, also for versions that Signet never offers.
    package static func versionName(_ number: UInt16) -> String {
        switch number {
        case 0x0300: "SSL 3.0"
        case 0x0301: "TLS 1.0"
        case 0x0302: "TLS 1.1"
        case 0x0303: "TLS 1.2"
        case 0x0304: "TLS 1.3"
        default: "TLS version \(number)"
        }
    }

    package var cipherSuiteName: String { Self.cipherSuiteName(cipherSuite) }

    /// SHA-256 of `HelloRetryRequest` (RFC 8446 §4.1.3).
    private static let retryRequest: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
        0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
}

/// What a client offers, from its ClientHello (RFC 8446 §4.1.2, RFC 5246 §7.4.1.2).
package struct ClientHello: Sendable, Hashable {
    /// The versions offered, the best first.
    package let versions: [UInt16]
    /// The numbers of the cipher suites in the registry of IANA.
    package let cipherSuites: [UInt16]
    /// The host that the client wants to reach (RFC 6066 §3); nil when it does not say.
    package let serverName: String?
    package let applicationProtocols: [String]
    package let signatureSchemes: [SignatureScheme]
    /// Whether the client can show a certificate after the handshake (RFC 8446 §4.2.6).
    package let allowsLateCertificate: Bool
    /// The length of the message without its header.
    package let byteCount: Int

    /// Reads the body of the message; nil when it is malformed.
    package init?(body: ArraySlice<UInt8>) {
        var reader = ByteReader(body)
        guard let version = reader.number(2), reader.take(32) != nil, reader.vector(1) != nil,
            let suites = reader.pairs(2), reader.vector(1) != nil
        else { return nil }
        var versions = [UInt16(truncatingIfNeeded: version)]
        var serverName: String?
        var protocols: [String] = []
        var schemes: [UInt16] = []
        var isLate = false
        if !reader.isAtEnd {
            guard let extensions = reader.extensions(), reader.isAtEnd else { return nil }
            for (type, value) in extensions {
                var value = ByteReader(value)
                switch type {
                case 0: serverName = Self.hostName(&value)
                case 13: schemes = value.pairs(2) ?? []
                case 16: protocols = value.protocolNames() ?? []
                case 43: versions = value.pairs(1) ?? versions
                case 49: isLate = true
                default: break
                }
            }
        }
        self.versions = versions
        cipherSuites = suites
        self.serverName = serverName
        applicationProtocols = protocols
        signatureSchemes = schemes.map(SignatureScheme.init)
        allowsLateCertificate = isLate
        byteCount = body.count
    }

    private static func hostName(_ value: inout ByteReader) -> String? {
        guard let list = value.vector(2) else { return nil }
        var names = ByteReader(list)
        while let type = names.number(1), let name = names.vector(2) {
            if type == 0 { return Text.printable(name.prefix(255)) }
        }
        return nil
    }
}

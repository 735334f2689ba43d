import TestSupport
import Testing

@testable import SignetTLS

@Suite(.timeLimit(.minutes(5))) struct ServerHelloTests {
    /// A ServerHello in one record, built by hand from RFC 8446 §4.1.3.
    private func hello(
        version: [UInt8]? = [3, 4], suite: [UInt8] = [0x13, 0x01], random: [UInt8]? = nil, hasExtensions: Bool = true
    ) -> [UInt8] {
        var body: [UInt8] = [3, 3] + (random ?? [UInt8](repeating: 7, count: 32)) + [2, 1, 2] + suite + [0]
        var extensions: [UInt8] = [0, 51, 0, 3, 0, 29, 0]
        if let version { extensions += [0, 43, 0, 2] + version }
        if hasExtensions { body += [0, UInt8(extensions.count)] + extensions }
        let message = [2, 0, 0, UInt8(body.count)] + body
        return [22, 3, 3, 0, UInt8(message.count)] + message
    }

    private func scan(_ parts: [[UInt8]]) -> ServerHello? {
        var reader = TLSHandshakeReader(endsWithServerHello: true)
        for part in parts { reader.read(part) }
        #expect(reader.serverHello == nil || reader.isEnded)
        return reader.serverHello
    }

    @Test func readsBothVersions() {
        #expect(scan([hello()]) == ServerHello(version: 0x0304, cipherSuite: 0x1301))
        let older = ServerHello(version: 0x0303, cipherSuite: 0xC02F)
        #expect(scan([hello(version: nil, suite: [0xC0, 0x2F])]) == older)
        #expect(scan([hello(version: nil, suite: [0xC0, 0x2F], hasExtensions: false)]) == older)
        #expect(older.versionName == "TLS 1.2")
        #expect(older.cipherSuiteName == "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256")
        #expect(ServerHello(version: 9, cipherSuite: 0x5A5A).cipherSuiteName == "cipher suite 23130")
    }

    @Test func otherSuitesAndSchemesHaveTheirNames() {
        #expect(ServerHello.cipherSuiteName(0x009E) == "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256")
        #expect(ServerHello.cipherSuiteName(0x00FF) == "TLS_EMPTY_RENEGOTIATION_INFO_SCSV")
        #expect(SignatureScheme(0x0905).description == "mldsa65")
        #expect(SignatureScheme(0x0402).description == "dsa_sha256")
        #expect(SignatureScheme(0xFE00).description == "signature scheme 65024")
    }

    /// `openssl ciphers` prints lines such as `0x13,0x02 - TLS_AES_256_GCM_SHA384 - …`.
    @Test func theNamesOfSuitesAreThoseOfOpenSSL() throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        let lines = try openssl("ciphers -V -stdname ALL:COMPLEMENTOFALL:@SECLEVEL=0").split(separator: "\n")
        var named = 0
        for line in lines {
            let words = line.split(separator: " ")
            guard words.count > 2,
                let number = UInt16(words[0].replacing("0x", with: "").replacing(",", with: ""), radix: 16)
            else { continue }
            let name = ServerHello.cipherSuiteName(number)
            #expect(name == words[2] || name == "cipher suite \(number)")
            if name == words[2] { named += 1 }
        }
        #expect(named > 50)
    }

    @Test func everySplitGivesTheSame() {
        let bytes = hello() + [23, 3, 3, 0, 1, 0]
        for split in 0...bytes.count {
            #expect(scan([Array(bytes[..<split]), Array(bytes[split...])]) == scan([bytes]))
        }
        #expect(scan(bytes.map { [$0] }) == ServerHello(version: 0x0304, cipherSuite: 0x1301))
    }

    @Test func aMessageMayBeSpreadOverRecords() {
        let message = Array(hello()[5...])
        let records = message.map { [22, 3, 3, 0, 1, $0] as [UInt8] }
        #expect(scan(records) == ServerHello(version: 0x0304, cipherSuite: 0x1301))
    }

    @Test func aRetryRequestIsNotTheAnswer() {
        let retry: [UInt8] = [
            0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
            0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
        ]
        let first = hello(suite: [0x13, 0x03], random: retry)
        #expect(scan([first]) == nil)
        #expect(scan([first + [20, 3, 3, 0, 1, 1] + hello()]) == ServerHello(version: 0x0304, cipherSuite: 0x1301))
    }

    @Test func bytesThatAreNoServerHelloEndTheSearch() {
        #expect(scan([Array("HTTP/1.1 400 Bad Request".utf8)]) == nil)
        #expect(scan([[21, 3, 3, 0, 2, 2, 40]]) == nil)
        #expect(scan([[22, 3, 3, 0xFF, 0xFF]]) == nil)
        #expect(scan([[22, 3, 3, 0, 0]]) == nil)
        #expect(scan([[22, 3, 3, 0, 4, 2, 0xFF, 0xFF, 0xFF]]) == nil)
        #expect(scan([[22, 3, 3, 0, 4, 11, 0, 0, 0]]) == nil)
        #expect(scan([[UInt8]](repeating: [20, 3, 3, 0, 1, 1], count: 10)) == nil)
        // One byte of a message a record, without end.
        let endless = [[22, 3, 3, 0, 4, 2, 0, 0x0F, 0]] + [[UInt8]](repeating: [22, 3, 3, 0, 1, 0], count: 5000)
        #expect(scan(endless) == nil)
    }

    @Test func everyTruncationAndChangeIsAnswered() {
        let bytes = hello()
        for index in bytes.indices {
            for value: UInt8 in [0, 1, 0x7F, 0xFF] {
                var changed = bytes
                changed[index] = value
                // Only lengths that ask for more, or a hello, or nothing; never a trap.
                _ = scan([changed + changed])
            }
            #expect(scan([Array(bytes[..<index])]) == nil)
        }
    }
}

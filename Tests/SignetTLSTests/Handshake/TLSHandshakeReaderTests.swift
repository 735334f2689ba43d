import SignetTesting
import Testing

@testable import SignetTLS

@Suite(.timeLimit(.minutes(5))) struct TLSHandshakeReaderTests {
    private func read(_ pieces: [[UInt8]], ends: Bool = true) -> [TLSHandshakeReader.Item] {
        var reader = TLSHandshakeReader()
        for piece in pieces { reader.read(piece) }
        if ends { reader.end() }
        return reader.items
    }

    private static let recordings = [
        RecordedHandshake.mutualClient, RecordedHandshake.mutualServer, RecordedHandshake.retryClient,
        RecordedHandshake.retryServer, RecordedHandshake.versionServer, RecordedHandshake.refusedServer,
    ]

    @Test func theServerOfTLS12() throws {
        let items = read([RecordedHandshake.mutualServer])
        guard items.count == 8, case .serverHello(let hello) = items[0], case .certificates(let chain) = items[1],
            case .certificateRequest(let request) = items[3]
        else {
            Issue.record("\(items)")
            return
        }
        #expect(hello.versionName == "TLS 1.2" && !hello.isRetryRequest)
        #expect(hello.cipherSuiteName == "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")
        // `openssl s_server` chooses no protocol unless it is given -alpn.
        #expect(hello.applicationProtocol == nil)
        #expect(chain.map(\.subject) == ["CN=localhost", "CN=Example root, O=Example"])
        #expect(items[2] == .serverKeyExchange(SignatureScheme(0x0403)))
        #expect(request.certificateTypes.map(CertificateRequest.typeName) == ["rsa_sign", "dss_sign", "ecdsa_sign"])
        #expect(request.signatureSchemes.contains(SignatureScheme(0x0804)))
        #expect(request.authorities == ["CN=Example root, O=Example", "CN=Other root, O=Other"])
        #expect(request.authoritiesByteCount > 80)
        // ServerHelloDone, NewSessionTicket; then encrypted.
        #expect(items[4...] == [.message(14), .message(4), .changeCipherSpec, .encryptedAlert])
    }

    @Test func theClientOfTLS12() throws {
        let items = read([RecordedHandshake.mutualClient])
        guard case .clientHello(let hello) = items.first, case .certificates(let chain) = items.dropFirst().first else {
            Issue.record("\(items)")
            return
        }
        #expect(hello.versions == [0x0303])
        #expect(hello.serverName == "localhost" && hello.applicationProtocols == ["http/1.1"])
        #expect(hello.cipherSuites.first == 0xC02B && !hello.allowsLateCertificate)
        #expect(chain.map(\.subject) == ["CN=device 7"])
        #expect(items.contains(.certificateVerify(SignatureScheme(0x0403))))
        #expect(items.contains(.changeCipherSpec))
    }

    @Test func aRetryOfTLS13() {
        let items = read([RecordedHandshake.retryServer])
        let hellos = items.compactMap { item in
            if case .serverHello(let hello) = item { hello } else { nil }
        }
        #expect(hellos.map(\.isRetryRequest) == [true, false])
        #expect(hellos.allSatisfy { $0.versionName == "TLS 1.3" })
        // The certificates are encrypted.
        #expect(items.count == 2)
        let offers = read([RecordedHandshake.retryClient]).prefix(2)
        #expect(
            offers.allSatisfy { if case .clientHello(let hello) = $0 { hello.versions == [0x0304] } else { false } })
    }

    @Test func aResumedSessionOfTLS12FromAClientThatOffersBoth() {
        let recorded = RecordedHandshake.retryClient
        let hello = Array(recorded.prefix(5 + (Int(recorded[3]) << 8 | Int(recorded[4]))))
        let items = read([hello + [20, 3, 3, 0, 1, 1] + [22, 3, 3, 0, 4, 9, 9, 9, 9]])
        #expect(items.count == 2 && items.last == .changeCipherSpec)
    }

    @Test func alertsInClear() {
        #expect(read([RecordedHandshake.versionServer]) == [.alert(.protocolVersion)])
        #expect(read([RecordedHandshake.refusedServer]).last == .alert(TLSAlert(code: 48)))
    }

    @Test func everySplitGivesTheSame() {
        for bytes in Self.recordings {
            let whole = read([bytes])
            for split in 0...bytes.count {
                #expect(read([Array(bytes[..<split]), Array(bytes[split...])]) == whole)
            }
            #expect(read(bytes.map { [$0] }) == whole)
        }
    }

    @Test func aTruncatedHandshakeGivesItsBeginning() {
        for bytes in Self.recordings {
            let whole = read([bytes])
            for length in 0..<bytes.count {
                #expect(whole.starts(with: read([Array(bytes[..<length])])))
            }
        }
    }

    @Test func aHandshakeRecordAfterFinishedIsANewHandshake() {
        let finished: [UInt8] = [20, 3, 3, 0, 1, 1, 22, 3, 3, 0, 2, 7, 7]
        let data: [UInt8] = [23, 3, 3, 0, 1, 9]
        #expect(read([finished + data]) == [.changeCipherSpec])
        #expect(read([finished + data + [22, 3, 3, 0, 2, 7, 7]]) == [.changeCipherSpec, .renegotiation])
    }

    @Test func whatIsNotTLSIsNamed() {
        func foreign(_ bytes: some Sequence<UInt8>) -> ForeignBytes? {
            if case .foreign(let found) = read([Array(bytes)]).first { found } else { nil }
        }
        #expect(foreign("HTTP/1.1 400 Bad Request\r\nServer: x".utf8)?.kind == .httpAnswer)
        #expect(foreign("HTTP/1.1 400 Bad Request\r\nServer: x".utf8)?.text == "HTTP/1.1 400 Bad Request")
        let request = foreign("GET /secret?token=1 HTTP/1.1\r\n".utf8)
        #expect(request?.kind == .httpRequest && request?.text == "GET")
        #expect(foreign("220 mail.example ESMTP\r\n".utf8) == ForeignBytes(kind: .text, text: "220 mail.example ESMTP"))
        #expect(foreign([0, 1, 2, 0xFF])?.kind == .binary)
        // Without an end, what comes is reported as soon as enough has come.
        #expect(read([[UInt8](repeating: 0x41, count: 128)], ends: false).count == 1)
        #expect(read([Array("HTTP".utf8)], ends: false).isEmpty)
    }

    @Test func brokenRecordsAndMessagesEndTheReading() {
        let broken: [[UInt8]] = [
            [22, 2, 0, 0, 5, 0], [22, 3, 3, 0, 0, 0], [22, 3, 3, 0xFF, 0xFF, 0], [21, 3, 3, 0, 1, 1],
            [22, 3, 3, 0, 5, 2, 0, 0, 1, 0], [22, 3, 3, 0, 5, 13, 0, 0, 1, 9], [22, 3, 3, 0, 5, 11, 0, 0, 1, 9],
        ]
        for bytes in broken {
            let items = read([bytes + [22, 3, 3, 0, 4, 14, 0, 0, 0]])
            #expect(items == [.foreign(ForeignBytes(kind: .malformed, text: ""))], "\(bytes)")
        }
        // A message longer than the limit is not collected.
        #expect(read([[22, 3, 3, 0, 4, 11, 0xFF, 0xFF, 0xFF]]) == [.foreign(ForeignBytes(kind: .tooLong, text: ""))])
    }

    @Test func whatIsKeptIsBounded() {
        let done: [UInt8] = [22, 3, 3, 0, 4, 14, 0, 0, 0]
        let many = read([Array(repeating: done, count: 1_000).flatMap(\.self)])
        #expect(many.count == TLSHandshakeReader.maximumItems)
        // Records of an unfinished message, up to the limit of bytes in clear.
        let part: [UInt8] = [22, 3, 3, 0x40, 0] + [UInt8](repeating: 0, count: 1 << 14)
        let items = read(Array(repeating: part, count: 17))
        #expect(items.last == .foreign(ForeignBytes(kind: .tooLong, text: "")) || items.count == 64)
    }

    @Test func alteredAndRandomBytesDoNoHarm() {
        var random = SeededNumbers(seed: 7)
        for bytes in Self.recordings {
            for _ in 0..<400 {
                var altered = bytes
                for _ in 0...Int.random(in: 0..<4, using: &random) {
                    altered[Int.random(in: 0..<altered.count, using: &random)] = UInt8.random(
                        in: 0...255, using: &random)
                }
                #expect(read([altered]).count <= TLSHandshakeReader.maximumItems)
            }
        }
        for _ in 0..<2_000 {
            let length = Int.random(in: 0..<200, using: &random)
            var bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
            if length > 5 { bytes.replaceSubrange(0..<5, with: [22, 3, 3, 0, UInt8(length - 5)]) }
            #expect(read([bytes]).count <= TLSHandshakeReader.maximumItems)
        }
    }

    @Test func aListOfIssuersWithBrokenNamesIsStillRead() throws {
        let list: [UInt8] = [0, 2, 0x30, 0, 0, 3, 1, 2, 3]
        let body: [UInt8] = [1, 64, 0, 2, 4, 3, 0, UInt8(list.count)] + list
        let request = try #require(CertificateRequest(body: body[...]))
        #expect(request.authorities == ["", "(unreadable)"] && request.certificateTypes == [64])
        #expect(CertificateRequest(body: body[...].dropLast()) == nil)
        let older = try #require(CertificateRequest(body: [1, 1, 0, 0], version: 0x0302))
        #expect(older.signatureSchemes.isEmpty && older.authorities.isEmpty)
    }
}

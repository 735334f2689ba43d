import Foundation
import HTTPTypes
import SignetConnection
import SignetHTTP
import SignetTLS
import TestSupport
import Testing

@testable import SignetNIOTLS
@testable import SignetNIOTransport

/// What a probe reads of a server that speaks only TLS 1.3, which encrypts most of its handshake.
@Suite(.timeLimit(.minutes(2))) struct EncryptedHandshakeTests {
    private let openssl: OpenSSL

    init() throws {
        openssl = try OpenSSL()
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.makeRoot("second", subject: "/O=Bank/CN=second authority")
        try openssl.issue("server", by: "root", "subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth")
        try openssl.write(try openssl.bytes("root.pem") + openssl.bytes("second.pem"), "clients.pem")
    }

    /// Sends requests to a server of TLS 1.3, and records the handshakes.
    private func probe(
        _ options: [String] = [], _ body: (NIOTransport, ClientRequest, TLSProbing) async throws -> Void
    ) async throws {
        let server = try OpenSSLServer(
            ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key", "-tls1_3"]
                + options, in: openssl.folder)
        let endpoint = try Endpoint("https://localhost:\(server.port)/")
        var connection = ConnectionConfiguration()
        connection.trust = .anchors(try CertificateBundle(pem: openssl.bytes("root.pem")))
        let probing = TLSProbing()
        let transport = try NIOTransport(
            to: endpoint.origin, connection, probing: probing, at: { Int64(time(nil)) })
        try await body(transport, ClientRequest(endpoint, method: .get), probing)
        try await transport.shutdown()
    }

    private func items(_ options: [String]) async throws -> [TLSHandshakeReader.Item] {
        var items: [TLSHandshakeReader.Item] = []
        try await probe(options) { transport, request, probing in
            _ = try? await transport.send(request)
            items = probing.log.last.server.items
        }
        return items
    }

    /// The server closes each connection behind its answer.
    @Test func eachConnectionIsReadAlone() async throws {
        try await probe { transport, request, probing in
            var recorders: [HandshakeRecorder] = []
            for _ in 0..<2 {
                _ = try await transport.send(request)
                recorders.append(probing.log.last)
            }
            #expect(recorders[0] !== recorders[1])
            #expect(recorders.allSatisfy { $0.presented.first?.subject == "CN=server" && $0.server.serverHello != nil })
            #expect(probing.proxyLog.isEmpty)
        }
    }

    @Test(arguments: ["TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384", "TLS_CHACHA20_POLY1305_SHA256"])
    func theRequestForACertificateIsRead(suite: String) async throws {
        let items = try await items(["-ciphersuites", suite, "-CAfile", "clients.pem", "-Verify", "2"])
        let hello = try #require(items.firstServerHello)
        #expect(hello.cipherSuiteName == suite)
        let request = try #require(
            items.compactMap { if case .certificateRequest(let request) = $0 { request } else { nil } }.first)
        #expect(request.authorities.count == 2)
        #expect(request.authorities.contains { $0.contains("second authority") })
        #expect(request.certificateTypes.isEmpty)
        #expect(!request.signatureSchemes.isEmpty)
        let chain = items.compactMap { if case .certificates(let chain) = $0 { chain } else { nil } }.first
        #expect(chain?.first == (try CertificateBundle(pem: openssl.bytes("server.pem")).certificates.first))
        // Finished comes last: what follows has other keys.
        #expect(items.last == .message(20))
    }

    @Test func aServerThatAsksForNoCertificateSaysSo() async throws {
        let items = try await items(["-alpn", "http/1.1"])
        #expect(items.contains { if case .encryptedExtensions = $0 { true } else { false } })
        #expect(!items.contains { if case .certificateRequest = $0 { true } else { false } })
        #expect(items.last == .message(20))
    }

    @Test func alteredRecordsAndLinesDoNoHarm() {
        #expect(HandshakeSecret(keyLogLine: "CLIENT_RANDOM 00 00".utf8) == nil)
        #expect(HandshakeSecret(keyLogLine: "SERVER_HANDSHAKE_TRAFFIC_SECRET 00 0".utf8) == nil)
        #expect(HandshakeSecret(keyLogLine: "SERVER_HANDSHAKE_TRAFFIC_SECRET 00 xy".utf8) == nil)
        #expect(HandshakeSecret(keyLogLine: "SERVER_HANDSHAKE_TRAFFIC_SECRET 00 00 00".utf8) == nil)
        let hello: [UInt8] =
            [22, 3, 3, 0, 50, 2, 0, 0, 46, 3, 3] + [UInt8](repeating: 7, count: 32) + [0, 0x13, 1, 0, 0, 6]
            + [0, 43, 0, 2, 3, 4]
        for suite: UInt8 in 0...4 {
            for length in [0, 1, 15, 16, 17, 100] {
                var bytes = hello
                bytes[hello.count - 10] = suite
                bytes += [23, 3, 3, 0, UInt8(length)] + [UInt8](repeating: 1, count: length)
                var reader = TLSHandshakeReader()
                reader.read(bytes)
                reader.open(with: HandshakeSecret([UInt8](repeating: 1, count: 32)))
                #expect(reader.items.count <= 2)
            }
        }
    }
}

extension [TLSHandshakeReader.Item] {
    fileprivate var firstServerHello: ServerHello? {
        lazy.compactMap { if case .serverHello(let hello) = $0 { hello } else { nil } }.first
    }
}

import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// A client whose key only signs.
@Suite(.timeLimit(.minutes(5))) struct SigningKeyTests {
    private struct Broken: Error, CustomStringConvertible { let description = "the reader is unplugged" }

    let authority: CertificateAuthority
    let server: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "Signing tests")
        server = try authority.issueServer(dnsNames: ["localhost"])
    }

    private func with<Value>(
        _ key: SoftwareSigningKey, version: String = "", _ body: (NIOTransport, String) async throws -> Value
    ) async throws -> (Value, Peer) {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/who"
        let value = try await withTransport(
            url,
            {
                $0.trust = .anchors(authority.bundle)
                $0.identity = .fixed(try authority.issueClient(signingKey: key, commonName: "device 1"))
            }
        ) { transport async throws in try await body(transport, url) }
        return (value, peer)
    }

    @Test(arguments: SoftwareSigningKey.Kind.allCases, ["1.2", "1.3", "retry"])
    func theServerAcceptsTheSignature(kind: SoftwareSigningKey.Kind, version: String) async throws {
        let asked = Mutex<[SigningAlgorithm]>([])
        let key = try SoftwareSigningKey(kind) { request, sign in
            asked.withLock { $0.append(request.algorithm) }
            return try await sign(request)
        }
        _ = try await with(key, version: version) { transport, url async throws in
            let response = try await transport.call(url)
            #expect(response.text == "device 1")
            #expect(response.report.connection.tls?.version == (version == "1.2" ? "TLS 1.2" : "TLS 1.3"))
        }
        #expect(asked.withLock { $0 } == [key.algorithms[0]])
    }

    /// A smart card may know one way only; it is the one that is negotiated.
    @Test func theHandshakeUsesTheOnlyAlgorithmOfAKey() async throws {
        for (version, algorithm) in [
            ("1.2", SigningAlgorithm.rsaPKCS1(.sha512)), ("1.2", .rsaPSS(.sha384)), ("1.3", .rsaPSS(.sha512)),
        ] {
            var key = try SoftwareSigningKey(.rsa2048)
            key.algorithms = [algorithm]
            _ = try await with(key, version: version) { transport, url async throws in
                #expect(try await transport.call(url).text == "device 1")
            }
        }
        // TLS 1.3 has no PKCS#1 v1.5: an error, and no guess.
        var key = try SoftwareSigningKey(.rsa2048)
        key.algorithms = [.rsaPKCS1(.sha256)]
        let (error, peer) = try await with(key, version: "1.3") { transport, url in try await transport.failure(url) }
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(try peer.requests.isEmpty)
    }

    @Test(arguments: ["1.2", "1.3"]) func aKeyThatFailsIsNamed(version: String) async throws {
        let key = try SoftwareSigningKey(.p256, name: "“meter” in “Plant 7”") { _, _ in throw Broken() }
        let (error, peer) = try await with(key, version: version) { transport, url in try await transport.failure(url) }
        #expect(error?.code == .tlsHandshakeFailed)
        #expect(error?.message.contains("“meter” in “Plant 7”") == true, "\(String(describing: error))")
        #expect(error?.message.contains("the reader is unplugged") == true)
        #expect((error?.cause as? SigningKeyError)?.code == .failed)
        #expect(error?.mayHaveBeenProcessed == false)
        #expect(try peer.requests.isEmpty)
    }

    @Test(arguments: ["1.2", "1.3"]) func aKeyThatAnswersNonsenseIsNamed(version: String) async throws {
        for nonsense in [[], Array(repeating: 0x30, count: 70), Array(repeating: 1, count: 1 << 20)] as [[UInt8]] {
            let key = try SoftwareSigningKey(.p256, name: "“meter”") { _, _ in nonsense }
            let (error, peer) = try await with(key, version: version) { transport, url async throws in
                try await transport.failure(url)
            }
            #expect(error?.code == .tlsHandshakeFailed)
            #expect(error?.message.contains("“meter”") == true, "\(String(describing: error))")
            #expect((error?.cause as? SigningKeyError)?.code == .invalidSignature)
            #expect(try peer.requests.isEmpty)
        }
    }

    /// Keys that heed cancellation when the call has ended, and keys that do not.
    @Test(arguments: [true, false]) func aKeyThatHangsIsNamedWhenTheDeadlinePasses(heeds: Bool) async throws {
        let cancelled = Mutex(0)
        let key = try SoftwareSigningKey(.p256, name: "“meter”") { _, _ in
            if heeds {
                do { try await Task.sleep(for: .seconds(600)) } catch {
                    cancelled.withLock { $0 += 1 }
                    throw error
                }
            } else {
                // Longer than the test, shorter than the run of all.
                await Task { try? await Task.sleep(for: .seconds(5)) }.value
            }
            return []
        }
        let (errors, _) = try await with(key) { transport, url async throws in
            let total = try await transport.failure(url) { $0.deadlines.total = .milliseconds(700) }
            let connect = try await transport.failure(url) { $0.deadlines.connect = .milliseconds(700) }
            return [total, connect]
        }
        #expect(errors[0]?.code == .deadlineExceeded)
        #expect(errors[1]?.code == .connectTimeout)
        for error in errors {
            #expect(
                error?.message.contains("the key “meter”") == true || error?.message.contains("The key “meter”") == true
            )
            #expect(error?.mayHaveBeenProcessed == false)
        }
        if heeds { try await until { cancelled.withLock { $0 } == 2 } }
    }

    @Test func aCancelledCallCancelsTheKey() async throws {
        let state = Mutex((asked: false, cancelled: false))
        let key = try SoftwareSigningKey(.p256) { _, _ in
            state.withLock { $0.asked = true }
            defer { state.withLock { $0.cancelled = true } }
            try await Task.sleep(for: .seconds(600))
            return []
        }
        _ = try await with(key) { transport, url async throws in
            let call = Task { try await transport.failure(url) }
            try await until { state.withLock { $0.asked } }
            call.cancel()
            #expect(try await call.value?.code == .cancelled)
            try await until { state.withLock { $0.cancelled } }
        }
    }
}

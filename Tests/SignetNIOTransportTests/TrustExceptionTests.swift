import Foundation
import HTTPTypes
import SignetHTTP
import SignetNIOTLS
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

/// Servers that the policy refuses for what a person may overrule.
@Suite(.timeLimit(.minutes(5))) struct TrustExceptionTests {
    /// An identity from an unknown authority, and for another host.
    let strange: Identity
    let now = Int64(Date().timeIntervalSince1970)

    init() throws {
        strange = try CertificateAuthority(commonName: "Nobody's").issueServer(dnsNames: ["other.example"])
    }

    private func failure(_ transport: NIOTransport, _ url: String) async -> TrustError? {
        await #expect(throws: TrustError.self) { _ = try await transport.call(url) }
    }

    @Test func oneAnswerServesAllWaitingCalls() async throws {
        let peer = try Peer(identity: strange)
        let url = "https://localhost:\(peer.port)/ok"
        let questions = Mutex<[TrustQuestion]>([])
        let store = MemoryTrustExceptions()
        try await withTransport(
            url,
            {
                $0.trust = .anchors(try CertificateAuthority(commonName: "Somebody's").bundle)
                $0.trustExceptions = store
                $0.now = { now }
                $0.onTrustFailure = .ask { question in
                    questions.withLock { $0.append(question) }
                    try await Task.sleep(for: .milliseconds(200))
                    return .accept(reason: "compared by telephone", until: now + 100)
                }
            }
        ) { transport async throws in
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<6 { group.addTask { try await transport.call(url, body: "x").text } }
                for try await text in group { #expect(text == "hello x") }
            }
            let answer = try await transport.call(url)
            #expect(answer.report.connection.tls?.exception == "compared by telephone")
        }
        let asked = questions.withLock { $0 }
        #expect(asked.count == 1)
        #expect(asked.first?.host == "localhost")
        #expect(asked.first?.port == peer.port)
        #expect(asked.first?.isProxy == false)
        #expect(Set(asked.first?.error.failures.map(\.rule) ?? []) == [.knownAuthority, .hostName])
        let exception = try #require(await store.exceptions().first)
        #expect(exception.rules == ["knownAuthority", "hostName"])
        #expect(exception.certificate == strange.leaf.sha256)
    }

    @Test func aRefusalIsARefusal() async throws {
        let peer = try Peer(identity: strange)
        let url = "https://localhost:\(peer.port)/ok"
        let count = Atomic(0)
        let answer = Mutex(TrustAnswer.refuse)
        let store = MemoryTrustExceptions()
        try await withTransport(
            url,
            {
                $0.trust = .anchors(try CertificateAuthority(commonName: "Somebody's").bundle)
                $0.trustExceptions = store
                $0.now = { now }
                $0.onTrustFailure = .ask { _ in
                    count.add(1, ordering: .relaxed)
                    return answer.withLock { $0 }
                }
            }
        ) { transport async throws in
            #expect(await failure(transport, url)?.code == .unknownAuthority)
            #expect(count.load(ordering: .relaxed) == 1)
            answer.withLock { $0 = .deny(reason: "stolen", until: now + 10) }
            #expect(await failure(transport, url)?.code == .unknownAuthority)
            // From now on the transport does not ask.
            let denied = await failure(transport, url)
            #expect(denied?.code == .denied)
            #expect(denied?.message.contains("stolen") == true)
            #expect(count.load(ordering: .relaxed) == 2)
        }
        #expect(try peer.requests.isEmpty)
    }

    @Test func aKeptConnectionEndsWithItsException() async throws {
        let peer = try Peer(identity: strange)
        let url = "https://localhost:\(peer.port)/ok"
        let store = MemoryTrustExceptions()
        let time = Atomic(Int(now))
        let answers = Atomic(1)
        try await withTransport(
            url,
            {
                $0.trust = .anchors(try CertificateAuthority(commonName: "Somebody's").bundle)
                $0.trustExceptions = store
                $0.now = { Int64(time.load(ordering: .relaxed)) }
                $0.onTrustFailure = .ask { _ in
                    answers.subtract(1, ordering: .relaxed).newValue >= 0
                        ? .accept(reason: "", until: now + 100) : .refuse
                }
            }
        ) { transport async throws in
            #expect(try await transport.call(url).report.connection.reused == false)
            #expect(try await transport.call(url).report.connection.reused)
            time.store(Int(now) + 100, ordering: .relaxed)
            #expect(await failure(transport, url)?.code == .unknownAuthority)
            // Taken back, it is void at once.
            time.store(Int(now), ordering: .relaxed)
            #expect(try await transport.call(url).report.connection.reused == false)
            for exception in await store.exceptions() { await store.revoke(exception) }
            #expect(await failure(transport, url)?.code == .unknownAuthority)
        }
    }

    /// An address has many spellings, and is one place.
    @Test(arguments: [
        "https://[::1]:8443", "https://[2001:db8:0:0::1]", "https://192.0.2.7", "https://Service.EXAMPLE",
    ])
    func aSecondCertificateAtTheSameOriginIsNoFirstUse(url: String) async throws {
        let questions = TrustQuestions(.trustOnFirstUse(lifetime: .seconds(100)), MemoryTrustExceptions(), now: { now })
        let peer = SignetNIOTransport.Peer(
            origin: try Endpoint(url).origin, via: .direct, identity: .none, trust: .system)
        func overrules(_ identity: Identity) async throws -> Bool {
            let policy = TrustPolicy.anchors(try CertificateAuthority(commonName: "Somebody's").bundle)
            let error = policy.evaluate(
                identity.chain, host: peer.origin.host, port: peer.origin.port, at: now, exceptions: []
            ).error
            return try await questions.overrules(try #require(error), peer)
        }
        #expect(try await overrules(strange))
        #expect(try await overrules(strange))
        let other = try CertificateAuthority(commonName: "Others").issueServer(dnsNames: ["other.example"])
        #expect(try await !overrules(other))
        #expect(try await questions.exceptions().map(\.certificate) == [strange.leaf.sha256])
    }

    @Test func trustOnFirstUse() async throws {
        let store = MemoryTrustExceptions()
        func use(_ identity: Identity, port: Int = 0, _ check: (NIOTransport, String) async throws -> Void) async throws
        {
            let peer = try Peer(identity: identity, port: port)
            let url = "https://localhost:\(peer.port)/ok"
            try await withTransport(
                url,
                {
                    $0.trust = .anchors(try CertificateAuthority(commonName: "Somebody's").bundle)
                    $0.trustExceptions = store
                    $0.onTrustFailure = .trustOnFirstUse(lifetime: .seconds(1_000_000))
                }
            ) { transport async throws in try await check(transport, url) }
        }
        var port = 0
        try await use(strange) { transport, url async throws in
            #expect(try await transport.call(url).status == .ok)
            port = try Endpoint(url).origin.port
        }
        #expect(await store.exceptions().count == 1)
        // Another certificate at the same place.
        let other = try CertificateAuthority(commonName: "Others").issueServer(dnsNames: ["localhost"])
        try await use(other, port: port) { transport, url async throws in
            let error = await failure(transport, url)
            #expect(error?.code == .unknownAuthority, "\(String(describing: error))")
        }
        // The first one again.
        try await use(strange, port: port) { transport, url async throws in
            #expect(try await transport.call(url).status == .ok)
        }
        #expect(await store.exceptions().count == 1)
    }
}

import HTTPTypes
import SignetAuthentication
import SignetConnection
import SignetCredentials
import SignetHTTP
import SignetTLS
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Calls over HTTP/2, to a server of another make.
@Suite(.timeLimit(.minutes(5))) struct HTTP2Tests {
    private let authority: CertificateAuthority
    private let server: Identity
    private let client: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "HTTP/2 tests")
        server = try authority.issueServer(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
        client = try authority.issueClient(commonName: "device 2")
    }

    func withPeer(
        _ options: HTTP2Peer.Options = .init(), change: (inout TransportSetup) throws -> Void = { _ in },
        _ body: (HTTP2Peer, NIOTransport) async throws -> Void
    ) async throws {
        let peer = try HTTP2Peer(server, authority: authority.bundle, options: options)
        try await withTransport(
            peer.url("/"),
            {
                $0.trust = .anchors(authority.bundle)
                try change(&$0)
            }
        ) { try await body(peer, $0) }
    }

    private func expectClosed(_ error: TransportError?, mayHaveBeenProcessed: Bool, says text: String) {
        #expect(error?.code == .connectionClosed)
        #expect(error?.mayHaveBeenProcessed == mayHaveBeenProcessed)
        #expect(error?.message.contains(text) == true, "\(error?.message ?? "no error")")
    }

    // MARK: Usual calls

    @Test func callsFollowEachOtherOnOneConnection() async throws {
        try await withPeer { peer, transport async throws in
            let first = try await transport.call(peer.url("/echo"), body: "one")
            #expect(first.text == "one")
            #expect(first.report.connection.httpVersion == "2")
            #expect(!first.report.connection.reused)
            let second = try await transport.call(peer.url("/echo"), body: String(repeating: "two", count: 100_000))
            #expect(second.body.count == 300_000)
            #expect(second.report.connection.reused)
            #expect(try await transport.call(peer.url("/ok"), .get).text == "ok")
            let requests = try peer.requests
            #expect(requests.map(\.connection) == [1, 1, 1])
            #expect(requests.map(\.version) == ["2", "2", "2"])
            let fields = try #require(requests.first?.fields)
            #expect(fields[":authority"] == "localhost:\(peer.port)")
            #expect(fields[":scheme"] == "https")
            #expect(fields["content-length"] == "3")
            #expect(fields["host"] == nil)
        }
    }

    @Test func anAnswerIsLikeOneOfHTTP1() async throws {
        try await withPeer { peer, transport async throws in
            let trailers = try await transport.call(peer.url("/trailers"))
            #expect(trailers.text == "with trailers")
            #expect(trailers.fields.map(\.name.canonicalName) == ["content-type"])
            let packed = try await transport.call(peer.url("/gzip"))
            #expect(packed.text == "unpacked")
            #expect(try await transport.call(peer.url("/interim/3")).text == "final")
            #expect(try await transport.call(peer.url("/fields/900/40")).fields.count == 901)
        }
    }

    @Test func callsAtTheSameTimeShareAConnection() async throws {
        try await withPeer { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            let places = try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<50 { group.addTask { try await transport.call(peer.url("/gate/50")).text } }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(places == ["1"])
            #expect(transport.connectionCounts?.idle == 1)
        }
    }

    @Test func theServersLimitIsKept() async throws {
        try await withPeer(.init(maximumStreams: 3)) {
            $0.maximumConnections = 1
        } _: { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<12 { group.addTask { try await transport.call(peer.url("/gate/3")) } }
                try await group.waitForAll()
            }
            #expect(try Set(peer.requests.map(\.connection)) == [1])
            // The server lowers its limit while calls run, and raises it again.
            try await transport.call(peer.url("/settings/1"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<10 { group.addTask { try await transport.call(peer.url("/wait/20")) } }
                try await group.waitForAll()
            }
            #expect(try peer.requests.count == 24)
        }
    }

    @Test func theClientsLimitOpensMoreConnections() async throws {
        try await withPeer {
            $0.maximumCallsPerConnection = 2
        } _: { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<6 { group.addTask { try await transport.call(peer.url("/gate/6")) } }
                try await group.waitForAll()
            }
            #expect(try Set(peer.requests.map(\.connection)).count == 3)
        }
    }

    @Test func aFirstBurstIsCarried() async throws {
        try await withPeer { peer, transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<100 { group.addTask { try await transport.call(peer.url("/wait/5"), body: "x") } }
                try await group.waitForAll()
            }
            #expect(try peer.requests.count == 100)
            #expect(try Set(peer.requests.map(\.connection)).count <= 8)
        }
    }

    @Test func theIdentityIsShown() async throws {
        try await withPeer(.init(clients: "required")) {
            $0.identity = .fixed(client)
        } _: { peer, transport async throws in
            let response = try await transport.call(peer.url("/ok"))
            #expect(response.report.connection.tls?.clientCertificate?.contains("device 2") == true)
            #expect(try peer.requests.map(\.certificate) == ["device 2"])
        }
        try await withPeer(.init(clients: "required")) { peer, transport async throws in
            let error = try await transport.failure(peer.url("/ok"))
            // Python closes the connection with unread bytes, so that its alert may be lost.
            #expect(error?.code == .clientCertificateRequired || error?.code == .connectionClosed)
            #expect(error?.message.contains("client certificate") == true, "\(error?.message ?? "")")
            #expect(error?.mayHaveBeenProcessed == false)
            #expect(try peer.requests.isEmpty)
        }
    }

    @Test func twoIdentitiesNeverShareAConnection() async throws {
        let other = try authority.issueClient(commonName: "device 3")
        let current = Current(client)
        try await withPeer(.init(clients: "required")) {
            $0.identity = IdentitySource(description: "the current identity") { await current.identity }
        } _: { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            await current.change(to: other)
            try await transport.call(peer.url("/ok"))
            await current.change(to: client)
            try await transport.call(peer.url("/ok"))
            #expect(try peer.requests.map(\.certificate) == ["device 2", "device 3", "device 2"])
            #expect(try peer.requests.map(\.connection) == [1, 2, 1])
        }
    }

    /// RFC 9113 §9.1.1 allows it where a certificate covers both hosts; but what is known of one says nothing of the other.
    @Test func twoHostsNeverShareAConnection() async throws {
        try await withPeer { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            let other = try await transport.call("https://127.0.0.1:\(peer.port)/ok")
            #expect(other.report.connection.httpVersion == "2")
            try await transport.call(peer.url("/ok"))
            #expect(try peer.requests.map(\.connection) == [1, 2, 1])
        }
    }

    private actor Current {
        private(set) var identity: Identity?
        init(_ identity: Identity) { self.identity = identity }
        func change(to identity: Identity) { self.identity = identity }
    }

    @Test func anUntrustedServerGetsNoRequest() async throws {
        try await withPeer(
            change: { $0.trust = .anchors(try CertificateAuthority(commonName: "Another").bundle) }
        ) { peer, transport async throws in
            await #expect(throws: TrustError.self) { try await transport.call(peer.url("/ok")) }
            #expect(try peer.requests.isEmpty)
        }
    }

    // MARK: Versions

    @Test func aServerWithoutHTTP2GetsHTTP1() async throws {
        try await withPeer(.init(protocols: ["http/1.1"])) { peer, transport async throws in
            let response = try await transport.call(peer.url("/ok"))
            #expect(response.report.connection.httpVersion == "1.1")
            #expect(try await transport.call(peer.url("/ok")).report.connection.reused)
        }
    }

    @Test func theSettingKeepsHTTP1() async throws {
        try await withPeer(change: { $0.allowsHTTP2 = false }) { peer, transport async throws in
            #expect(try await transport.call(peer.url("/ok")).report.connection.httpVersion == "1.1")
            #expect(try peer.requests.map(\.version) == ["1.1"])
        }
    }

    @Test func anIdentityThatMayBeShownLateKeepsHTTP1() async throws {
        try await withPeer {
            $0.identity = .fixed(client)
            $0.allowsIdentityInRenegotiation = true
        } _: { peer, transport async throws in
            #expect(try await transport.call(peer.url("/ok")).report.connection.httpVersion == "1.1")
        }
    }

    @Test func aServerThatDemandsHTTP1GetsItFromThenOn() async throws {
        try await withPeer { peer, transport async throws in
            #expect(try await transport.call(peer.url("/ok")).report.connection.httpVersion == "2")
            let response = try await transport.call(peer.url("/http11"), body: "once")
            #expect(response.text == "old")
            #expect(response.report.connection.httpVersion == "1.1")
            #expect(try await transport.call(peer.url("/ok")).report.connection.httpVersion == "1.1")
            #expect(try peer.requests.map(\.version) == ["2", "1.1", "1.1"])
            #expect(try peer.requests.map(\.path) == ["/ok", "/http11", "/ok"])
        }
    }

    /// 0xD is HTTP_1_1_REQUIRED, 0xC is INADEQUATE_SECURITY.
    @Test(arguments: [0xD, 0xC]) func aServerThatEndsItsConnectionsForHTTP1GetsIt(code: Int) async throws {
        try await withPeer(.init(firstGoAway: code)) { peer, transport async throws in
            let response = try await transport.call(peer.url("/ok"))
            #expect(response.text == "old")
            #expect(response.report.connection.httpVersion == "1.1")
            #expect(try peer.requests.map(\.version) == ["1.1"])
        }
    }

    @Test func aServerThatEndsEveryConnectionIsNotCalledForEver() async throws {
        try await withPeer(.init(firstGoAway: 0)) { peer, transport async throws in
            let error = try await transport.failure(peer.url("/ok"))
            #expect(error?.code == .connectionClosed)
            #expect(error?.mayHaveBeenProcessed == false)
            #expect(try peer.events.filter { $0.event == "connection" }.count <= 40)
        }
    }

    @Test(arguments: ["/ntlm"]) func credentialsOfAConnectionUseHTTP1(path: String) async throws {
        try await withPeer {
            $0.authentication = .init(credentials: .fixed(.account(user: "User", password: "Password")))
            $0.authentication.schemes = [.ntlm]
            $0.authentication.ntlmHosts = ["localhost"]
        } _: { peer, transport async throws in
            _ = try? await transport.call(peer.url(path), body: "secret")
            let requests = try peer.requests
            #expect(requests.first?.version == "2")
            #expect(requests.first?.fields?["authorization"] == nil)
            #expect(requests.count > 1)
            #expect(requests.dropFirst().allSatisfy { $0.version == "1.1" })
            #expect(requests.dropFirst().first?.fields?["authorization"]?.hasPrefix("NTLM ") == true)
        }
    }

    @Test func basicStaysOnHTTP2() async throws {
        try await withPeer {
            $0.authentication = .init(credentials: .fixed(.account(user: "user", password: "password")))
        } _: { peer, transport async throws in
            let response = try await transport.call(peer.url("/basic"))
            #expect(response.status == .ok)
            #expect(response.report.connection.httpVersion == "2")
            #expect(try peer.requests.map(\.connection) == [1, 1])
        }
    }

    // MARK: Ends

    @Test func aRefusedRequestIsRepeated() async throws {
        try await withPeer { peer, transport async throws in
            #expect(try await transport.call(peer.url("/refuse/3"), body: "order").text == "ok")
            #expect(try peer.requests.map(\.body) == ["order"])
            let error = try await transport.failure(peer.url("/refuse/100"))
            expectClosed(error, mayHaveBeenProcessed: false, says: "REFUSED_STREAM")
            #expect(try peer.requests.count == 1)
            #expect(try Set(peer.events.map(\.connection)) == [1])
        }
    }

    @Test func aResetRequestIsNotRepeated() async throws {
        try await withPeer { peer, transport async throws in
            let error = try await transport.failure(peer.url("/reset/2"))
            expectClosed(error, mayHaveBeenProcessed: true, says: "INTERNAL_ERROR")
            let late = try await transport.failure(peer.url("/reset-late/8"), .get)
            expectClosed(late, mayHaveBeenProcessed: true, says: "CANCEL")
            #expect(try peer.requests.count == 2)
            // The connection goes on.
            #expect(try await transport.call(peer.url("/ok")).report.connection.reused)
            #expect(try peer.requests.map(\.connection) == [1, 1, 1])
        }
    }

    @Test func callsAfterAGoAwayUseAnotherConnection() async throws {
        try await withPeer(.init(requests: 10)) { peer, transport async throws in
            for number in 0..<35 {
                #expect(try await transport.call(peer.url("/echo"), body: "\(number)").text == "\(number)")
            }
            #expect(try peer.requests.compactMap(\.body) == (0..<35).map { "\($0)" })
            #expect(try Set(peer.requests.map(\.connection)).count == 4)
        }
    }

    @Test func noCallIsLostOrProcessedTwice() async throws {
        try await withPeer(.init(requests: 10)) { peer, transport async throws in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<300 {
                    group.addTask { () async throws in
                        #expect(try await transport.call(peer.url("/echo"), body: "\(number)").text == "\(number)")
                    }
                    if number >= 20 { try await group.next() }
                }
                try await group.waitForAll()
            }
            let bodies = try peer.requests.compactMap(\.body).compactMap { Int($0) }
            #expect(bodies.sorted() == Array(0..<300))
        }
    }

    @Test func aRequestAboveTheLastStreamIsRepeated() async throws {
        try await withPeer { peer, transport async throws in
            #expect(try await transport.call(peer.url("/ok")).text == "ok")
            #expect(try await transport.call(peer.url("/goaway-below/0/2"), body: "order").text == "ok")
            #expect(try peer.requests.map(\.body) == ["", "order"])
            #expect(try peer.requests.map(\.connection) == [1, 3])
            let error = try await transport.failure(peer.url("/goaway-below/11/9"))
            expectClosed(error, mayHaveBeenProcessed: false, says: "ENHANCE_YOUR_CALM")
        }
    }

    @Test func aRequestBelowTheLastStreamIsAnswered() async throws {
        try await withPeer { peer, transport async throws in
            async let waiting = transport.call(peer.url("/wait/300"))
            try await until { try peer.requests.count == 1 }
            #expect(try await transport.call(peer.url("/goaway/0")).text == "last")
            #expect(try await waiting.text == "waited")
            #expect(try await transport.call(peer.url("/ok")).report.connection.reused == false)
            #expect(try peer.requests.map(\.connection) == [1, 1, 2])
        }
    }

    @Test func aLostConnectionEndsItsCalls() async throws {
        try await withPeer { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            async let waiting = transport.failure(peer.url("/never"))
            try await until { try peer.requests.count == 2 }
            // A safe request may be sent again, and is.
            let safe = try await transport.failure(peer.url("/close"), .get)
            #expect(safe?.code == .connectionClosed)
            let lost = try await waiting
            #expect(lost?.code == .connectionClosed)
            #expect(lost?.mayHaveBeenProcessed == true)
            #expect(try await transport.call(peer.url("/ok")).text == "ok")
        }
    }

    @Test func aShutdownEndsAllCalls() async throws {
        try await withPeer { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            let calls = (0..<3).map { _ in Task { try await transport.failure(peer.url("/never")) } }
            try await until { try peer.requests.count == 4 }
            try await transport.shutdown()
            for call in calls { #expect(try await call.value?.mayHaveBeenProcessed == true) }
        }
    }

    /// The server answers while it leaves no room for the content.
    @Test func anAnsweredStreamIsClosed() async throws {
        try await withPeer(.init(maximumStreams: 2, window: 0)) {
            $0.maximumConnections = 1
        } _: { peer, transport async throws in
            for _ in 0..<10 {
                #expect(try await transport.call(peer.url("/early/200"), body: "content").text == "early")
            }
            #expect(try Set(peer.events.map(\.connection)) == [1])
        }
    }

    @Test func aCancelledCallEndsItsStreamOnly() async throws {
        try await withPeer { peer, transport async throws in
            async let waiting = transport.call(peer.url("/wait/300"))
            let cancelled = Task { try await transport.call(peer.url("/never")) }
            try await until { try peer.requests.count == 2 }
            cancelled.cancel()
            await #expect(throws: TransportError.self) { try await cancelled.value }
            #expect(try await waiting.text == "waited")
            try await until { try peer.events.contains { $0.event == "reset" && $0.code == 8 } }
            #expect(try await transport.call(peer.url("/ok")).report.connection.reused)
        }
    }

    @Test func cancelledCallsLeaveRoomForOthers() async throws {
        try await withPeer(.init(maximumStreams: 3)) {
            $0.maximumConnections = 1
        } _: { peer, transport async throws in
            try await transport.call(peer.url("/ok"))
            for pause in [0, 1, 20] {
                let calls = (0..<50).map { _ in Task { try await transport.call(peer.url("/never")) } }
                try await Task.sleep(for: .milliseconds(pause))
                for call in calls { call.cancel() }
                for call in calls { await #expect(throws: (any Error).self) { try await call.value } }
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<3 {
                    group.addTask {
                        try await transport.call(peer.url("/gate/3")) { $0.deadlines.total = .seconds(60) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try Set(peer.events.map(\.connection)) == [1])
            #expect(transport.connectionCounts?.lent == 0)
        }
    }

    @Test func aDeadlineEndsItsStreamOnly() async throws {
        try await withPeer { peer, transport async throws in
            // The deadlines below are for an answer, not for the connection.
            try await transport.call(peer.url("/ok"))
            async let waiting = transport.call(peer.url("/wait/3000"))
            let error = try await transport.failure(peer.url("/never")) { $0.deadlines.total = .seconds(1) }
            #expect(error?.code == .deadlineExceeded)
            #expect(error?.mayHaveBeenProcessed == true)
            let silent = try await transport.failure(peer.url("/never")) { $0.deadlines.read = .seconds(1) }
            #expect(silent?.code == .readTimeout)
            #expect(try await waiting.text == "waited")
        }
    }

    // MARK: Content

    @Test func contentIsSentAsTheServerTakesIt() async throws {
        try await withPeer(.init(window: 1_000)) { peer, transport async throws in
            let piece = [UInt8](repeating: 7, count: 10_000)
            let response = try await transport.call(peer.url("/echo")) {
                $0.body = HTTPBody(length: nil, isReplayable: true) { writer in
                    for _ in 0..<20 { try await writer.write(piece) }
                }
            }
            #expect(response.body.count == 200_000)
        }
    }

    @Test func aSlowReceiverStopsTheServer() async throws {
        try await withPeer { peer, transport async throws in
            let receiver = SlowReceiver()
            let response = try await transport.call(peer.url("/big/8000000"), .get) { $0.contentReceiver = receiver }
            #expect(response.body.isEmpty)
            #expect(await receiver.count == 8_000_000)
        }
    }

    private actor SlowReceiver: ContentReceiver {
        private(set) var count = 0
        nonisolated func takes(_ status: HTTPResponse.Status, _ fields: HTTPFields) -> Bool { true }
        func receive(_ bytes: [UInt8]) async throws {
            if count < 1_000_000 { try await Task.sleep(for: .milliseconds(5)) }
            count += bytes.count
        }
    }

    @Test func anAnswerBeforeTheContentEndsTheRequest() async throws {
        try await withPeer(.init(window: 1_000)) { peer, transport async throws in
            for _ in 0..<3 {
                let response = try await transport.call(
                    peer.url("/early/403"), body: String(repeating: "x", count: 1_000_000))
                #expect(response.status == .forbidden)
                #expect(response.text == "early")
            }
            #expect(try await transport.call(peer.url("/ok")).report.connection.reused)
            #expect(try Set(peer.events.map(\.connection)) == [1])
        }
    }

    @Test func limitsOfAnswersHold() async throws {
        try await withPeer(change: { $0.maximumFieldBytes = 4_000 }) { peer, transport async throws in
            let large = try await transport.failure(peer.url("/big/100000")) { $0.maximumResponseBytes = 99_999 }
            #expect(large?.code == .responseTooLarge)
            let head = try await transport.failure(peer.url("/fields/30/200"))
            #expect(head?.code == .responseTooLarge)
            let count = try await transport.failure(peer.url("/fields/1001/1"))
            #expect(count?.code == .responseTooLarge)
            let interim = try await transport.failure(peer.url("/interim/101"))
            #expect(interim?.code == .malformedResponse)
            for length in ["4", "6", "x"] {
                let wrong = try await transport.failure(peer.url("/length/\(length)"))
                #expect(wrong?.code == .malformedResponse, "\(length): \(wrong?.message ?? "")")
            }
            #expect(try await transport.call(peer.url("/ok")).text == "ok")
        }
    }

    // MARK: Settings

    @Test func aLimitWithoutEffectIsAnError() throws {
        let origin = try Endpoint("https://service.example").origin
        for (change, isFine) in [
            ({ (_: inout ConnectionConfiguration) in }, true), ({ $0.maximumCallsPerConnection = 0 }, false),
            ({ $0.maximumCallsPerConnection = 5 }, true), ({ $0.allowsHTTP2 = false }, true),
            (
                {
                    $0.maximumCallsPerConnection = 5
                    $0.allowsHTTP2 = false
                }, false
            ),
        ] {
            var configuration = ConnectionConfiguration()
            change(&configuration)
            let transport = try? NIOTransport(to: origin, configuration)
            #expect((transport != nil) == isFine)
        }
    }
}

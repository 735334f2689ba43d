import HTTPTypes
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetNIOTransport

@Suite(.timeLimit(.minutes(5))) struct TLSTests {
    let authority: CertificateAuthority
    let server: Identity
    let client: Identity
    var trust: TrustPolicy { .anchors(authority.bundle) }

    init() throws {
        authority = try CertificateAuthority(commonName: "Transport tests")
        server = try authority.issueServer(dnsNames: ["localhost"], ipAddresses: ["127.0.0.1"])
        client = try authority.issueClient(commonName: "device 1")
    }

    @Test(arguments: ["1.2", "1.3", "retry"]) func ourCertificateIsShownWhenAsked(version: String) async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/who"
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = .fixed(client)
            }
        ) { transport async throws in
            let response = try await transport.call(url)
            #expect(response.text == "device 1")
            let connection = response.report.connection
            #expect(connection.handshake > .zero)
            #expect(connection.handshake + connection.nameResolution <= connection.establishment)
            let tls = try #require(response.report.connection.tls)
            #expect(tls.version == (version == "1.2" ? "TLS 1.2" : "TLS 1.3"))
            #expect(tls.clientCertificateRequested)
            #expect(tls.clientCertificate?.contains("device 1") == true)
            #expect(tls.clientCertificateNotAfter != nil && tls.clientCertificateNotAfter == client.leaf.notAfter)
            #expect(tls.notAfter != nil && tls.notAfter == server.leaf.notAfter)
            #expect(tls.certificationPath.count == 2)
            #expect(tls.certificationPath.last?.contains("Transport tests") == true)
            let seen = try #require(try peer.events.first { $0.event == "handshake" })
            #expect(seen.serverName == "localhost")
            #expect(seen.version == (version == "1.2" ? "TLSv1.2" : "TLSv1.3"))
            // Python names the suites of TLS 1.3 as IANA does, and those of TLS 1.2 as OpenSSL does.
            let names = [
                "ECDHE-ECDSA-AES128-GCM-SHA256": "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
                "ECDHE-ECDSA-AES256-GCM-SHA384": "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384",
                "ECDHE-ECDSA-CHACHA20-POLY1305": "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256",
            ]
            #expect(seen.cipher.map { names[$0] ?? $0 } == tls.cipherSuite)
            let again = try await transport.call(url)
            #expect(again.report.connection.reused)
            #expect(again.report.connection.tls == tls)
        }
    }

    @Test func ourCertificateIsNotShownUnlessAsked() async throws {
        let peer = try Peer(identity: server)
        let url = "https://127.0.0.1:\(peer.port)/who"
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = .fixed(client)
            }
        ) { transport async throws in
            let response = try await transport.call(url)
            #expect(response.text == "nobody")
            #expect(response.report.connection.tls?.clientCertificateRequested == false)
            #expect(response.report.connection.tls?.clientCertificate == nil)
        }
        let seen = try #require(try peer.events.first)
        // Message 11 is Certificate. An IP address is no server name.
        #expect(seen.messages?.contains(11) == false)
        #expect(seen.serverName == nil)
    }

    @Test(arguments: ["1.2", "1.3"]) func theClientVerifiesTheServerBeforeItSends(version: String) async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/private"
        // Base64 of 32 bytes each, pins of no existing key.
        let pins = [String(repeating: "A", count: 43) + "=", "B" + String(repeating: "A", count: 42) + "="]
        let stranger = try CertificateAuthority(commonName: "Stranger")
        for (policy, code) in [
            (trust.pinned(to: pins.map { .publicKey(sha256: $0) }), TrustError.Code.pinMismatch),
            (.anchors(stranger.bundle), .unknownAuthority),
        ] {
            try await withTransport(
                url,
                {
                    $0.trust = policy
                    $0.identity = .fixed(client)
                    $0.authentication = .init(
                        credentials: .fixed(.account(user: "service", password: "right")), sendsWithoutChallenge: true)
                }
            ) { transport async throws in
                let error = await #expect(throws: TrustError.self) { try await transport.call(url) }
                #expect(error?.code == code)
            }
        }
        #expect(try peer.requests.isEmpty)
        // The peer notes a refusal only after the client has received it.
        try await until { try peer.events.count { $0.event == "refused" } >= 2 }
        let refused = try peer.events.filter { $0.event == "refused" }
        #expect(refused.count == 2)
        for event in refused { #expect(event.messages?.contains(11) == false) }
    }

    @Test func aCertificateForAnotherHostIsRefused() async throws {
        let other = try authority.issueServer(dnsNames: ["other.example"])
        let peer = try Peer(identity: other)
        for host in ["localhost", "127.0.0.1"] {
            let url = "https://\(host):\(peer.port)/ok"
            try await withTransport(url, { $0.trust = trust }) { transport async throws in
                let error = await #expect(throws: TrustError.self) { try await transport.call(url) }
                #expect(error?.code == .hostNameMismatch)
                let start = "The server https://\(host):\(peer.port) is not trusted. "
                #expect(error?.message.hasPrefix(start) == true, "\(error?.message ?? "")")
            }
        }
        #expect(try peer.requests.isEmpty)
    }

    @Test(arguments: ["1.2", "1.3"]) func aMissingClientCertificateIsAnError(version: String) async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/ok"
        try await withTransport(url, { $0.trust = trust }) { transport async throws in
            for method in [("POST", 1), ("GET", 2)] {
                let error = try await transport.failure(url, method.0 == "GET" ? .get : .post)
                #expect(error?.code == .clientCertificateRequired)
                #expect(error?.mayHaveBeenProcessed == false)
                // One attempt a call: a refusal is not taken for a lost connection.
                try await until { try peer.events.count >= method.1 }
                #expect(try peer.events.count == method.1)
            }
        }
        #expect(try peer.requests.isEmpty)
    }

    @Test(arguments: ["1.2", "1.3"]) func ourCertificateIsRefused(version: String) async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)/ok"
        let stranger = try CertificateAuthority(commonName: "Stranger").issueClient(commonName: "device 2")
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = .fixed(stranger)
            }
        ) { transport async throws in
            for attempts in 1...3 {
                let error = try await transport.failure(url, .get)
                #expect(error?.code == .clientCertificateRefused)
                #expect(error?.mayHaveBeenProcessed == false)
                #expect(error?.message.contains("unknown_ca") == true, "\(error?.message ?? "")")
                try await until { try peer.events.count >= attempts }
                #expect(try peer.events.count == attempts)
            }
        }
        #expect(try peer.requests.isEmpty)
    }

    @Test(arguments: ["1.2", "1.3"]) func aFaultOfTLSDoesNotHideThatARequestWasSent(version: String) async throws {
        let peer = try Peer(identity: server, clients: .optional, authority: authority.bundle, version: version)
        let url = "https://localhost:\(peer.port)"
        try await withTransport(url, { $0.trust = trust }) { transport async throws in
            for path in ["/fault", "/faultinside"] {
                for isReused in [false, true] {
                    if isReused { try await transport.call("\(url)/ok") }
                    let error = try await transport.failure(url + path)
                    #expect(error?.code == .connectionClosed, "\(error?.message ?? "")")
                    #expect(error?.mayHaveBeenProcessed == true)
                    #expect(error?.cause != nil)
                }
            }
        }
        #expect(try peer.requests.count { $0.path?.hasPrefix("/fault") == true } == 4)
    }

    @Test func identityAndCredentialsGoToTheirOriginOnly() async throws {
        let home = try Peer(identity: server, clients: .optional, authority: authority.bundle)
        let abroad = try Peer(identity: server, clients: .optional, authority: authority.bundle)
        try await withTransport(
            "https://localhost:\(home.port)",
            {
                $0.trust = trust
                $0.identity = .fixed(client)
                $0.authentication = .init(
                    credentials: .fixed(.account(user: "service", password: "right")), sendsWithoutChallenge: true)
            }
        ) { transport async throws in
            #expect(try await transport.call("https://localhost:\(home.port)/private").text == "secret")
            for url in ["https://localhost:\(abroad.port)", "https://127.0.0.1:\(home.port)"] {
                let response = try await transport.call("\(url)/who")
                #expect(response.text == "nobody")
                #expect(response.report.connection.tls?.clientCertificateRequested == true)
                #expect(response.report.connection.tls?.clientCertificate == nil)
                let error = await #expect(throws: (any Error).self) { try await transport.call("\(url)/private") }
                #expect("\(String(describing: error))".contains("credentials"))
            }
        }
        #expect(try abroad.requests.allSatisfy { $0.fields?["authorization"] == nil && $0.certificate == nil })
        #expect(try home.requests.count { $0.fields?["authorization"] != nil } == 1)
    }

    @Test func twoIdentitiesNeverShareAConnection() async throws {
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle)
        let url = "https://localhost:\(peer.port)/who"
        let other = try authority.issueClient(commonName: "device 2")
        let current = Mutex(client)
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = IdentitySource(description: "current") { current.withLock { $0 } }
            }
        ) { transport async throws in
            for round in 0..<200 {
                let isOther = round % 2 == 1
                current.withLock { $0 = isOther ? other : client }
                #expect(try await transport.call(url).text == (isOther ? "device 2" : "device 1"))
            }
        }
        #expect(try peer.events.count { $0.event == "handshake" } == 2)
    }

    @Test func theWholeChainIsSent() async throws {
        let intermediate = try authority.issueIntermediate(commonName: "Between")
        let peer = try Peer(identity: server, clients: .required, authority: authority.bundle)
        let url = "https://localhost:\(peer.port)/who"
        let deep = try intermediate.issueClient(commonName: "deep")
        try await withTransport(
            url,
            {
                $0.trust = trust
                $0.identity = .fixed(deep)
            }
        ) { transport async throws in #expect(try await transport.call(url).text == "deep") }
    }

    @Test func aTruncatedAnswerIsAnErrorOverTLSToo() async throws {
        let peer = try Peer(identity: server)
        let url = "https://localhost:\(peer.port)"
        try await withTransport(url, { $0.trust = trust }) { transport async throws in
            for path in ["/half", "/halfchunked", "/drop"] {
                #expect(try await transport.failure(url + path)?.code == .connectionClosed)
            }
            #expect(try await transport.call("\(url)/eof").text == "until the end")
        }
    }
}

import Foundation
import GreetingService
import SignetConnection
import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetServer
import SignetTLS
import SignetTesting
import Synchronization
import TestSupport
import Testing

/// Requests of clients whose TLS ends at a proxy.
@Suite(.serialized, .timeLimit(.minutes(10))) struct TLSTerminatingProxyTests {
    /// What handlers and middlewares have seen of the clients.
    private final class Seen: ServiceMiddleware, ServerHTTPMiddleware {
        let peers = Mutex<[PeerDescription]>([])
        let requests = Mutex<[ServerRequest]>([])

        var peer: PeerDescription? { peers.withLock { $0.last } }
        var request: ServerRequest? { requests.withLock { $0.last } }

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            peers.withLock { $0.append(context.peer) }
            return try await next(context)
        }

        func intercept(
            _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
        ) async throws -> ServerResponse {
            requests.withLock { $0.append(request) }
            return try await next(request)
        }
    }

    private let authority: CertificateAuthority
    private let device: Identity
    private let stranger: Identity
    private let curl: Curl
    private let folder: URL

    init() throws {
        authority = try CertificateAuthority()
        device = try authority.issueClient(commonName: "device-7")
        stranger = try CertificateAuthority().issueClient(commonName: "device-7")
        curl = try Curl()
        folder = URL(filePath: curl.path("private"))
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
    }

    private var socket: String { folder.appending(path: "s").path(percentEncoded: false) }

    private func structured(_ certificate: EncodedCertificate) -> String {
        ":\(Data(certificate.der).base64EncodedString()):"
    }

    private func escaped(_ certificate: EncodedCertificate) throws -> String {
        let pem =
            "-----BEGIN CERTIFICATE-----\n\(Data(certificate.der).base64EncodedString(options: .lineLength64Characters))\n-----END CERTIFICATE-----\n"
        return try #require(pem.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
    }

    private func dispatcher(_ seen: Seen) -> ServiceDispatcher {
        var dispatcher = Greeting.dispatcher
        dispatcher.middlewares = [seen]
        return dispatcher
    }

    /// Runs a server at a socket while `body` runs.
    private func serve(
        _ proxy: (inout TLSTerminatingProxy) -> Void = { _ in },
        _ change: (inout SOAPServer.Settings) -> Void = { _ in }, _ service: (inout HostedService) -> Void = { _ in },
        during body: (Seen) async throws -> Void
    ) async throws {
        let seen = Seen()
        var settings = SOAPServer.Settings()
        settings.unixSocketPath = socket
        settings.httpMiddlewares = [seen]
        var tlsProxy = TLSTerminatingProxy(
            .socket, certificateField: .clientCert, clients: .certificateRequired(.anchors(authority.bundle)))
        proxy(&tlsProxy)
        settings.tlsProxy = tlsProxy
        change(&settings)
        var hosted = HostedService(dispatcher(seen), path: "/soap")
        service(&hosted)
        let server = try SOAPServer.withoutTLS([hosted], settings: settings)
        #expect(try await server.start() == 0)
        do { try await body(seen) } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    private func call(_ fields: [String], _ arguments: [String] = []) async throws -> Int {
        try await curl(
            "http://localhost/soap",
            ["--unix-socket", socket, "--header", "Content-Type: text/xml", "--data-binary", Greeting.envelope("Ada")]
                + fields.flatMap { ["--header", $0] } + arguments
        ).status
    }

    @Test func theCertificateIsThatOfTheClientOfTheProxy() async throws {
        try await serve {
            $0.addressField = "X-Forwarded-For"
        } during: { seen async throws in
            let address = "X-Forwarded-For: 192.0.2.8"
            let status = try await call([
                "Client-Cert: \(structured(device.leaf))", "X-Forwarded-For: 198.51.100.9, 192.0.2.7",
            ])
            #expect(status == 200)
            #expect(seen.peer?.certificateSubject == "CN=device-7")
            #expect(seen.peer?.certificate == device.leaf.der)
            #expect(seen.peer?.certificateSHA256 == device.leaf.sha256)
            #expect(seen.peer?.remoteAddress == "192.0.2.7")
            #expect(seen.request?.remoteAddress == "192.0.2.7")
            // A handler cannot mistake the fields for something proved.
            let names = try #require(seen.request).fields.map(\.name.canonicalName)
            #expect(!names.contains("client-cert") && !names.contains("x-forwarded-for"), "\(names)")
            // The next request of the proxy is that of another client.
            #expect(try await call(["Client-Cert: \(structured(stranger.leaf))", address]) == 403)
            #expect(try await call([address]) == 403)
            #expect(seen.peers.withLock { $0.count } == 1)
            let good = "Client-Cert: \(structured(device.leaf))"
            #expect(try await call([good, "X-Forwarded-For: 2001:db8::7"]) == 200)
            #expect(seen.peer?.remoteAddress == "[2001:db8::7]")
            for bad in [[], ["X-Forwarded-For: unknown"], ["X-Forwarded-For: 192.0.2.7:80"], ["X-Forwarded-For;"]] {
                #expect(try await call([good] + bad) == 403, "\(bad)")
            }
        }
    }

    @Test func whatTheProxyShouldNotSayIsRefused() async throws {
        let good = structured(device.leaf)
        let many = Array(repeating: good, count: 10).joined(separator: ",")
        let log = LogCollector()
        try await serve {
            $0.certificateField = .clientCertAndChain
        } _: {
            $0.logger = log.logger
        } during: {
            seen async throws in
            for fields in [
                ["Client-Cert: \(good)", "Client-Cert: \(good)"], ["Client-Cert: \(good), \(good)"],
                ["Client-Cert: \(good.dropFirst())"], ["Client-Cert: :AAAA:"], ["Client-Cert: \"x\""],
                ["Client-Cert: \(good)", "Client-Cert-Chain: x"],
                ["Client-Cert: \(good)", "Client-Cert-Chain: \(many)"],
                ["Client-Cert: ::"], ["Client-Cert;"],
            ] { #expect(try await call(fields) == 403, "\(fields)") }
            #expect(seen.peer == nil)
            #expect(log.text.contains("has not taken out what the client sent"))
            #expect(try await call(["client-cert:   \(good)  "]) == 200)
            #expect(try await call(["Client-Cert: \(good);a=1"]) == 200)
        }
    }

    @Test func aCertificateInPEMAndOneOfSeveralLevels() async throws {
        try await serve {
            $0.certificateField = .escapedPEM("X-Client-Certificate")
        } during: { seen async throws in
            #expect(try await call(["X-Client-Certificate: \(try escaped(device.leaf))"]) == 200)
            #expect(seen.peer?.certificateSubject == "CN=device-7")
            for field in ["X-Client-Certificate: %ZZ", "X-Client-Certificate: none", "X-Client-Certificate;"] {
                #expect(try await call([field]) == 403, "\(field)")
            }
            // Another form than the one that is set.
            #expect(try await call(["Client-Cert: \(structured(device.leaf))"]) == 403)
        }
        let middle = try authority.issueIntermediate(commonName: "middle")
        let below = try middle.issueClient(commonName: "below")
        let chain = below.chain.map(structured).joined(separator: ", ")
        // The chain of a client counts only where the proxy says that it sets the field.
        try await serve { _ async throws in
            #expect(
                try await call(["Client-Cert: \(structured(below.leaf))", "Client-Cert-Chain: \(chain)"]) == 403)
        }
        try await serve {
            $0.certificateField = .clientCertAndChain
        } during: { seen async throws in
            #expect(try await call(["Client-Cert: \(structured(below.leaf))"]) == 403)
            #expect(
                try await call(["Client-Cert: \(structured(below.leaf))", "Client-Cert-Chain: \(chain)"]) == 200)
            #expect(seen.peer?.certificateSubject == "CN=below")
        }
    }

    @Test func aClientWithoutACertificateIsServedWhereItIsAllowed() async throws {
        let trust = TrustPolicy.anchors(authority.bundle)
        let requested = ClientAdmission.certificateOptional(trust) { $0.path.leaf?.subject != "CN=device-8" }
        try await serve {
            $0.clients = requested
        } during: { seen async throws in
            #expect(try await call([]) == 200)
            #expect(seen.peer?.certificate == nil)
            #expect(seen.peer?.remoteAddress == nil)
            #expect(try await call(["Client-Cert: \(structured(stranger.leaf))"]) == 403)
            let other = try authority.issueClient(commonName: "device-8")
            #expect(try await call(["Client-Cert: \(structured(other.leaf))"]) == 403)
        }
        try await serve({ $0.clients = requested }, { _ in }, { $0.requiresCertificate = true }) { _ async throws in
            #expect(try await call([]) == 403)
            #expect(try await call(["Client-Cert: \(structured(device.leaf))"]) == 200)
        }
    }

    /// Over mutual TLS only the proxy speaks for others.
    @Test(arguments: ["--http1.1", "--http2"])
    func onlyTheProxyHandsOnCertificates(version: String) async throws {
        let proxy = try authority.issueClient(commonName: "proxy")
        let seen = Seen()
        var settings = SOAPServer.Settings()
        settings.port = 0
        settings.httpMiddlewares = [seen]
        let log = LogCollector()
        settings.logger = log.logger
        let asked = Mutex<[String]>([])
        let admit: ClientAdmission.Decision = { question in
            let address = question.remoteAddress?.split(separator: ":").first ?? "nowhere"
            asked.withLock { $0.append("\(question.path.leaf?.subject ?? "") at \(address)") }
            return true
        }
        settings.tlsProxy = TLSTerminatingProxy(
            .certificates(sha256: [proxy.leaf.sha256]), certificateField: .clientCert,
            clients: .certificateRequired(.anchors(authority.bundle), admitting: admit), addressField: "X-Forwarded-For"
        )
        let server = try SOAPServer(
            dispatcher(seen), path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle), admitting: admit)),
            settings: settings)
        let port = try await server.start()
        let other = try authority.issueClient(commonName: "device-9")
        func call(as identity: Identity, _ fields: [String]) async throws -> Int {
            try await curl(
                "https://localhost:\(port)/soap",
                try curl.trusting(authority) + curl.showing(identity) + [
                    version, "--header", "Content-Type: text/xml", "--data-binary", Greeting.envelope("Ada"),
                ] + fields.flatMap { ["--header", $0] }
            ).status
        }
        let field = "Client-Cert: \(structured(device.leaf))"
        do {
            #expect(try await call(as: proxy, [field, "X-Forwarded-For: 192.0.2.7"]) == 200)
            #expect(seen.peer?.certificateSubject == "CN=device-7")
            #expect(seen.peer?.remoteAddress == "192.0.2.7")
            #expect(asked.withLock { $0 } == ["CN=proxy at 127.0.0.1", "CN=device-7 at 192.0.2.7"])
            // The proxy's own certificate is not that of its client.
            #expect(try await call(as: proxy, ["X-Forwarded-For: 192.0.2.7"]) == 403)
            // A certificate of the same authority, such as the proxy's next one, serves nobody until it is named.
            for fields in [[], ["X-Forwarded-For: 192.0.2.7"], [field, "X-Forwarded-For: 192.0.2.7"]] {
                #expect(try await call(as: other, fields) == 403)
            }
            #expect(log.text.contains("not one of the proxy's"))
            #expect(seen.peers.withLock { $0.count } == 1)
            await #expect(throws: SOAPServerError(.invalidConfiguration, "")) {
                try await server.replaceTLS(
                    with: .init(identity: .fixed(try authority.issueServer(dnsNames: ["localhost"]))))
            }
        } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }

    @Test func onlyTheOwnerAndTheGroupCanOpenTheSocket() async throws {
        try await serve { _ async throws in
            let attributes = try FileManager.default.attributesOfItem(atPath: socket)
            #expect(attributes[.posixPermissions] as? Int == 0o660)
        }
        // The file of the last run is replaced.
        try await serve { _ async throws in
            #expect(try await call(["Client-Cert: \(structured(device.leaf))"]) == 200)
        }
    }

    @Test func aSocketThatCannotBeMadeIsAnError() async throws {
        var settings = SOAPServer.Settings()
        func message(_ path: String) async throws -> String {
            settings.unixSocketPath = path
            let server = try SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
            let error = await #expect(throws: SOAPServerError.self) { try await server.start() }
            #expect(error?.code == .cannotListen)
            return error?.message ?? ""
        }
        #expect(try await message(curl.path("absent/s")).contains("absent/s"))
        // A folder that other users can enter.
        #expect(try await message(curl.path("s")).contains("other users have rights"))
        #expect(FileManager.default.createFile(atPath: socket, contents: Data("x".utf8)))
        #expect(try await message(socket).contains("is the file no other one"))
        #expect(FileManager.default.contents(atPath: socket) == Data("x".utf8))
        try FileManager.default.removeItem(atPath: socket)
        // A second server does not take the socket of the first.
        try await serve { seen async throws in
            #expect(try await message(socket).contains("a server listens at it"))
            #expect(try await call(["Client-Cert: \(structured(device.leaf))"]) == 200)
        }
    }

    @Test func revocationIsLookedUp() async throws {
        for policy in [RevocationPolicy.off, .soft, .hard] {
            let revocation = try RevocationServer()
            try revocation.issue("device", "extendedKeyUsage=clientAuth")
            var trust = TrustPolicy.anchors(try CertificateBundle(pem: revocation.openssl.bytes("root.pem")))
            trust.revocation = policy
            let all = try CertificateBundle(pem: revocation.openssl.bytes("device-chain.pem")).certificates
            let fields = [
                "Client-Cert: \(structured(try #require(all.first)))",
                "Client-Cert-Chain: \(all.dropFirst().map(structured).joined(separator: ","))",
            ]
            let log = LogCollector()
            for (isRevoked, expected) in [(false, 200), (true, policy == .off ? 200 : 403)] {
                if isRevoked { try revocation.revoke("device") }
                try await serve {
                    $0.certificateField = .clientCertAndChain
                    $0.clients = .certificateRequired(trust)
                } _: {
                    $0.logger = log.logger
                } during: { _ async throws in
                    #expect(try await call(fields) == expected, "\(policy.mode) \(log.text)")
                }
            }
            #expect(log.text.contains("not trusted") == (policy != .off))
        }
    }

    @Test func healthChecksOfTheProxyNeedNoCertificate() async throws {
        try await serve {
            $0.addressField = "X-Forwarded-For"
        } _: {
            $0.health = HealthChecks()
        } during: {
            _ async throws in
            let answer = try await curl("http://localhost/health/ready", ["--unix-socket", socket])
            #expect(answer.status == 200)
            #expect(try await call([]) == 403)
        }
    }

    @Test func theCertificateOfTheClientBelongsToAnAccount() async throws {
        let accounts = Accounts(MemoryServerState())
        try await accounts.add("ada", owning: device.leaf)
        try await serve({ _ in }, { _ in }) {
            $0.authentication = .certificate(accounts: accounts)
        } during: { seen async throws in
            let other = try authority.issueClient(commonName: "device-8")
            #expect(try await call(["Client-Cert: \(structured(other.leaf))"]) == 403)
            #expect(try await call(["Client-Cert: \(structured(device.leaf))"]) == 200)
            #expect(seen.peer?.user == "ada")
        }
    }

    @Test func theProxyProtocolNamesTheClientAtASocketToo() async throws {
        try await serve({ _ in }, { $0.usesProxyProtocol = true }) { seen async throws in
            func statuses(_ header: String) async throws -> [Int] {
                let connection = try FileHandle.connected(toSocket: socket)
                let fields = "Client-Cert: \(structured(device.leaf))\r\nConnection: close\r\n"
                connection.offer(Array((header + Wire.request("Ada", fields: fields)).utf8))
                return Wire.statuses(try await Wire.all(of: connection) ?? "")
            }
            #expect(try await statuses("PROXY TCP4 192.0.2.9 198.51.100.1 56324 443\r\n") == [200])
            #expect(seen.peer?.remoteAddress == "192.0.2.9:56324")
            #expect(try await statuses("PROXY UNKNOWN\r\n") == [200])
            #expect(seen.peer?.remoteAddress == nil)
            #expect(try await statuses("") == [])
        }
    }

    /// The limit is that of the proxy's client, until this one has proved something.
    @Test func aCertificateOfAClientFreesItsPlace() async throws {
        try await serve({ $0.clients = .certificateOptional(.anchors(authority.bundle)) }) {
            $0.usesProxyProtocol = true
            $0.maximumUnprovenConnectionsPerAddress = 2
        } during: { _ async throws in
            func held(_ fields: String) async throws -> (FileHandle, [Int]) {
                let connection = try FileHandle.connected(toSocket: socket)
                let header = "PROXY TCP4 192.0.2.9 198.51.100.1 56324 443\r\n"
                connection.offer(Array((header + Wire.request("Ada", fields: fields)).utf8))
                return (connection, Wire.statuses(try await connection.text(to: "Envelope>")))
            }
            var connections: [FileHandle] = []
            for _ in 0..<5 {
                let (connection, statuses) = try await held("Client-Cert: \(structured(device.leaf))\r\n")
                #expect(statuses == [200])
                connections.append(connection)
            }
            for expected in [[200], [200], []] {
                let (connection, statuses) = try await held("")
                #expect(statuses == expected)
                connections.append(connection)
            }
        }
    }

    @Test func settingsWithoutEffectAreErrors() throws {
        let trust = TrustPolicy.anchors(authority.bundle)
        let revocationProxy = ProxyConfiguration(.init(try Proxy("http://127.0.0.1:3128")))
        let tls = ServerTLSConfiguration(identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])))
        func proxy(
            _ recognition: TLSTerminatingProxy.Recognition, _ clients: ClientAdmission? = nil, _ address: String? = nil
        ) -> TLSTerminatingProxy {
            TLSTerminatingProxy(
                recognition, certificateField: .escapedPEM("X-Cert"), clients: clients ?? .certificateRequired(trust),
                addressField: address)
        }
        func message(
            isSecure: Bool = false, _ change: (inout SOAPServer.Settings) -> Void
        ) -> String? {
            var settings = SOAPServer.Settings()
            change(&settings)
            let error = #expect(throws: SOAPServerError.self) {
                try isSecure
                    ? SOAPServer(Greeting.dispatcher, tls: tls, settings: settings)
                    : SOAPServer.withoutTLS(Greeting.dispatcher, settings: settings)
            }
            #expect(error?.code == .invalidConfiguration)
            return error?.message
        }
        let digest: Set<[UInt8]> = [device.leaf.sha256]
        let cases: [(String, Bool, (inout SOAPServer.Settings) -> Void)] = [
            ("set unixSocketPath", false, { $0.tlsProxy = proxy(.socket) }),
            ("withoutTLS", true, { ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket), "/s") }),
            ("no TLS", false, { $0.tlsProxy = proxy(.certificates(sha256: digest)) }),
            ("requests none", true, { $0.tlsProxy = proxy(.certificates(sha256: digest)) }),
            ("32 bytes", true, { $0.tlsProxy = proxy(.certificates(sha256: [])) }),
            ("32 bytes", true, { $0.tlsProxy = proxy(.certificates(sha256: [[1]])) }),
            (
                "without a certificate", false,
                { ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket, .noCertificateRequested), "/s") }
            ),
            (
                "another meaning", false,
                { ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket, nil, "authorization"), "/s") }
            ),
            (
                "leave one of them out", false,
                {
                    ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket, nil, "X-Client"), "/s")
                    $0.usesProxyProtocol = true
                }
            ),
            (
                "looks up no revocation", false,
                {
                    var looking = proxy(.socket)
                    looking.revocationProxy = revocationProxy
                    ($0.tlsProxy, $0.unixSocketPath) = (looking, "/s")
                }
            ),
            ("no name", false, { ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket, nil, "a b"), "/s") }),
            ("the same field", false, { ($0.tlsProxy, $0.unixSocketPath) = (proxy(.socket, nil, "x-cert"), "/s") }),
            ("host and port", false, { ($0.unixSocketPath, $0.port) = ("/s", 0) }),
            ("host and port", false, { ($0.unixSocketPath, $0.host) = ("/s", "::") }),
            ("1 to 103", false, { $0.unixSocketPath = "" }),
            ("1 to 103", false, { $0.unixSocketPath = String(repeating: "x", count: 104) }),
            ("1 to 103", false, { $0.unixSocketPath = "/a\0b" }),
            ("proxies has no effect", false, { ($0.unixSocketPath, $0.proxies) = ("/s", ["10.0.0.1"]) }),
            (
                "has no effect", false, { ($0.unixSocketPath, $0.maximumUnprovenConnectionsPerAddress) = ("/s", 3) }
            ),
        ]
        for (words, isSecure, change) in cases {
            let text = message(isSecure: isSecure, change) ?? ""
            #expect(text.contains(words), "\(words): \(text)")
        }
    }
}

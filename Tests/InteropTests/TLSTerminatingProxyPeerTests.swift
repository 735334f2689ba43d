import Foundation
import Signet
import SignetServer
import SignetTesting
import Synchronization
import Testing

@testable import SignetDemo

/// nginx and HAProxy end the TLS of clients, and hand on their certificates to a service of Signet.
@Suite(.serialized) struct TLSTerminatingProxyPeerTests {
    enum Proxy: String, CaseIterable {
        case nginx, nginxOverMutualTLS, haproxy
    }

    private final class Seen: ServiceMiddleware {
        let peers = Mutex<[PeerDescription]>([])

        func intercept(
            _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
        ) async throws -> OperationAnswer {
            peers.withLock { $0.append(context.peer) }
            return try await next(context)
        }
    }

    private static let query = """
        <s:Envelope xmlns:s="http://schemas.xmlsoap.org/soap/envelope/"><s:Body>\
        <LogEntryQuery xmlns="urn:signet:example:webease:types"><patientId>1</patientId></LogEntryQuery></s:Body></s:Envelope>
        """

    /// Runs a service behind the proxy.
    ///
    /// - Parameter body: gets the port of the proxy, and the folder with the identities of clients.
    private func run(
        _ proxy: Proxy, _ authority: CertificateAuthority, during body: (Int, IdentityFiles, Seen) async throws -> Void
    ) async throws {
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        let proxyIdentity = try authority.issueClient(commonName: "proxy")
        try await files.write(proxyIdentity, as: "proxy")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let seen = Seen()
        var dispatcher = WebEase.dispatcher(MemoryDiary())
        dispatcher.middlewares = [seen]
        var settings = SOAPServer.Settings()
        settings.tlsProxy = TLSTerminatingProxy(
            proxy == .nginxOverMutualTLS ? .certificates(sha256: [proxyIdentity.leaf.sha256]) : .socket,
            certificateField: proxy == .haproxy ? .clientCert : .escapedPEM("X-Client-Certificate"),
            clients: .certificateRequired(.anchors(authority.bundle)), addressField: "X-Forwarded-For")
        let server: SOAPServer
        let socket = files.path("private/s")
        try FileManager.default.createDirectory(
            atPath: files.path("private"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o750])
        if proxy == .nginxOverMutualTLS {
            settings.port = 0
            server = try SOAPServer(
                dispatcher, path: "/soap",
                tls: .init(
                    identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                    clients: .certificateRequired(.anchors(authority.bundle))),
                settings: settings)
        } else {
            settings.unixSocketPath = socket
            server = try SOAPServer.withoutTLS(dispatcher, path: "/soap", settings: settings)
        }
        let port = try await server.start()
        let outcome: Result<Void, any Error>
        do {
            let entrance = try Port.free()
            switch proxy {
            case .nginx, .nginxOverMutualTLS:
                let upstream = proxy == .nginx ? "http://unix:\(socket)" : "https://127.0.0.1:\(port)"
                try await Nginx.run("nginx-ending-tls.conf", ["UPSTREAM": upstream], in: files, port: entrance) {
                    try await body(entrance, files, seen)
                }
            case .haproxy:
                let both = try ["server.pem", "server.key"].map {
                    try String(contentsOfFile: files.path($0), encoding: .utf8)
                }
                try files.write(both.joined(), as: "both.pem")
                try files.fill(
                    "haproxy-ending-tls.cfg", ["PORT": "\(entrance)", "UPSTREAM": "unix@\(socket)"], as: "haproxy.cfg")
                let command = PeerProcess.Command(
                    program: "haproxy", arguments: ["-db", "-f", "haproxy.cfg"], folder: files.folder, port: entrance)
                try await PeerProcess.run(command) { () async throws in try await body(entrance, files, seen) }
            }
            outcome = .success(())
        } catch { outcome = .failure(error) }
        await server.shutdown()
        try outcome.get()
    }

    private func call(
        _ port: Int, _ files: IdentityFiles, as client: String?, _ fields: [String] = []
    ) async throws -> String {
        let identity = client.map { ["--cert", files.path("\($0).pem"), "--key", files.path("\($0).key")] } ?? []
        return try await PeerProcess.output(
            of: .init(
                program: "curl",
                arguments: [
                    "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", "--ipv4",
                    "--interface", "127.0.0.5", "--cacert", files.path("clients.pem"), "--header",
                    "Content-Type: text/xml", "--write-out", " %{http_code}", "--data-binary", Self.query,
                    "https://localhost:\(port)/soap",
                ] + identity + fields.flatMap { ["--header", $0] })
        ).output
    }

    @Test(arguments: Proxy.allCases) func theServiceKnowsTheClientOfTheProxy(proxy: Proxy) async throws {
        let authority = try CertificateAuthority()
        try await run(proxy, authority) { port, files, seen async throws in
            let device = try authority.issueClient(commonName: "device-7")
            try await files.write(device, as: "device")
            try await files.write(try CertificateAuthority().issueClient(commonName: "device-7"), as: "stranger")
            #expect(try await call(port, files, as: "device").hasSuffix(" 200"))
            var peer = try #require(seen.peers.withLock { $0.last })
            #expect(peer.certificate == device.leaf.der)
            #expect(peer.remoteAddress == "127.0.0.5")
            for client in ["stranger", nil] {
                #expect(try await call(port, files, as: client).hasSuffix(" 403"), "\(client ?? "")")
            }
            // What a client says itself of a certificate or an address, in every form, has no effect.
            let structured = "Client-Cert: :\(Data(device.leaf.der).base64EncodedString()):"
            let pem = try String(contentsOfFile: files.path("device.pem"), encoding: .utf8)
            let escaped = try #require(pem.addingPercentEncoding(withAllowedCharacters: .alphanumerics))
            let chain = "Client-Cert-Chain: :\(Data(authority.bundle.certificates[0].der).base64EncodedString()):"
            let forged = [structured, chain, "X-Client-Certificate: \(escaped)", "X-Forwarded-For: 192.0.2.66"]
            #expect(try await call(port, files, as: nil, forged).hasSuffix(" 403"))
            #expect(try await call(port, files, as: "stranger", forged).hasSuffix(" 403"))
            #expect(try await call(port, files, as: "device", ["X-Forwarded-For: 192.0.2.66"]).hasSuffix(" 200"))
            peer = try #require(seen.peers.withLock { $0.last })
            #expect(peer.remoteAddress == "127.0.0.5")
            #expect(seen.peers.withLock { $0.count } == 2)
        }
    }
}

import Foundation
import HTTPTypes
import Signet
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Servers of HTTP/2 that ask for a client certificate.
@Suite(.serialized) struct HTTP2ServerTests {
    enum Server: String, CaseIterable, Sendable { case nginx, apache, haproxy, nghttpd }

    /// How many calls a server gets; `SIGNET_HTTP2_CALLS` sets another number for a long run.
    static let calls = ProcessInfo.processInfo.environment["SIGNET_HTTP2_CALLS"].flatMap { Int($0) } ?? 300

    private let files: IdentityFiles
    private let authority: CertificateAuthority
    private let identity: Identity
    private let port: Int

    init() async throws {
        files = try IdentityFiles()
        authority = try CertificateAuthority()
        identity = try authority.issueClient(commonName: "device-7")
        port = try Port.free()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
    }

    private func run(
        _ server: Server, requests: Int = 100_000, asksAlways: Bool = true, _ body: () async throws -> Void
    ) async throws {
        var command = PeerProcess.Command(program: server.rawValue, folder: files.folder, port: port)
        switch server {
        case .nginx:
            return try await Nginx.run(
                "nginx-http2.conf", ["REQUESTS": "\(requests)"], in: files, port: port, during: body)
        case .apache:
            try Apache.writePages(in: files)
            command = try Apache.command(
                "apache-http2.conf", ["ALWAYS": asksAlways ? "SSLVerifyClient require" : ""], files, port: port)
        case .haproxy:
            try files.join(["server.pem", "server.key"], as: "both.pem")
            try files.fill("haproxy-http2.cfg", ["PORT": "\(port)"], as: "haproxy.cfg")
            command.arguments = ["-db", "-f", "haproxy.cfg"]
        case .nghttpd:
            try Apache.writePages(in: files)
            command.arguments = [
                "--address=127.0.0.1", "--htdocs=pages", "--verify-client", "\(port)", "server.key", "server.pem",
            ]
        }
        try await PeerProcess.run(command, during: body)
    }

    private func configuration(_ change: (inout ConnectionConfiguration) -> Void = { _ in }) -> ConnectionConfiguration
    {
        var configuration = ConnectionConfiguration()
        configuration.trust = .anchors(authority.bundle)
        configuration.identity = .fixed(identity)
        change(&configuration)
        return configuration
    }

    /// Makes calls, twenty at a time.
    ///
    /// - Returns: the numbers of the connections that carried them.
    private func call(_ transport: NIOTransport, times: Int) async throws -> Set<Int> {
        let port = port
        return try await withThrowingTaskGroup(of: Int.self) { group in
            var connections: Set<Int> = []
            for number in 0..<times {
                if number >= 20, let connection = try await group.next() { connections.insert(connection) }
                group.addTask {
                    let endpoint = try Endpoint("https://localhost:\(port)/?\(number)")
                    let response = try await transport.send(ClientRequest(endpoint, method: .get))
                    #expect(response.status == .ok)
                    #expect(response.report.connection.httpVersion == "2")
                    #expect(response.report.connection.tls?.clientCertificate?.contains("device-7") == true)
                    return response.report.connection.number
                }
            }
            for try await connection in group { connections.insert(connection) }
            return connections
        }
    }

    private func withTransport(
        _ configuration: ConnectionConfiguration, _ body: (NIOTransport) async throws -> Void
    ) async throws {
        let transport = try NIOTransport(to: try Endpoint("https://localhost:\(port)/").origin, configuration)
        let result: Result<Void, any Error>
        do { result = .success(try await body(transport)) } catch { result = .failure(error) }
        try await transport.shutdown()
        try result.get()
    }

    @Test(arguments: Server.allCases) func manyCallsShareAConnection(server: Server) async throws {
        try await run(server) { () async throws in
            try await withTransport(configuration()) { transport async throws in
                // The first call shows that the server speaks HTTP/2.
                _ = try await call(transport, times: 1)
                let connections = try await call(transport, times: Self.calls)
                // A loaded Apache may end a connection, after which the calls go on over another.
                #expect(server == .apache ? connections.count < 5 : connections == [1], "\(connections)")
            }
        }
    }

    /// nginx ends a connection after so many requests, and the calls go on over another.
    @Test func noCallIsLostWhenNginxEndsConnections() async throws {
        try await run(.nginx, requests: 100) { () async throws in
            try await withTransport(configuration()) { transport async throws in
                #expect(try await call(transport, times: Self.calls).count >= Self.calls / 120)
            }
            let served = try String(contentsOf: files.folder.appending(path: "served.log"), encoding: .utf8)
                .split(separator: "\n").map { $0.split(separator: " ") }
            #expect(served.count == Self.calls)
            #expect(Set(served.compactMap { $0.last }).count == Self.calls)
            #expect(served.allSatisfy { $0.first == "HTTP/2.0" })
        }
    }

    @Test(arguments: [Server.nginx, .apache, .haproxy]) func aClientWithoutACertificateIsRefused(
        server: Server
    ) async throws {
        try await run(server) { () async throws in
            try await withTransport(configuration { $0.identity = nil }) { transport async throws in
                let request = ClientRequest(try Endpoint("https://localhost:\(port)/"), method: .get)
                if server == .nginx {
                    let answer = try await transport.send(request)
                    #expect(answer.status == .badRequest)
                    #expect(CertificateRefusal(answer) != nil)
                } else {
                    let error = await #expect(throws: TransportError.self) { try await transport.send(request) }
                    #expect(error?.code == .clientCertificateRequired)
                    #expect(error?.mayHaveBeenProcessed == false)
                }
            }
        }
    }

    /// The client asks the proxy over HTTP/1.1, and speaks HTTP/2 with the origin inside the tunnel.
    @Test(arguments: [false, true]) func callsShareATunnel(throughTLS: Bool) async throws {
        let proxies = try CertificateAuthority(commonName: "proxies")
        try await run(.nginx) { () async throws in
            try await ForwardProxy.run(authority: proxies) { proxy async throws in
                let address =
                    throughTLS ? "https://localhost:\(proxy.securePort)" : "http://localhost:\(proxy.port)"
                var configuration = configuration()
                configuration.proxy = .init(.init(try Proxy(address)))
                configuration.proxy.trust = .anchors(proxies.bundle)
                configuration.proxy.authentication = .init(
                    credentials: .fixed(.account(user: "clerk", password: "way out")))
                configuration.proxy.authentication.allowsPlaintext = true
                try await withTransport(configuration) { transport async throws in
                    _ = try await call(transport, times: 1)
                    #expect(try await call(transport, times: 100) == [1])
                }
            }
        }
    }

    /// Apache cannot ask for a certificate late over HTTP/2, so it demands HTTP/1.1, where a client of TLS 1.2 can
    /// answer it.
    @Test func apacheDemandsHTTP1ForALateCertificate() async throws {
        try await run(.apache, asksAlways: false) { () async throws in
            let late = ClientRequest(try Endpoint("https://localhost:\(port)/late/"), method: .get)
            let page = ClientRequest(try Endpoint("https://localhost:\(port)/"), method: .get)
            try await withTransport(configuration()) { transport async throws in
                #expect(try await transport.send(page).report.connection.httpVersion == "2")
                let answer = try await transport.send(late)
                #expect(answer.status == .forbidden)
                #expect(answer.report.connection.httpVersion == "1.1")
                #expect(CertificateRefusal(answer) == .askedLate)
                #expect(try await transport.send(page).report.connection.httpVersion == "1.1")
            }
            try await withTransport(configuration { $0.allowsIdentityInRenegotiation = true }) {
                transport async throws in
                let answer = try await transport.send(late)
                #expect(answer.status == .ok)
                #expect(answer.report.connection.httpVersion == "1.1")
            }
        }
    }
}

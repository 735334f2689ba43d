import Foundation
import Signet
import SignetServer
import SignetTesting
import Testing

@testable import SignetDemo

/// Proxies as clients of a service of Signet over HTTP/2, which demands a client certificate.
@Suite(.serialized) struct HTTP2ProxiedServerTests {
    enum Proxy: String, CaseIterable, Sendable { case haproxy, apache }

    private static let calls = HTTP2ServerTests.calls

    private func run(
        _ proxy: Proxy, to upstream: Int, _ authority: CertificateAuthority, _ body: (_ port: Int) async throws -> Void
    ) async throws {
        let files = try IdentityFiles()
        try await files.write(try authority.issueClient(commonName: "device-7"), as: "client")
        try files.join(["client.pem", "client.key"], as: "both.pem")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let port = try Port.free()
        var command = PeerProcess.Command(program: proxy.rawValue, folder: files.folder, port: port)
        switch proxy {
        case .haproxy:
            try files.fill(
                "haproxy-upstream-http2.cfg", ["PORT": "\(port)", "UPSTREAM": "\(upstream)"], as: "haproxy.cfg")
            command.arguments = ["-db", "-f", "haproxy.cfg"]
        case .apache:
            command = try Apache.command(
                "apache-upstream-http2.conf", ["UPSTREAM": "\(upstream)"], files, port: port)
        }
        try await PeerProcess.run(command) { () async throws in try await body(port) }
    }

    private static func entry(_ number: Int) throws -> WebEase.NewLogEntry {
        .init(
            patientId: "4711", entryDate: try #require(XSDDate.init("2026-03-29")), systolic: 121, diastolic: 79,
            weight: try #require(XSDDecimal.init("81.250")), flagged: false, kind: .device, tag: [], source: "\(number)"
        )
    }

    /// Neither proxy speaks HTTP/1.1 to the service.
    @Test(arguments: Proxy.allCases) func eachCallIsMadeOnceThroughAProxy(proxy: Proxy) async throws {
        let authority = try CertificateAuthority()
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            WebEase.dispatcher(MemoryDiary()), path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let upstream = try await server.start()
        let result: Result<Void, any Error>
        do {
            try await run(proxy, to: upstream, authority) { port async throws in
                let client = WebEase.Client(try ServiceConfiguration("http://localhost:\(port)/soap"))
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<Self.calls {
                        if number >= 20 { try await group.next() }
                        group.addTask {
                            let created = try await client.logEntryCreate(.init(entry: Self.entry(number)))
                            #expect(created.entry.source == "\(number)")
                        }
                    }
                    try await group.waitForAll()
                }
                let found = try await client.logEntryQuery(.init(patientId: "4711")).entry
                #expect(found.count == Self.calls && Set(found.map(\.source)).count == Self.calls)
                try await client.shutdown()
            }
            result = .success(())
        } catch { result = .failure(error) }
        await server.shutdown()
        try result.get()
    }
}

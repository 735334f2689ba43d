import Foundation
import HTTPTypes
import Signet
import SignetTesting
import Testing

@testable import SignetNIOTransport

/// Servers that demand a client certificate, each with a TLS of its own making.
@Suite(.serialized) struct TLSServerTests {
    enum Server: String, CaseIterable, Sendable { case haproxy, gnutls, openssl, apache }
    enum Version: String, CaseIterable, Sendable {
        case tls12 = "1.2"
        case tls13 = "1.3"
    }

    private static func command(
        _ server: Server, _ version: Version, _ files: IdentityFiles, port: Int
    ) throws -> PeerProcess.Command {
        var command = PeerProcess.Command(program: server.rawValue, folder: files.folder, port: port)
        switch server {
        case .haproxy:
            try files.join(["server.pem", "server.key"], as: "both.pem")
            try files.fill("haproxy.cfg", ["PORT": "\(port)", "VERSION": "TLSv\(version.rawValue)"], as: "haproxy.cfg")
            command.arguments = ["-db", "-f", "haproxy.cfg"]
        case .gnutls:
            command.program = "gnutls-serv"
            // It has no option for the address to listen at.
            command.arguments = [
                "--quiet", "--http", "--port", "\(port)", "--x509certfile", "server.pem", "--x509keyfile",
                "server.key", "--x509cafile", "clients.pem", "--require-client-cert", "--verify-client-cert",
                "--priority", "NORMAL:-VERS-ALL:+VERS-TLS\(version.rawValue)",
            ]
        case .openssl:
            command.arguments = [
                "s_server", "-accept", "127.0.0.1:\(port)", "-www", "-quiet", "-cert", "server.pem", "-key",
                "server.key", "-CAfile", "clients.pem", "-Verify", "2", "-verify_return_error",
                version == .tls12 ? "-tls1_2" : "-tls1_3",
            ]
        case .apache: command = try Apache.command(files, port: port, version: version.rawValue, always: true)
        }
        return command
    }

    /// The answer's status, or the code of the error.
    private func call(
        _ url: String, trusting authority: CertificateAuthority, as identity: Identity?
    ) async throws -> (String, ExchangeReport?) {
        let endpoint = try Endpoint(url)
        var configuration = ConnectionConfiguration()
        configuration.trust = .anchors(authority.bundle)
        if let identity { configuration.identity = .fixed(identity) }
        do {
            let answer = try await NIOTransport.answer(to: ClientRequest(endpoint, method: .get), configuration)
            return ("\(answer.status.code)", answer.report)
        } catch let error as TransportError {
            // GnuTLS says “access_denied”, which another might say after it has read a request.
            if !error.message.contains("access_denied") { #expect(!error.mayHaveBeenProcessed, "\(error)") }
            return (error.code.description, nil)
        }
    }

    @Test(arguments: Server.allCases, Version.allCases)
    func serversRequireATrustedClientCertificate(server: Server, version: Version) async throws {
        let files = try IdentityFiles()
        let (ours, strange) = (try CertificateAuthority(), try CertificateAuthority(commonName: "Strange"))
        try await files.write(try ours.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(ours.bundle.certificates, as: "clients.pem")
        let port = try Port.free()
        try await PeerProcess.run(try Self.command(server, version, files, port: port)) {
            let url = "https://localhost:\(port)/"
            let right = try await call(url, trusting: ours, as: try ours.issueClient(commonName: "device-7"))
            #expect(right.0 == "200")
            #expect(right.1?.connection.tls?.version == "TLS \(version.rawValue)")
            #expect(right.1?.connection.tls?.clientCertificate?.contains("device-7") == true)
            let missing = try await call(url, trusting: ours, as: nil).0
            #expect(missing == "clientCertificateRequired")
            let refused = try await call(url, trusting: ours, as: try strange.issueClient()).0
            #expect(refused == "clientCertificateRefused")
        }
    }

    // MARK: Late

    private func late(
        _ version: Version,
        _ body: (_ authority: CertificateAuthority, _ call: (String, Identity?, Bool) async throws -> ClientResponse)
            async throws -> Void
    ) async throws {
        let files = try IdentityFiles()
        let authority = try CertificateAuthority()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let port = try Port.free()
        let apache = try Apache.command(files, port: port, version: version.rawValue, always: false)
        try await PeerProcess.run(apache) {
            try await body(authority) { path, identity, isLate in
                let endpoint = try Endpoint("https://localhost:\(port)\(path)")
                var configuration = ConnectionConfiguration()
                configuration.trust = .anchors(authority.bundle)
                configuration.allowsIdentityInRenegotiation = isLate && identity != nil
                if let identity { configuration.identity = .fixed(identity) }
                return try await NIOTransport.answer(to: ClientRequest(endpoint, method: .get), configuration)
            }
        }
    }

    private static let client = HTTPField.Name("X-Client")

    @Test(arguments: Version.allCases) func lateCertificateRequestsAreAnswered(version: Version) async throws {
        try await late(version) { authority, call in
            let identity = try authority.issueClient(commonName: "device-7")
            let client = try #require(Self.client)
            // The server does not ask for a certificate in the first handshake.
            #expect(try await call("/", identity, false).fields[client] == "(null)")
            guard version == .tls12 else {
                // There is no second handshake in TLS 1.3, and nothing newer than 1.2 is offered.
                let error = await #expect(throws: TransportError.self) { try await call("/late/", identity, true) }
                #expect(error?.code == .tlsHandshakeFailed)
                #expect(error?.message.contains("1.2") == true, "\(String(describing: error))")
                let refused = try await call("/late/", identity, false)
                #expect(refused.status == .forbidden)
                #expect(CertificateRefusal(refused) == .askedLate)
                return
            }
            let answer = try await call("/late/", identity, true)
            #expect(answer.status == .ok)
            #expect(answer.fields[client] == "device-7")
            #expect(answer.report.connection.tls?.lateClientCertificate?.contains("device-7") == true)
            for identity in [nil, identity] {
                let error = await #expect(throws: TransportError.self) { try await call("/late/", identity, false) }
                #expect(error?.code == .clientCertificateRequired)
                #expect(error?.message.contains("second handshake") == true, "\(String(describing: error))")
            }
            let strange = try CertificateAuthority(commonName: "Strange").issueClient()
            let error = await #expect(throws: TransportError.self) { try await call("/late/", strange, true) }
            #expect(error?.code == .clientCertificateRefused, "\(String(describing: error))")
            // Apache has read the request before it asks.
            #expect(error?.mayHaveBeenProcessed == true)
        }
    }
}

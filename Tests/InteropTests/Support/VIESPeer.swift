import Foundation
import SignetTLS
import SignetTesting

/// VIES checkVat served by PHP, behind nginx, which demands a client certificate.
enum VIESPeer {
    /// Starts both, runs `body` with the port of nginx, and ends both. The server's name is `localhost`.
    ///
    /// - Parameter authority: issues the server's certificate, and the clients' that are let in.
    static func run<Value: Sendable>(
        wsdl: URL, authority: CertificateAuthority, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let (port, upstream) = (try Port.free(), try Port.free())
        let template = try String(contentsOf: PeerFile.url("nginx.conf"), encoding: .utf8)
        try files.write(
            template.replacing("@PORT@", with: "\(port)").replacing("@UPSTREAM@", with: "\(upstream)"), as: "nginx.conf"
        )
        let php = PeerProcess.Command(
            program: "php",
            arguments: ["-S", "127.0.0.1:\(upstream)", PeerFile.url("vies.php").path(percentEncoded: false)],
            environment: ["SIGNET_VIES_WSDL": wsdl.path(percentEncoded: false)], port: upstream)
        let nginx = PeerProcess.Command(
            program: "nginx",
            arguments: ["-p", files.folder.path(percentEncoded: false), "-e", "stderr", "-c", "nginx.conf"],
            port: port)
        return try await PeerProcess.run(php) {
            try await PeerProcess.run(nginx) { try await body(port) }
        }
    }
}

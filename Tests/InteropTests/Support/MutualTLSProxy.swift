import Foundation
import SignetTLS
import SignetTesting

/// nginx in front of a service on loopback. It demands a client certificate and hands its subject on.
enum MutualTLSProxy {
    /// Starts nginx, runs `body`, and ends nginx. The server's name is `localhost`.
    ///
    /// - Parameters:
    ///   - upstream: the port of the service, which speaks plain HTTP.
    ///   - authority: issues the server's certificate, and the clients' that are let in.
    static func run<Value: Sendable>(
        before upstream: Int, authority: CertificateAuthority, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        let port = try Port.free()
        return try await Nginx.run("nginx.conf", ["UPSTREAM": "\(upstream)"], in: files, port: port) {
            try await body(port)
        }
    }
}

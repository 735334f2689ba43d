import Foundation
import SignetTesting

/// VIES checkVat served by PHP, behind nginx, which demands a client certificate.
enum VIESPeer {
    /// Starts both, runs `body` with the port of nginx, and ends both. The server's name is `localhost`.
    ///
    /// - Parameter authority: issues the server's certificate, and the clients' that are let in.
    static func run<Value: Sendable>(
        wsdl: URL, authority: CertificateAuthority, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        try await PHPService(script: "vies.php", wsdl: wsdl).run { upstream in
            try await MutualTLSProxy.run(before: upstream, authority: authority, during: body)
        }
    }
}

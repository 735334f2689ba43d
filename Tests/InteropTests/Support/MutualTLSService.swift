import Signet
import SignetServer
import SignetTesting

/// A service of Signet that demands a client certificate.
enum MutualTLSService {
    /// Runs the service at `/echo` of a free port, and ends it after `body`, which gets its address.
    ///
    /// - Parameter authority: issues the server's certificate, and those of the clients that are let in.
    static func run(
        _ dispatcher: ServiceDispatcher, authority: CertificateAuthority,
        during body: (_ url: String) async throws -> Void
    ) async throws {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let server = try SOAPServer(
            dispatcher, path: "/echo",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let port = try await server.start()
        do { try await body("https://localhost:\(port)/echo") } catch {
            await server.shutdown()
            throw error
        }
        await server.shutdown()
    }
}

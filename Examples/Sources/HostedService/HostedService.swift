import Foundation
import ServiceLifecycle
import Signet
import SignetServer

/// A service that admits clients with a certificate of one authority, presents a renewed certificate of its own without
/// a restart, and completes its calls when a signal ends the program.
@main enum HostedService {
    static func main() async throws {
        let environment = ProcessInfo.processInfo.environment
        guard let folder = environment["IDENTITY"], let authority = environment["CLIENT_AUTHORITY"] else {
            FileHandle.standardError.write(
                Data("Set IDENTITY, a folder with tls.crt and tls.key, and CLIENT_AUTHORITY, a PEM file.\n".utf8))
            exit(2)
        }
        let clients = try CertificateBundle(pem: [UInt8](Data(contentsOf: URL(filePath: authority))))
        let logger = Logger(label: "diary")
        var settings = SOAPServer.Settings()
        settings.logger = logger
        let server = try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(identity: renewed(in: URL(filePath: folder)), clients: .certificateRequired(.anchors(clients))),
            settings: settings)
        try await ServiceGroup(
            services: [server], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger
        ).run()
    }

    /// One operation of the service; a request for another one is answered with a fault.
    static var dispatcher: ServiceDispatcher {
        ServiceDispatcher(
            name: "WebEase", versions: [.soap11],
            routes: [
                WebEase.Operations.logEntryDelete.route { input, context in
                    print("\(context.peer.certificateSubject ?? "?") deletes entry \(input.id)")
                    return .init(deleted: true)
                }
            ])
    }

    /// The server asks for the identity again at intervals, and presents a renewed one on new connections.
    static func renewed(in folder: URL) -> IdentitySource {
        IdentitySource(description: "the files in \(folder.path)") {
            let certificates = try Data(contentsOf: folder.appending(path: "tls.crt"))
            let key = try Data(contentsOf: folder.appending(path: "tls.key"))
            return try Identity(pem: [UInt8](certificates), privateKey: [UInt8](key))
        }
    }
}

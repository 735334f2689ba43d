import Foundation
import Hummingbird
import ServiceLifecycle
import Signet
import SignetEnrollment
import SignetServer
import SignetTesting

/// A web service with JSON before a SOAP service that demands a client certificate, and renews its certificate itself.
///
/// To show that, the program also runs the SOAP service and an authority, and asks itself before and after a renewal.
@main enum Gateway {
    static func main() async throws {
        // In production, the service and the authority are your partner's, and the authority is reached by EST or SCEP.
        let authority = try CertificateAuthority(commonName: "Example authority")
        let diary = try diary(authority)
        let port = try await diary.start()

        var service = try ServiceConfiguration("https://localhost:\(port)/soap")
        service.trust = .anchors(authority.bundle)
        // A real gateway keeps its identity in a DirectoryIdentityStore or a SQLiteIdentityStore.
        let identities = MemoryIdentityStore()
        let manager = try renewal(in: identities, for: service, by: DemoEnroller(authority: authority))
        service.identity = .stored("gateway", in: identities)
        let webEase = WebEase.Client(service)

        var logger = Logger(label: "gateway")
        logger.logLevel = .warning
        let (addresses, running) = AsyncStream.makeStream(of: Int.self)
        let application = Application(
            router: router(webEase), configuration: .init(address: .hostname("127.0.0.1", port: 0)),
            onServerRunning: { running.yield($0.localAddress?.port ?? 0) }, logger: logger)
        let visitor = Visitor(ports: addresses, events: manager.events())
        // Those named last end first: calls in progress still have the identity.
        try await ServiceGroup(
            configuration: .init(
                services: [
                    .init(service: manager), .init(service: application),
                    .init(service: visitor, successTerminationBehavior: .gracefullyShutdownGroup),
                ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        ).run()
        try await webEase.shutdown()
        await diary.shutdown()
        print("The gateway has ended.")
    }

    /// Keeps the identity `gateway` valid. A new one is used once the service has answered a call with it.
    private static func renewal(
        in identities: any IdentityStore, for service: ServiceConfiguration, by enroller: any Enroller
    ) throws -> IdentityManager {
        let proof = IdentityProof(trust: service.trust) { identity, trust in
            var service = service
            service.identity = identity.map { .fixed($0) }
            service.trust = trust
            return try service.makeTransport()
        } _: { transport in
            let client = WebEase.Client(
                ServiceCaller(endpoint: service.endpoint, transport: transport, settings: service.calls))
            _ = try await client.logEntryQuery(.init(patientId: "4711"))
        }
        let replacement = IdentityReplacement(of: "gateway", in: identities, provedBy: proof)
        var schedule = IdentityManager.Schedule()
        // The default renews some days earlier or later, so that not all clients come at once.
        schedule.jitter = 0
        return IdentityManager(
            of: Enrollment(with: enroller, as: try SubjectName("CN=gateway"), into: replacement), schedule: schedule)
    }

    private static func router(_ webEase: WebEase.Client) -> Router<BasicRequestContext> {
        let router = Router()
        router.get("patients/:patient/entries") { _, context in
            let patient = try context.parameters.require("patient")
            do {
                return try await webEase.logEntryQuery(.init(patientId: patient)).entry.map(Entry.init)
            } catch {
                // The client learns that the service failed, the operator why.
                context.logger.error("\(error)", metadata: ["diagnosis": "\(error.diagnosis?.summary ?? "none")"])
                throw HTTPError(.badGateway, message: "The diary does not answer as it should.")
            }
        }
        return router
    }

    /// The service of the partner: each entry names the certificate with which it was asked for.
    private static func diary(_ authority: CertificateAuthority) throws -> SOAPServer {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let dispatcher = ServiceDispatcher(
            name: "WebEase", versions: [.soap11],
            routes: [
                WebEase.Operations.logEntryQuery.route { input, context in
                    let fingerprint = (context.peer.certificateSHA256 ?? []).prefix(4).map { byte in
                        (byte < 16 ? "0" : "") + String(byte, radix: 16)
                    }
                    let entry = WebEase.LogEntry(
                        id: 1, patientId: input.patientId, entryDate: "2026-11-01",
                        recordedAt: "2026-11-01T08:00:00Z", systolic: 121, diastolic: 80, weight: 81, flagged: false,
                        kind: .device, revision: 1,
                        source: "\(context.peer.certificateSubject ?? "?"), SHA-256 \(fingerprint.joined())…")
                    return .init(entry: [entry], truncated: false)
                }
            ])
        return try SOAPServer(
            dispatcher, path: "/soap",
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
    }
}

/// An entry as the clients of the gateway see it.
struct Entry: ResponseCodable {
    var date: String
    var systolic: Int32
    var diastolic: Int32
    var source: String?

    init(_ entry: WebEase.LogEntry) {
        date = "\(entry.entryDate)"
        systolic = entry.systolic
        diastolic = entry.diastolic
        source = entry.source
    }
}

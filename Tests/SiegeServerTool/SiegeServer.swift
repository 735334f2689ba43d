#if Server
import Foundation
import Signet
import SignetCredentials
import SignetServer
import SignetTesting
import SignetWSSecurity

/// A server that demands proof in every way, for clients that have none: `siege-server [--connections N]`.
///
/// It prints its port, that of the same services over TLS for clients with certificates, and its settings as a line of JSON, and
/// serves until it is killed. Each service echoes; those below `/files` take attachments.
@main struct SiegeServer {
    static let operation = ServiceOperation<XMLAny, XMLAny>(
        name: "Echo", soapAction: "urn:siege", version: .soap11, input: XMLName("urn:siege", "Echo"),
        output: XMLName("urn:siege", "Echo"))

    static func main() async throws {
        var settings = SOAPServer.Settings()
        settings.port = 0
        let arguments = CommandLine.arguments
        if let place = arguments.firstIndex(of: "--connections"), arguments.indices.contains(place + 1),
            let connections = Int(arguments[place + 1])
        {
            settings.maximumConnections = connections
        }
        let accounts = Accounts(MemoryServerState(), verifiers: [.hash, .digest(realm: "siege", .sha256)])
        try await accounts.add("clerk", password: SecretBytes("way in"))
        let signer = try CertificateAuthority().issueClient(commonName: "signer")
        let ways: [(String, ServerAuthentication, (any RequestVerifier)?)] = [
            ("none", .none, nil), ("basic", .basic(realm: "siege", accounts: accounts), nil),
            ("digest", .digest(realm: "siege", accounts: accounts), nil),
            ("bearer", .bearer(realm: "siege") { _ in nil }, nil),
            ("token", .none, try UsernameTokenVerifier(accounts: accounts)),
            ("signature", .none, SignedMessageVerifier(SignaturePolicy(signers: [signer.leaf]))),
        ]
        var services: [HostedService] = []
        for (name, authentication, verifier) in ways {
            for takesAttachments in [false, true] {
                var dispatcher = ServiceDispatcher(
                    name: "Echo", versions: [.soap11, .soap12], takesAttachments: takesAttachments,
                    routes: [operation.route { input, _ in input }])
                if let verifier { dispatcher = dispatcher.verified(by: verifier) }
                services.append(
                    HostedService(
                        dispatcher, path: "\(takesAttachments ? "/files" : "")/\(name)", authentication: authentication)
                )
            }
        }
        let plain = try SOAPServer.withoutTLS(services, settings: settings)
        let authority = try CertificateAuthority()
        let secure = try SOAPServer(
            services,
            tls: .init(
                identity: .fixed(try authority.issueServer(dnsNames: ["localhost"])),
                clients: .certificateRequired(.anchors(authority.bundle))),
            settings: settings)
        let report: [String: Any] = [
            "plain": try await plain.start(), "secure": try await secure.start(), "requestBytes": 16 << 20,
            "attachmentBytes": AttachmentLimits().totalBytes, "spooledBytes": 1 << 30, "firstHead": 10, "idle": 60,
            "requestArrival": 60, "arrivalRate": settings.minimumArrivalRate,
            "connections": settings.maximumConnections,
        ]
        let line = try JSONSerialization.data(withJSONObject: report, options: .sortedKeys)
        try FileHandle.standardOutput.write(contentsOf: line + Data("\n".utf8))
        while true { try await Task.sleep(for: .seconds(3600)) }
    }
}
#endif

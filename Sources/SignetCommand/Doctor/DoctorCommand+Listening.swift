#if CommandLine
import ArgumentParser
import Foundation
import Signet
import SignetDoctor
import SignetNIOTLS
import SignetWSDL

extension DoctorCommand {
    /// Refuses what has no effect on a server.
    func validateListening() throws {
        if identity.identity == nil { throw ValidationError("--listen needs the server's own --identity.") }
        let ineffective: [(Bool, String)] = [
            (url != nil, "an address of a service"), (wsdl != nil, "--wsdl"), (save != nil, "--save"),
            (saveEvidence != nil, "--save-evidence"), (identity.identityAnyway, "--identity-anyway"),
            (identity.identityLate, "--identity-late"), (!trust.pin.isEmpty, "--pin"),
            (!trust.pinCertificate.isEmpty, "--pin-certificate"), (trust.insecureCiphers, "--insecure-ciphers"),
            (trust.onlyHTTP1, "--http1"),
            (proxy.proxy != nil, "--proxy"), (proxy.proxyAllowDigestWithoutQop, "--proxy-allow-digest-without-qop"),
        ]
        if let (_, name) = ineffective.first(where: { $0.0 }) {
            throw ValidationError("\(name) has no effect with --listen; leave it out.")
        }
        if let count, count < 1 { throw ValidationError("--count is at least 1.") }
    }

    func listen(on address: ListeningAddress) async throws {
        guard let own = try identity.loadIdentity() else { return }
        let policy = try TrustPolicy(anchors: trust.ca)
        var listener = ClientListener(own, clients: trust.ca.isEmpty ? .notRequested : .required(policy)) {
            Int64(Date().timeIntervalSince1970)
        }
        listener.stepLimit = .seconds(timeout)
        var hasFailed = false
        try await listener.run(on: address.host, port: address.port, count: count) { address in
            let asks = trust.ca.isEmpty ? "asks clients for no certificate; --ca makes it ask" : "demands a certificate"
            print("Listening on \(address) as “\(own.leaf.subject)”; \(asks).", to: &standardError)
        } ended: { report in
            if report.diagnosis.mostLikely != nil { hasFailed = true }
            let text = json ? TerminalText.json(report.json) : "\(TerminalText.block(report.text))\n"
            Output.line(text)
        }
        if hasFailed { throw ExitCode(1) }
    }
}
#endif

package import SignetDiagnosis
import SignetTLS

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a server of ours saw of one connection of a client.
package struct ClientReport: Sendable {
    /// When the client connected, in seconds since 1970.
    package let time: Int64
    package let client: ClientConnectionFacts
    package let diagnosis: Diagnosis

    /// - Parameter time: in seconds since 1970.
    package init(_ client: ClientConnectionFacts, at time: Int64) {
        self.client = client
        self.time = time
        var facts = DiagnosticFacts(now: time)
        facts.client = client
        diagnosis = Diagnosis(facts)
    }

    /// The report as JSON (RFC 8259) in one line:
    ///
    /// - `time`: when the client connected.
    /// - `client`: what was seen: `peer`, `isAsked`, `offer` (`versions`, `cipherSuites`, `serverName`,
    ///   `applicationProtocols`, `signatureSchemes`), `version`, `cipherSuite`, `certificates`, `verdict`, `alert`, `end`,
    ///   `problem`; members that are not known are absent.
    /// - `diagnosis`: the findings (``/SignetDiagnosis/Diagnosis/json``); the party `us` is the client's side.
    ///
    /// More members may be added.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let document = Document(time: UnixTime.text(time), client: client, diagnosis: diagnosis)
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private struct Document: Encodable {
        let time: String
        let client: ClientConnectionFacts
        let diagnosis: Diagnosis
    }

    /// The report for a terminal of 80 columns.
    package var text: String {
        var lines = ["\(UnixTime.text(time))  \(client.peer)  \(client.end.text)"]
        func add(_ text: String, depth: Int = 0) {
            lines += TextBlock.lines(text, indent: 2 + 2 * depth, hanging: 4 + 2 * depth)
        }
        func add(_ name: String, _ values: [String]) {
            if !values.isEmpty { add("\(name): \(values.joined(separator: ", "))") }
        }
        for finding in diagnosis.findings {
            add("\(finding.severity.rawValue.uppercased())  \(finding.title)")
            add("Who has to act: \(finding.party.textOfListener) [\(finding.code)]", depth: 1)
            for evidence in finding.evidence { add("- \(evidence)", depth: 1) }
            add("Why: \(finding.cause)", depth: 1)
            add("Next: \(finding.nextStep)", depth: 1)
            for other in finding.alternatives { add("Or \(other.code): \(other.difference)", depth: 1) }
        }
        if let offer = client.offer {
            add("offers: \(offer.versions.joined(separator: ", "))")
            add("server name: \(offer.serverName ?? "none")")
            add("protocols", offer.applicationProtocols)
            add("cipher suites", offer.cipherSuites)
            add("signature algorithms", offer.signatureSchemes)
        }
        add("agreed on", [client.version, client.cipherSuite].compactMap { $0 })
        if client.end == .onlyOpened { return lines.joined(separator: "\n") }
        if client.certificates.isEmpty {
            add(client.isAsked ? "shows no certificate" : "was not asked for a certificate")
        } else {
            add("shows:")
            for (depth, certificate) in client.certificates.enumerated() {
                for line in DoctorReport.describe(certificate, depth) { add(line.text, depth: line.depth + 1) }
            }
        }
        return lines.joined(separator: "\n")
    }
}

extension ClientConnectionFacts.End {
    /// How the connection ended, in words.
    fileprivate var text: String {
        switch self {
        case .answered: "answered"
        case .refused: "refused by the server"
        case .withoutCertificate: "refused by the server: no certificate"
        case .incompatible: "nothing in common"
        case .alert: "ended by the client's alert"
        case .closed: "closed by the client"
        case .onlyOpened: "closed without a byte"
        case .closedWithoutRequest: "closed by the client without a request"
        case .notTLS: "no TLS"
        case .timedOut: "silent"
        case .failed: "failed"
        }
    }
}

extension Diagnosis.Finding.Party {
    /// Who it is, for the operator of a server.
    fileprivate var textOfListener: String {
        switch self {
        case .us: "the client's side"
        case .them: "you, on the server's side"
        case .network: "the operator of the network between"
        case .either: "you, on the server's side, or the client's side"
        }
    }
}

import Foundation
import SignetDiagnosis
package import SignetHTTP
package import SignetTLS

/// What an examination saw, as files for the support of the other side.
///
/// There is no secret in it: no private key, no password, no credentials, no cookie and no content of requests. Queries
/// of URLs are left out. Certificates are public; those of the client are there, without its key.
package struct EvidenceBundle: Sendable {
    /// One file.
    package struct File: Sendable, Hashable {
        package let name: String
        /// What it is, for `README.txt`.
        package let purpose: String
        package let content: String
    }

    /// `README.txt` first.
    package let files: [File]

    /// - Parameter identity: what the client showed, or would have shown; nil without one.
    package init(of endpoint: Endpoint, _ result: Examination.Result, identity: PublicIdentity?) {
        let report = DoctorReport(
            of: endpoint, result.facts.withoutQueries(values: Self.queries(endpoint, result.facts)))
        var files = [
            File(
                name: "report.txt", purpose: "what was seen, what was found, and who has to act", content: report.text),
            File(name: "report.json", purpose: "the same for programs", content: report.json),
            File(
                name: "connections.txt",
                purpose: "each connection: when, to which address, which versions and suites, which alerts",
                content: Self.connections(report)),
        ]
        let issuers = Self.issuers(result.facts)
        if !issuers.isEmpty {
            files.append(
                File(
                    name: "acceptable-issuers.txt",
                    purpose: "the authorities that the server names in its request for a client certificate",
                    content: issuers.joined(separator: "\n")))
        }
        let (server, client) = (result.serverCertificates, identity?.chain ?? [])
        let certificates = [
            ("server-certificates.pem", "the certificates that the server showed, its own first", server),
            ("client-certificates.pem", "the certificates of the client, its own first; no private key", client),
        ]
        for (name, purpose, chain) in certificates where !chain.isEmpty {
            files.append(File(name: name, purpose: purpose, content: Self.pem(chain)))
        }
        files = files.map { File(name: $0.name, purpose: $0.purpose, content: $0.content + "\n") }
        self.files = [Self.readme(report, files)] + files
    }

    private static func readme(_ report: DoctorReport, _ files: [File]) -> File {
        var lines = TextBlock.lines(
            "These files say what a client saw when it connected to \(report.title), at \(report.time).", indent: 0)
        lines += [""] + files.flatMap { TextBlock.lines("\($0.name): \($0.purpose).", indent: 2, hanging: 4) } + [""]
        lines += TextBlock.lines(
            "There is no private key in them, no password, no credentials and no content of requests; queries of URLs are left out. Names of hosts, addresses and subjects of certificates are in them. All times are UTC, by the client's clock.",
            indent: 0)
        return File(
            name: "README.txt", purpose: "this text", content: lines.joined(separator: "\n") + "\n")
    }

    private static func connections(_ report: DoctorReport) -> String {
        var lines = ["\(report.title), examined at \(report.time)"]
        lines += DoctorReport.network(report.facts).map { "  \($0.text)" }
        for hop in report.facts.proxies {
            guard let handshake = hop.handshake else { continue }
            lines += ["", "TLS with the proxy \(hop.address)"] + Self.lines(handshake, peer: "proxy")
        }
        for probe in report.facts.probes {
            let time = probe.startedAt.map { "\(UnixTime.text($0)), " } ?? ""
            lines += ["", "\(time)\(probe.kind.text)"]
            func add(_ name: String, _ value: String?) { if let value { lines.append("  \(name): \(value)") } }
            add("server name", probe.serverName ?? "none")
            add("milliseconds", probe.milliseconds.map { "\($0)" })
            if let handshake = probe.handshake {
                lines += Self.lines(handshake, peer: "server")
                add("certificate shown", handshake.shownCertificate ?? "none")
            }
            for answer in probe.answers { add("answer to \(answer.method)", "\(answer.status)") }
            add("end", probe.end.text)
            add("problem", probe.problem)
        }
        return lines.joined(separator: "\n")
    }

    private static func lines(_ handshake: HandshakeFacts, peer: String) -> [String] {
        var lines: [String] = []
        func add(_ name: String, _ value: String?) { if let value { lines.append("  \(name): \(value)") } }
        add("version", handshake.version)
        add("cipher suite", handshake.cipherSuite)
        add("protocol", handshake.applicationProtocol)
        let request = handshake.request.map { $0.isLate ? "after a request" : "in the handshake" }
        add("asks for a certificate", request ?? "no")
        for alert in handshake.alerts {
            add("alert of the \(alert.isFromServer ? peer : "client")", "\(alert.name) (\(alert.code))")
        }
        add("reason of the client", handshake.localReason)
        return lines
    }

    private static func issuers(_ facts: DiagnosticFacts) -> [String] {
        let requests = facts.probes.compactMap(\.handshake?.request)
        return (requests.first { $0.isReadable && !$0.authorities.isEmpty })?.authorities ?? []
    }

    /// Text before a block is allowed in PEM (RFC 7468 §2).
    private static func pem(_ chain: [EncodedCertificate]) -> String {
        chain.map { certificate in
            """
            subject: \(certificate.subject)
            issuer: \(certificate.issuer ?? "")
            \(String(decoding: CertificateBundle([certificate]).pem, as: UTF8.self))
            """
        }.joined(separator: "\n")
    }

    /// A server may repeat a query in its answer.
    private static func queries(_ endpoint: Endpoint, _ facts: DiagnosticFacts) -> [String] {
        var found: Set<String> = []
        for url in [endpoint.url] + facts.ports.map(\.url) {
            let query = url.drop { $0 != "?" }.dropFirst()
            found.insert(String(query))
            for part in query.split(separator: "&") {
                let value = String(part.drop { $0 != "=" }.dropFirst())
                found.insert(value)
                if let plain = value.removingPercentEncoding { found.insert(plain) }
            }
        }
        // A short value is no secret, and may be part of any word.
        return found.filter { $0.count > 5 }.sorted { $0.count > $1.count }
    }
}

extension DiagnosticFacts {
    /// The same, without the queries of URLs.
    ///
    /// - Parameter values: what no text that came from a server may repeat.
    fileprivate func withoutQueries(values: [String]) -> DiagnosticFacts {
        func cut(_ text: String) -> String { values.reduce(text) { $0.replacing($1, with: "…") } }
        var facts = self
        for position in facts.ports.indices {
            facts.ports[position].url = String(facts.ports[position].printableURL.prefix { $0 != "?" && $0 != "#" })
        }
        for position in facts.issuerLookups.indices {
            let url = facts.issuerLookups[position].url
            facts.issuerLookups[position].url = String(url.prefix { $0 != "?" && $0 != "#" })
        }
        for position in facts.probes.indices {
            facts.probes[position].problem = facts.probes[position].problem.map(cut)
            if let text = facts.probes[position].handshake?.foreign?.text {
                facts.probes[position].handshake?.foreign?.text = cut(text)
            }
            for answer in facts.probes[position].answers.indices {
                let says = facts.probes[position].answers[answer].says
                facts.probes[position].answers[answer].says = says.map(cut)
            }
        }
        return facts
    }
}

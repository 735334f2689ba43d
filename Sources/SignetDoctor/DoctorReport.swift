package import SignetDiagnosis
package import SignetHTTP
import SignetTLS

/// What an examination found, for people: the facts by subject, and then the diagnosis.
package struct DoctorReport: Sendable {
    /// A subject with its facts.
    package struct Section: Sendable, Hashable {
        package let title: String
        /// Each with its depth.
        package let lines: [Line]
    }

    /// One fact.
    package struct Line: Sendable, Hashable {
        package let text: String
        /// How far it stands in: 0 for most.
        package let depth: Int

        init(_ text: String, depth: Int = 0) { (self.text, self.depth) = (text, depth) }
    }

    package let title: String
    package let time: String
    package let facts: DiagnosticFacts
    package let diagnosis: Diagnosis
    package let sections: [Section]

    package init(of endpoint: Endpoint, _ facts: DiagnosticFacts) {
        var facts = facts
        for position in facts.ports.indices { facts.ports[position].url = facts.ports[position].printableURL }
        title = "\(endpoint.origin)"
        time = UnixTime.text(facts.connectedAt ?? facts.now)
        self.facts = facts
        diagnosis = Diagnosis(facts)
        sections = [
            ("Network", Self.network(facts)), ("TLS", Self.handshakes(facts)),
            ("The proxy's certificates", Self.proxy(facts)), ("The server's certificates", Self.server(facts)),
            ("Trust", Self.trust(facts)),
            ("Our certificate", Self.identity(facts)), ("Revocation", Self.revocation(facts)),
            ("HTTP", Self.answers(facts)), ("Ports of the WSDL", Self.ports(facts)),
        ].compactMap { title, lines in lines.isEmpty ? nil : Section(title: title, lines: lines) }
    }

    /// The report for a terminal of 80 columns.
    package var text: String {
        var lines = ["\(title), examined at \(time)"]
        for section in sections {
            lines += ["", section.title]
            for line in section.lines {
                lines += TextBlock.lines(line.text, indent: 2 + 2 * line.depth, hanging: 4 + 2 * line.depth)
            }
        }
        return (lines + ["", "Findings", diagnosis.text]).joined(separator: "\n")
    }

    // MARK: Sections

    static func network(_ facts: DiagnosticFacts) -> [Line] {
        var lines: [Line] = []
        if let resolution = facts.resolution {
            let addresses = resolution.addresses.joined(separator: ", ")
            lines.append(Line("\(resolution.host): \(resolution.problem ?? addresses)"))
        }
        for attempt in facts.connections {
            let time = attempt.milliseconds.map { " after \($0) ms" } ?? ""
            lines.append(Line("\(attempt.address): \(attempt.outcome.text)\(time)"))
        }
        for hop in facts.proxies {
            let challenges = hop.challenges.map(\.scheme).joined(separator: ", ")
            lines.append(
                Line("proxy \(hop.address): \(hop.outcome.text)\(challenges.isEmpty ? "" : " (\(challenges))")"))
        }
        return lines
    }

    private static func handshakes(_ facts: DiagnosticFacts) -> [Line] {
        let proxies = facts.proxies.compactMap { hop in
            hop.handshake.map { Line("with the proxy: \(parts(of: $0, "the proxy").joined(separator: ", "))") }
        }
        return proxies
            + facts.probes.compactMap { probe in
                guard let handshake = probe.handshake else { return nil }
                let shown = handshake.shownCertificate == nil ? "none shown" : "ours shown"
                let said = parts(of: handshake, "the server", shown: shown) + [probe.end.text]
                return Line("\(probe.kind.text): \(said.joined(separator: ", "))")
            }
    }

    private static func parts(of handshake: HandshakeFacts, _ peer: String, shown: String? = nil) -> [String] {
        var parts = [handshake.version, handshake.cipherSuite, handshake.applicationProtocol].compactMap { $0 }
        if let request = handshake.request {
            parts.append(request.isLate ? "asks late for a certificate" : "asks for a certificate")
        }
        if let shown { parts.append(shown) }
        for alert in handshake.alerts {
            parts.append("alert \(alert.name) by \(alert.isFromServer ? peer : "the client")")
        }
        if let reason = handshake.localReason { parts.append(reason) }
        if let foreign = handshake.foreign { parts.append("no TLS, but \(foreign.kind.rawValue)") }
        return parts
    }

    private static func proxy(_ facts: DiagnosticFacts) -> [Line] {
        describe(facts.proxies.compactMap(\.handshake?.certificates))
    }

    private static func server(_ facts: DiagnosticFacts) -> [Line] {
        describe(facts.probes.compactMap(\.handshake?.certificates))
    }

    /// The first chain that is not empty.
    private static func describe(_ chains: [[CertificateFacts]]) -> [Line] {
        let chain = chains.first { !$0.isEmpty } ?? []
        return chain.enumerated().flatMap { depth, certificate in describe(certificate, depth) }
    }

    static func describe(_ certificate: CertificateFacts, _ depth: Int) -> [Line] {
        let branch = depth == 0 ? "" : "└ "
        var lines = [Line("\(branch)\(certificate.subject)", depth: depth)]
        if let from = certificate.notBefore, let to = certificate.notAfter {
            lines.append(Line("valid from \(UnixTime.text(from)) to \(UnixTime.text(to))", depth: depth + 1))
        }
        if !certificate.hosts.isEmpty {
            lines.append(Line("for \(certificate.hosts.joined(separator: ", "))", depth: depth + 1))
        }
        lines.append(Line("\(certificate.key), signed by \(certificate.signature)", depth: depth + 1))
        lines.append(Line("issued by \(certificate.issuer)", depth: depth + 1))
        if !certificate.pin.isEmpty { lines.append(Line("pin \(certificate.pin)", depth: depth + 1)) }
        return lines
    }

    private static func trust(_ facts: DiagnosticFacts) -> [Line] {
        facts.verdicts.map { verdict in
            guard let code = verdict.code else { return Line("\(verdict.policy): trusted") }
            let rule = verdict.rule.map { ", rule \($0)" } ?? ""
            return Line("\(verdict.policy): refused, \(code)\(rule). \(verdict.message)")
        } + facts.issuerLookups.map { Line($0.message) }
    }

    private static func identity(_ facts: DiagnosticFacts) -> [Line] {
        var lines: [Line] = []
        if let problem = facts.identityFile { lines.append(Line("cannot be used: \(problem.message)")) }
        if let identity = facts.identity {
            for (depth, certificate) in identity.chain.enumerated() { lines += describe(certificate, depth) }
            lines.append(Line("the path ends: \(identity.pathEnd.text)"))
            lines += identity.problems.map { Line($0.message) }
        }
        let requests = facts.probes.compactMap(\.handshake?.request)
        guard let request = requests.first(where: { $0.isReadable }) ?? requests.first else {
            if facts.probes.contains(where: { $0.handshake?.stage == .answered }) {
                lines.append(Line("The server asked for no certificate."))
            }
            return lines
        }
        lines.append(Line("The server asks for one \(request.isLate ? "after a request (late)" : "in the handshake")."))
        guard request.isReadable else { return lines }
        if !request.certificateTypes.isEmpty {
            lines.append(Line("kinds: \(request.certificateTypes.joined(separator: ", "))"))
        }
        if !request.signatureSchemes.isEmpty {
            lines.append(Line("signature schemes: \(request.signatureSchemes.joined(separator: ", "))"))
        }
        lines.append(
            Line(
                request.authorities.isEmpty
                    ? "It names no issuer: it may accept any."
                    : "It accepts these issuers, \(request.authorities.count):"))
        let shown = request.authorities.prefix(maximumAuthorities)
        lines += shown.map { Line($0, depth: 1) }
        if shown.count < request.authorities.count {
            lines.append(Line("and \(request.authorities.count - shown.count) more", depth: 1))
        }
        return lines
    }

    /// More issuers are counted only.
    private static let maximumAuthorities = 20

    private static func revocation(_ facts: DiagnosticFacts) -> [Line] {
        facts.revocations.map { Line("\($0.isOurs ? "ours" : "the server's"): \($0.message)") }
    }

    private static func answers(_ facts: DiagnosticFacts) -> [Line] {
        facts.probes.flatMap { probe in
            probe.answers.map { answer in
                var parts = ["\(answer.method) gives \(answer.status)"]
                if let type = answer.contentType { parts.append(type) }
                if let says = answer.says { parts.append("“\(says)”") }
                parts += answer.challenges.map { "\($0.scheme)\($0.realm.map { " realm \($0)" } ?? "")" }
                if let origin = answer.redirectOrigin { parts.append("redirects to \(origin)") }
                if !answer.intermediaries.isEmpty {
                    parts.append("signs of a proxy: \(answer.intermediaries.joined(separator: ", "))")
                }
                if let date = answer.date, let received = answer.receivedAt, abs(date - received) > 60 {
                    parts.append("its clock differs by \(abs(date - received)) s")
                }
                return Line("\(probe.kind.text): \(parts.joined(separator: ", "))")
            }
        }
    }

    private static func ports(_ facts: DiagnosticFacts) -> [Line] {
        facts.ports.map { port in
            let fit =
                port.isTarget
                ? "the one examined"
                : port.acceptsIdentity.map { $0 ? "accepts our issuer" : "does not accept our issuer" }
            return Line("\(port.name): \(port.url)\(fit.map { ", \($0)" } ?? "")")
        }
    }
}

extension PortFacts {
    /// The address without values in its query, and without a user or password, which an address in a WSDL may have.
    var printableURL: String {
        if let endpoint = try? Endpoint(url) { return "\(endpoint)" }
        let plain = url.prefix { $0 != "?" && $0 != "#" }
        return plain.split(separator: "/", omittingEmptySubsequences: false)
            .map { part in part.lastIndex(of: "@").map { "…\(part[$0...])" } ?? String(part) }
            .joined(separator: "/")
    }
}

extension ConnectionAttempt.Outcome {
    fileprivate var text: String {
        switch self {
        case .connected: "connected"
        case .refused: "refused"
        case .timedOut: "no answer"
        case .unreachable: "not reachable"
        case .closed: "closed at once"
        }
    }
}

extension ProxyHop.Outcome {
    fileprivate var text: String {
        switch self {
        case .open: "passes connections on"
        case .unreachable: "not reachable"
        case .credentialsRequired: "demands credentials"
        case .refused: "refused"
        case .tlsFailed: "TLS with it failed"
        }
    }
}

extension Probe.Kind {
    /// What the connection is for, in words.
    var text: String {
        switch self {
        case .usual: "as a call"
        case .tls12: "TLS 1.2"
        case .tls12WithoutIdentity: "TLS 1.2, no identity"
        case .tls13: "TLS 1.3"
        case .withoutServerName: "without a server name"
        case .withServerName: "with another server name"
        case .smallHello: "small first message"
        case .insecureCipherSuites: "insecure cipher suites"
        case .direct: "past the proxy"
        case .plain: "without TLS"
        case .secured: "with TLS"
        case .document: "the WSDL"
        }
    }
}

extension IdentityFacts.PathEnd {
    fileprivate var text: String {
        switch self {
        case .root: "in a root"
        case .missing: "at an issuer whose certificate is not there"
        case .broken: "at an issuer whose certificate has another key"
        case .unknown: "unknown"
        }
    }
}

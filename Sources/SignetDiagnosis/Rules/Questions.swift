import SignetTLS

/// The questions that the rules ask of the facts.
extension DiagnosticFacts {
    /// What the library itself does.
    var usual: Probe? { probe(.usual) }

    func probe(_ kind: Probe.Kind) -> Probe? { probes.first { $0.kind == kind } }

    /// The last answer to what the library itself does.
    var answer: AnswerFacts? { usual?.answers.last }

    /// All answers of the service over all connections.
    var answers: [AnswerFacts] { probes.filter { $0.kind != .document }.flatMap(\.answers) }

    /// Whether the library gets an answer of the service.
    var isServed: Bool {
        guard let usual, usual.end == .completed else { return false }
        return usual.answers.last.map { $0.isFromService && !$0.isRefusal } ?? true
    }

    /// Whether it is known that the library gets none.
    var isFailing: Bool { usual != nil && !isServed }

    var address: String { target.map { "\($0.host):\($0.port)" } ?? "the server" }

    // MARK: The request for a certificate

    /// The connections to this host and name on which a server can have asked for a certificate.
    private var asking: [Probe] {
        probes.filter { ![.withoutServerName, .withServerName, .plain, .secured, .document].contains($0.kind) }
    }

    private var requests: [HandshakeFacts.Request] { asking.compactMap(\.handshake?.request) }

    /// The request that says most.
    var request: HandshakeFacts.Request? {
        requests.first { $0.isReadable } ?? requests.first { !$0.isLate } ?? requests.first
    }

    var asksEarly: Bool { requests.contains { !$0.isLate } }

    var asksLate: Bool {
        !asksEarly && (requests.contains(where: \.isLate) || answers.contains { $0.certificateRemark == .askedLate })
    }

    /// Whether handshakes were complete, and in none of them a certificate was asked for.
    var neverAsks: Bool {
        !asksEarly && !asksLate && asking.contains { ($0.handshake?.stage ?? .nothing) >= .finished }
    }

    /// Whether the server names one of our issuers; nil when it names none at all, or it is not known.
    var isIssuerListed: Bool? { identity.flatMap { identity in request.flatMap { $0.accepts(identity) } } }

    // MARK: Refusals

    /// How a server refuses a certificate, or the lack of one.
    struct CertificateRefusalSign {
        var text: String
        var alert: TLSAlert?
        var isShown: Bool
        var isLate: Bool
    }

    /// The first sign that the server refuses what the client showed, or that it showed nothing. What a probe without
    /// the identity meets says nothing about the identity.
    var certificateRefusal: CertificateRefusalSign? {
        for probe in asking where probe.hasIdentity == (identity != nil) && probe.kind != .tls12WithoutIdentity {
            if let sign = Self.sign(in: probe) { return sign }
        }
        return nil
    }

    private static func sign(in probe: Probe) -> CertificateRefusalSign? {
        guard let handshake = probe.handshake else { return nil }
        let isShown = handshake.shownCertificate != nil
        let version = handshake.version.map { " in \($0)" } ?? ""
        func sign(_ text: String, _ alert: TLSAlert? = nil) -> CertificateRefusalSign {
            CertificateRefusalSign(
                text: text, alert: alert, isShown: isShown, isLate: handshake.request?.isLate == true)
        }
        if let found = handshake.alerts.first(where: \.isFromServer) {
            let isAsked = handshake.request != nil || isShown
            // GnuTLS cannot read the empty list by which a TLS 1.2 client says that it has no certificate.
            let isUnread = found.alert == .decodeError && !isShown
            guard found.alert.namesCertificate || isAsked && (found.alert.concernsCertificate || isUnread) else {
                return nil
            }
            return sign("The server sent the alert \(found.name)\(version): \(found.alert.meaning).", found.alert)
        }
        if let answer = probe.answers.last {
            switch answer.certificateRemark {
            case .refused: return sign("The server answered \(answer.status): it did not accept the certificate.")
            case .missing where !isShown && handshake.request != nil:
                return sign("The server asked for a certificate, got none, and answered \(answer.status).")
            default: return nil
            }
        }
        guard handshake.request != nil, handshake.stage >= .serverHello else { return nil }
        switch probe.end {
        case .closed, .reset:
            let what = probe.end == .closed ? "closed" : "reset"
            return sign(
                "The server \(what) the connection\(version) when it had got our answer to its request for a certificate, without an alert."
            )
        default: return nil
        }
    }

    /// The sign that the server refuses the certificate that the client showed.
    var shownRefusal: CertificateRefusalSign? {
        guard identity != nil, isFailing, let found = certificateRefusal, found.isShown else { return nil }
        return found
    }

    /// The answer that refuses the caller although the handshake was complete, and that offers no credentials.
    var accessRefusal: AnswerFacts? {
        guard let answer, answer.isRefusal, answer.certificateRemark == nil,
            !answer.challenges.contains(where: \.isSupported)
        else { return nil }
        return answer
    }

    /// Whether the server refuses us in the handshake or afterwards, and what shows it.
    var anyRefusal: String? {
        if let shownRefusal { return shownRefusal.text }
        guard identity != nil, let refused = accessRefusal else { return nil }
        return "The server answered \(refused.status) after a complete handshake."
    }

    /// When our certificate begins to be valid, where the connections were made before.
    var identityBegin: Int64? {
        guard let connectedAt, let begin = identity?.chain.first?.notBefore, begin > connectedAt else { return nil }
        return begin
    }

    // MARK: The server's certificates

    /// The verdict of the client's own policy, if it refuses the server. A connection of today says nothing about a
    /// later time.
    var verdict: TrustVerdict? {
        guard usual == nil || isFailing || connectedAt != nil, let own = verdicts.first, own.code != nil else {
            return nil
        }
        return own
    }

    /// The evidence of a refusal by the client's own policy with one of these codes.
    func refusal(_ codes: TrustError.Code...) -> [String]? {
        guard let verdict, codes.contains(where: { verdict.isRefused($0) }) else { return nil }
        return [verdict.message] + (verdict.rule.map { ["The rule is \($0)."] } ?? [])
    }

    /// The server's certificates as any connection showed them.
    var serverCertificates: [CertificateFacts] {
        let shown = asking.compactMap { $0.handshake?.certificates }.first { !$0.isEmpty }
        return shown ?? verdicts.first?.certificates ?? []
    }

    // MARK: Clocks

    /// How far the server's clock is ahead of ours in seconds, where an answer shows a difference of five minutes.
    var clockDifference: Int64? {
        for answer in answers {
            guard let date = answer.date, let received = answer.receivedAt else { continue }
            let (difference, overflow) = date.subtractingReportingOverflow(received)
            if !overflow, difference.magnitude > 300 { return difference }
        }
        return nil
    }

    var clockEvidence: [String]? {
        guard let difference = clockDifference else { return nil }
        let hours = difference.magnitude / 3_600
        let minutes = difference.magnitude / 60 % 60
        let direction = difference > 0 ? "ahead of" : "behind"
        return ["The server's clock (the Date field) is \(hours) h \(minutes) min \(direction) ours."]
    }
}

/// Words in the names of authorities and hosts.
enum NameWords {
    /// What marks something as meant for tests.
    static let test: Set<String> = [
        "test", "tests", "testing", "tst", "staging", "stage", "preprod", "preproduction", "sandbox", "demo", "uat",
        "qa",
        "pruebas", "prueba", "trial", "dummy", "acceptance", "integration", "fake", "prep",
    ]
    private static let production: Set<String> = ["prod", "production", "productive", "live", "real", "produccion"]
    /// What most names of authorities have.
    private static let common: Set<String> = [
        "ca", "root", "authority", "certification", "certificate", "certificates", "intermediate", "issuing", "sub",
        "subordinate", "client", "server", "the", "of", "for", "and", "tls", "ssl", "rsa", "ecc", "cn", "o", "ou", "c",
        "inc", "ltd", "gmbh", "sa", "pki", "trust", "new", "old", "other",
    ]

    static func words(_ text: String) -> Set<String> {
        Set(text.lowercased().split { !$0.isLetter && !$0.isNumber }.map(String.init))
    }

    static func isForTests(_ name: String) -> Bool { !words(name).isDisjoint(with: test) }

    /// Whether two names differ only in the words that tell tests from production.
    static func differInEnvironment(_ left: String, _ right: String) -> Bool {
        let (left, right) = (words(left), words(right))
        guard left.isDisjoint(with: test) != right.isDisjoint(with: test) else { return false }
        let marks = test.union(production)
        let rest = left.subtracting(marks)
        return !rest.subtracting(common).isEmpty && rest == right.subtracting(marks)
    }

    /// Whether two names have an uncommon word in common, as the names of one organisation's authorities do.
    static func areRelated(_ left: String, _ right: String) -> Bool {
        let ignored = common.union(test).union(production)
        let shared = words(left).intersection(words(right)).subtracting(ignored)
        return shared.contains { $0.count > 2 && !$0.allSatisfy(\.isNumber) }
    }

    /// Whether a host is one that users call by its public name; addresses and local names say nothing.
    static func isPublicHost(_ host: String) -> Bool {
        let labels = host.split(separator: ".")
        guard labels.count > 1, let last = labels.last, !host.contains(":") else { return false }
        return !last.allSatisfy(\.isNumber) && !["localhost", "test", "local", "invalid", "internal"].contains(last)
    }
}

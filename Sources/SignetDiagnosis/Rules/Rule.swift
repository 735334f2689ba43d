/// One row of the table of what can be found: a finding, and the function that looks for its evidence.
struct Rule: Sendable {
    let code: Finding.Code
    let severity: Finding.Severity
    let party: Finding.Party
    /// How likely the finding is the reason when its evidence is there, from 0 to 100. Only the order counts.
    let weight: Int
    /// Whether it only says that something failed. It is left out when another rule says why.
    let isGeneral: Bool
    let title: String
    let cause: String
    let nextStep: String
    let alternatives: [Finding.Alternative]
    /// Nil when the facts do not show it.
    let evidence: @Sendable (DiagnosticFacts) -> [String]?

    init(
        _ code: Finding.Code, _ party: Finding.Party, _ weight: Int, as severity: Finding.Severity = .failure,
        isGeneral: Bool = false, _ title: String, cause: String, next: String,
        or alternatives: [(Finding.Code, String)] = [], _ evidence: @escaping @Sendable (DiagnosticFacts) -> [String]?
    ) {
        self.code = code
        self.severity = severity
        self.party = party
        self.weight = weight
        self.isGeneral = isGeneral
        self.title = title
        self.cause = cause
        self.nextStep = next
        self.alternatives = alternatives.map { Finding.Alternative(code: $0.0, difference: $0.1) }
        self.evidence = evidence
    }

    func finding(_ evidence: [String]) -> Finding {
        Finding(
            code: code, severity: severity, party: party, title: title, evidence: evidence, cause: cause,
            nextStep: nextStep, alternatives: alternatives)
    }

    /// All rules. Where two have the same code, the one with more severity, then with more weight, counts.
    static let all: [Rule] =
        identityFile + identity + network + handshake + server + certificateRequest + certificateRefusal + answers
        + remarks + client
}

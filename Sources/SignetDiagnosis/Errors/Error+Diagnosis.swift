import SignetAuthentication

extension Error {
    /// Why the call that threw this error failed, as far as the error alone shows it, by the clock of this machine; nil
    /// for errors that are not about a connection, such as a cancelled call, and for those of other libraries.
    ///
    /// `signet doctor` probes the service, and knows more: the alternatives of a finding say what to look for.
    public var diagnosis: Diagnosis? { diagnosis(at: Int64(clamping: SystemClock.now.seconds)) }

    /// The same with a clock of your own.
    ///
    /// - Parameter now: seconds since 1970 in UTC.
    public func diagnosis(at now: Int64) -> Diagnosis? {
        guard let facts = DiagnosticFacts(self, at: now) else { return nil }
        let diagnosis = Diagnosis(facts)
        return diagnosis.findings.isEmpty ? nil : diagnosis.quoting("\(self)")
    }
}

extension Diagnosis {
    /// The same with the message of an error as evidence of what is most likely.
    fileprivate func quoting(_ message: String) -> Diagnosis {
        guard let first = findings.first, !first.evidence.contains(message) else { return self }
        return Diagnosis(findings: [first.adding(evidence: message)] + findings.dropFirst())
    }
}

extension Finding {
    fileprivate func adding(evidence message: String) -> Finding {
        Finding(
            code: code, severity: severity, party: party, title: title, evidence: evidence + [message], cause: cause,
            nextStep: nextStep, alternatives: alternatives)
    }
}

#if CommandLine
import SignetWSDL

/// The report as text for a terminal.
struct IdentityText {
    /// The maximum number of names shown for one certificate; JSON has them all.
    private static let maximumNames = 20

    private let style: Style
    private(set) var lines: [String] = []

    init(_ report: IdentityReport, style: Style) {
        self.style = style
        lines.append("\(style.bold(TerminalText.line(report.file)))  \(TerminalText.line(report.format))")
        for protection in report.protections { lines.append("  protected by \(TerminalText.line(protection))") }
        if report.protections.isEmpty, !(report.identities.isEmpty && report.keys.isEmpty) {
            lines.append("  \(style.warning("not protected: every reader of the file has the key"))")
        }
        for problem in report.problems { lines.append("  \(mark(false)) \(TerminalText.line(problem))") }
        for path in report.identities { add(path) }
        // With certificates, the problem of the key is already listed above.
        for key in report.keys { add(key, remark: report.certificates.isEmpty ? ", without a certificate" : "") }
        for path in report.certificates { add(path) }
        if report.certificatesNotShown > 0 {
            lines += ["", "\(report.certificatesNotShown) more certificates are not shown."]
        }
    }

    private mutating func add(_ path: IdentityReport.Path) {
        let label = path.label.map { " “\(TerminalText.line($0))”" } ?? ""
        let kind = path.key == nil ? "Certificate" : "Identity"
        let key = path.key.map { "  with its key, \(TerminalText.line($0.algorithm))" } ?? ""
        lines += ["", "\(style.bold("\(kind)\(label)"))\(key)"]
        for (level, certificate) in path.path.enumerated() {
            add(certificate, level: level, isLast: level == path.path.count - 1 && path.end.kind == .root)
        }
        addEnd(path.end, level: path.path.count)
        for problem in path.problems { add(problem, at: 1) }
        for use in path.uses { add(use, hasKey: path.key != nil) }
    }

    private mutating func add(_ key: IdentityReport.Key, remark: String) {
        let label = key.label.map { " “\(TerminalText.line($0))”" } ?? ""
        lines += ["", "\(style.bold("Key\(label)"))  \(TerminalText.line(key.algorithm))\(remark)"]
        if let reason = key.reasonNotUsable { lines.append("  \(mark(false)) \(TerminalText.line(reason))") }
    }

    /// One level of the tree: each issuer is printed below and to the right of the certificate that it issued.
    private mutating func add(_ certificate: IdentityReport.Certificate, level: Int, isLast: Bool) {
        let remarks = [
            certificate.issuer == certificate.subject ? "root" : nil,
            certificate.isFromAuthorities ? "from the authorities given" : nil,
        ].compactMap { $0 }
        let remark = remarks.isEmpty ? "" : style.dim("  (\(remarks.joined(separator: ", ")))")
        lines.append("\(branch(level))\(style.bold(certificate.subject))\(remark)")
        let margin = String(repeating: " ", count: 2 + 3 * level) + (isLast ? "  " : "│ ")
        for (name, value) in fields(of: certificate, isFirst: level == 0) {
            let padding = String(repeating: " ", count: max(0, 10 - name.count))
            lines.append("\(margin)\(style.dim(name))\(padding)\(value)")
        }
    }

    private func fields(of certificate: IdentityReport.Certificate, isFirst: Bool) -> [(String, String)] {
        let days = certificate.daysLeft
        let left = days < 0 ? "ended" : days == 1 ? "1 day left" : "\(days) days left"
        var fields = [("valid", "\(certificate.notBefore) to \(certificate.notAfter), \(left)")]
        if !certificate.names.isEmpty {
            let shown = certificate.names.prefix(Self.maximumNames).joined(separator: ", ")
            let more = certificate.names.count - Self.maximumNames
            fields.append(("names", more > 0 ? "\(shown) and \(more) more" : shown))
        }
        if isFirst, certificate.isAuthority {
            fields.append(("authority", certificate.pathLength.map { "with at most \($0) below" } ?? "yes"))
        }
        if let usage = certificate.keyUsage, isFirst { fields.append(("key usage", usage.joined(separator: ", "))) }
        if let usage = certificate.extendedKeyUsage { fields.append(("for", usage.joined(separator: ", "))) }
        fields.append(("key", "\(certificate.key), signed by \(certificate.signature)"))
        if isFirst { fields.append(("serial", certificate.serialNumber)) }
        fields.append(("SHA-256", certificate.sha256))
        fields.append(("pin", certificate.pin))
        return fields
    }

    private mutating func addEnd(_ end: IdentityReport.End, level: Int) {
        let issuer = end.issuer ?? ""
        let text: String? =
            switch end.kind {
            case .root: nil
            case .missing: "\(issuer)  (absent)"
            case .broken: "\(issuer)  (another one of this name: it did not sign)"
            case .tooLong: "…  (too long)"
            }
        if let text { lines.append(branch(level) + style.warning(text)) }
    }

    private func branch(_ level: Int) -> String {
        level == 0 ? "  " : String(repeating: " ", count: 3 * level - 1) + "└─ "
    }

    private mutating func add(_ problem: IdentityReport.Problem, at level: Int) {
        let indent = String(repeating: "  ", count: level)
        let isError = problem.severity == "error"
        lines.append("\(indent)\(isError ? mark(false) : style.warning("!")) \(TerminalText.line(problem.message))")
    }

    private mutating func add(_ use: IdentityReport.Use, hasKey: Bool) {
        let name =
            switch use.role {
            case .client: "TLS client"
            case .server:
                use.hosts.isEmpty
                    ? "TLS server" : "TLS server for \(use.hosts.prefix(Self.maximumNames).joined(separator: ", "))"
            case .signing: "signing only"
            }
        let trust = use.isTrusted == true ? ", and the authorities given vouch for it" : ""
        let condition = use.works && !hasKey ? ", with its key" : ""
        lines.append("  \(mark(use.works)) \(TerminalText.line(name))\(condition)\(trust)")
        for problem in use.problems { add(problem, at: 3) }
    }

    private func mark(_ isGood: Bool) -> String { isGood ? style.good("✓") : style.bad("✗") }
}
#endif

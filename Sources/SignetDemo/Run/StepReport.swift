#if CommandLine
import SignetSOAP

/// The result of one step of the demonstration.
public struct StepReport: Sendable, Codable {
    /// How a step ended.
    public enum Outcome: String, Sendable, Codable {
        case passed, failed
        /// The machine does not allow the step.
        case notRun
    }

    public let title: String
    public var outcome: Outcome
    public var lines: [String]
    public var seconds: Double

    init(title: String) {
        self.title = title
        outcome = .passed
        lines = []
        seconds = 0
    }

    mutating func say(_ line: String) { lines.append(line) }

    /// Adds lines about the exchange: what client and server proved to each other, and how long it took.
    mutating func say(_ report: ExchangeReport?) {
        guard let report else { return }
        if let tls = report.connection.tls {
            let opened =
                report.connection.reused
                ? "connection \(report.connection.number) again"
                : "connection \(report.connection.number), opened in \(report.connection.establishment.text)"
            say("  \(tls.version), \(tls.cipherSuite), \(opened)")
            say("  the server proved: \(tls.certificationPath.joined(separator: "  ←  "))")
            say("  the client proved: \(tls.clientCertificate ?? "nothing, no certificate was given")")
        }
        let legs = report.legs.map { leg in
            leg.authorization.map { "\(leg.status) after sending \($0) credentials" } ?? "\(leg.status)"
        }
        say("  HTTP \(legs.joined(separator: ", then ")); \(report.duration.text) in all")
    }
}

extension Duration {
    /// Milliseconds with one decimal.
    var text: String {
        let (seconds, attoseconds) = components
        let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
        return "\(tenths / 10).\(tenths % 10) ms"
    }

    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) / 1e18 }
}
#endif

/// What was found about one WSDL.
package struct CorpusReport: Sendable, Codable {
    package enum Outcome: String, Sendable, Codable {
        case passed
        /// Broken, and refused as the list of broken ones says.
        case refused
        case failed
    }

    package var name: String
    package var outcome = Outcome.passed
    package var services: [String] = []
    package var operations = 0
    /// Elements of messages.
    package var messages = 0
    package var instances = 0
    /// Those of a mock that the generated code has read.
    package var answers = 0
    /// The first requests that were read and written anew.
    package var requests = 0
    /// What failed, and why.
    package var failures: [String] = []
    /// Disagreements of the validators, and what was left out.
    package var notes: [String] = []
    package var seconds = 0.0
    /// How long the generated code took to compile; nil when it was not compiled, or did not.
    package var compileSeconds: Double?
    /// Of the largest instance; nil when nothing was measured.
    package var times: Times?

    /// What optimised code takes for an instance, in microseconds.
    package struct Times: Sendable, Codable {
        package var message: String
        package var bytes: Int
        package var reading: Double
        package var writing: Double
        /// Of the same bytes by libxml2's SAX, without anything being done with them; nil when it said nothing.
        package var libxml2: Double?

        /// A row of Markdown.
        package func row(of name: String) -> String {
            let rate = Int((Double(bytes) / reading).rounded())
            let beside = libxml2.map { $0 > 0 ? "\((($0 / reading) * 100).rounded() / 100)" : "–" } ?? "–"
            return
                "| \(name) | \(message) | \(bytes) | \(Self.text(reading)) | \(rate) | \(Self.text(writing)) | \(beside) |"
        }

        private static func text(_ microseconds: Double) -> String { "\((microseconds * 10).rounded() / 10)" }
    }

    package init(name: String) { self.name = name }

    package mutating func fail(_ text: String) {
        outcome = .failed
        if failures.count < 20 { failures.append(text) }
    }

    package mutating func note(_ text: String) {
        if notes.count < 20, !notes.contains(text) { notes.append(text) }
    }

    /// One line.
    package var line: String {
        let compiled = compileSeconds.map { ", compiled in \(Int($0.rounded())) s" } ?? ""
        let counts =
            "\(operations) operations, \(messages) messages, \(instances) instances, \(requests) first requests, \(answers) answers of a mock\(compiled)"
        let first = failures.first.map { ": \($0)" } ?? ""
        let more = failures.count > 1 ? " (and \(failures.count - 1) more)" : ""
        return switch outcome {
        case .passed: "ok       \(name)  \(counts)"
        case .refused: "refused  \(name)\(first)"
        case .failed: "FAILED   \(name)\(first)\(more)"
        }
    }
}

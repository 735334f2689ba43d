package import SignetDiagnosis
import SignetTLS

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// What a rehearsal found: which services will break, and why.
package struct RehearsalReport: Sendable {
    /// What the switch changes for one service.
    package enum Outcome: String, Sendable, Hashable, Encodable, CaseIterable {
        /// It works, and will work.
        case unchanged
        /// It works today, and will not.
        case willBreak = "will-break"
        /// It does not work today, and will not.
        case stillBroken = "still-broken"
        /// It does not work today, and will.
        case willBeRepaired = "will-be-repaired"
    }

    /// What was found at one service.
    package struct Entry: Sendable {
        package let name: String
        /// Without the values in its query.
        package let url: String
        package let today: Diagnosis
        package let next: Diagnosis

        package init(name: String, url: String, today: Diagnosis, next: Diagnosis) {
            self.name = name
            self.url = url
            self.today = today
            self.next = next
        }

        package var outcome: Outcome {
            switch (today.mostLikely, next.mostLikely) {
            case (nil, nil): .unchanged
            case (nil, _?): .willBreak
            case (_?, _?): .stillBroken
            case (_?, nil): .willBeRepaired
            }
        }

        /// The most likely cause: of what will be broken, or of what is broken today and will not be; nil when the
        /// service works and will work.
        package var cause: Diagnosis.Finding? { next.mostLikely ?? today.mostLikely }
    }

    package let entries: [Entry]
    /// The later time for which certificates were judged, in seconds since 1970; nil for the present.
    package let judgedAt: Int64?

    package init(_ entries: [Entry], judgedAt: Int64?) {
        self.entries = entries
        self.judgedAt = judgedAt
    }

    package func count(_ outcome: Outcome) -> Int { entries.count { $0.outcome == outcome } }

    // MARK: Text

    /// A table with a line for each service, and then what to do about each that does not stay as it is.
    package var text: String {
        let rows = [["OUTCOME", "SERVICE", "CAUSE", "WHO HAS TO ACT"]] + entries.map(Self.row)
        let widths = (0..<4).map { column in rows.map { $0[column].count }.max() ?? 0 }
        var lines = rows.map { row in
            let padded = zip(row, widths).map { $0 + String(repeating: " ", count: max(0, $1 - $0.count)) }
            let line = padded.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
        for outcome in [Outcome.willBreak, .stillBroken, .willBeRepaired] {
            for entry in entries where entry.outcome == outcome { lines += [""] + Self.details(entry) }
        }
        let time = judgedAt.map { "Certificates were judged for \(UnixTime.text($0)). " } ?? ""
        let counts = Outcome.allCases.map { "\(count($0)) \($0.text)" }.joined(separator: ", ")
        return (lines + [""] + TextBlock.lines("\(time)\(counts).", indent: 0)).joined(separator: "\n")
    }

    private static func row(_ entry: Entry) -> [String] {
        [
            entry.outcome.text, entry.name, entry.cause.map { "\($0.code)" } ?? "-",
            entry.cause?.party.shortText ?? "-",
        ]
    }

    private static func details(_ entry: Entry) -> [String] {
        var lines = TextBlock.lines(
            "\(entry.outcome.text.uppercased())  \(entry.name), \(entry.url)", indent: 0, hanging: 2)
        func add(_ label: String, _ finding: Diagnosis.Finding) {
            lines += TextBlock.lines("\(label): \(finding.title)", indent: 2, hanging: 4)
            for evidence in finding.evidence { lines += TextBlock.lines("- \(evidence)", indent: 2, hanging: 4) }
            lines += TextBlock.lines("Next: \(finding.nextStep)", indent: 2, hanging: 4)
            lines += TextBlock.lines("Who has to act: \(finding.party.text) [\(finding.code)]", indent: 2, hanging: 4)
        }
        switch (entry.today.mostLikely, entry.next.mostLikely) {
        case (let today?, let next?) where today.code != next.code:
            lines += TextBlock.lines("Today: \(today.title) [\(today.code)]", indent: 2, hanging: 4)
            add("Then", next)
        case (_, let next?): add("Most likely", next)
        case (let today?, nil):
            lines += TextBlock.lines("Today: \(today.title) [\(today.code)]", indent: 2, hanging: 4)
        case (nil, nil): break
        }
        return lines
    }

    // MARK: JSON

    /// The report as JSON (RFC 8259):
    ///
    /// - `judgedAt`: the later time for which certificates were judged; absent for the present.
    /// - `counts`: an object with the number of services of each outcome: `unchanged`, `will-break`, `still-broken`,
    ///   `will-be-repaired`.
    /// - `services`: an array; each element has `name`, `url` (without the values in its query), `outcome`, `cause` (the
    ///   code of the most likely cause) and `party`, both absent when the service works and will work, and `today` and
    ///   `next`, the two diagnoses (``/SignetDiagnosis/Diagnosis/json``).
    ///
    /// More members may be added.
    package var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let counts = Outcome.allCases.map { ($0.rawValue, count($0)) }
        let document = Document(
            judgedAt: judgedAt.map(UnixTime.text), counts: Dictionary(counts) { first, _ in first },
            services: entries.map {
                Document.Service(
                    name: $0.name, url: $0.url, outcome: $0.outcome, cause: $0.cause?.code, party: $0.cause?.party,
                    today: $0.today, next: $0.next)
            })
        return (try? encoder.encode(document)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }

    private struct Document: Encodable {
        struct Service: Encodable {
            let name: String
            let url: String
            let outcome: Outcome
            let cause: Diagnosis.Finding.Code?
            let party: Diagnosis.Finding.Party?
            let today: Diagnosis
            let next: Diagnosis
        }
        let judgedAt: String?
        let counts: [String: Int]
        let services: [Service]
    }
}

extension RehearsalReport.Outcome {
    /// In words.
    package var text: String { rawValue.replacing("-", with: " ") }
}

extension Diagnosis.Finding.Party {
    /// Who it is, for a column of a table.
    fileprivate var shortText: String {
        switch self {
        case .us: "you"
        case .them: "the server's operator"
        case .network: "the network's operator"
        case .either: "you or the server's operator"
        }
    }
}

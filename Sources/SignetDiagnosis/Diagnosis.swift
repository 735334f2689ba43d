#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Why a connection to a service fails, or what will make it fail: findings in the order of their likelihood.
///
/// ```swift
/// do { … } catch {
///     logger.error("\(error)", metadata: ["diagnosis": "\(error.diagnosis.map { $0.summary } ?? "none")"])
/// }
/// ```
///
/// It is made from facts alone, without input or output, so that the same facts always give the same diagnosis. It
/// contains no secret.
public struct Diagnosis: Sendable, Hashable, CustomStringConvertible {
    /// Failures first, then warnings, then notices; among these the likeliest first. Empty when nothing was found.
    public let findings: [Finding]

    init(findings: [Finding]) { self.findings = findings }

    /// The most likely reason of a failure; nil when nothing was found that makes calls fail.
    public var mostLikely: Finding? { findings.first.flatMap { $0.severity == .failure ? $0 : nil } }

    /// One line for a log: the code of the most likely cause, its title, and who has to act; or that nothing was found.
    public var summary: String {
        guard let found = mostLikely ?? findings.first else { return "no finding" }
        return "\(found.code): \(found.title) (\(found.party.rawValue))"
    }

    /// The text for a terminal; see ``text``.
    public var description: String { text }

    /// The diagnosis as JSON (RFC 8259), with indented lines and sorted keys:
    ///
    /// - `mostLikely`: the code of the most likely cause; absent when nothing makes calls fail.
    /// - `findings`: an array; each element has `code`, `severity` (`failure`, `warning`, `notice`), `party` (`us`,
    ///   `them`, `network`, `either`), `title`, `evidence` (an array of texts), `cause`, `nextStep`, and `alternatives`
    ///   (an array of objects with `code` and `difference`).
    ///
    /// More members may be added.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
    }
}

extension Diagnosis: Encodable {
    private enum CodingKeys: String, CodingKey { case mostLikely, findings }

    /// Encodes the members that ``json`` names.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encodeIfPresent(mostLikely?.code, forKey: .mostLikely)
        try container.encode(findings, forKey: .findings)
    }
}

extension Diagnosis {
    /// Applies all rules to the facts.
    package init(_ facts: DiagnosticFacts) {
        let found = Rule.all.enumerated().compactMap { position, rule in
            rule.evidence(facts).map { (rule: rule, position: position, evidence: $0) }
        }
        let explained = found.contains { !$0.rule.isGeneral && $0.rule.severity == .failure }
        let sorted = found.filter { !($0.rule.isGeneral && explained) }.sorted {
            ($0.rule.severity.order, -$0.rule.weight, $0.position)
                < ($1.rule.severity.order, -$1.rule.weight, $1.position)
        }
        // Of what only says that something failed, the most exact is enough.
        var hasGeneral = false
        var known: Set<Finding.Code> = []
        findings = sorted.compactMap { entry in
            if entry.rule.isGeneral {
                if hasGeneral { return nil }
                hasGeneral = true
            }
            return known.insert(entry.rule.code).inserted ? entry.rule.finding(entry.evidence) : nil
        }
    }
}

extension Finding.Severity {
    fileprivate var order: Int {
        switch self {
        case .failure: 0
        case .warning: 1
        case .notice: 2
        }
    }
}

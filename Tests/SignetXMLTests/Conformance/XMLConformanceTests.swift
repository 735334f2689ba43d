import CorpusFiles
import Foundation
import SignetXML
import Testing

/// The W3C's XML conformance test suite, as far as it applies to a reader without a DTD.
///
/// The reader follows XML 1.0, fifth edition, and Namespaces in XML 1.0, third edition. So
/// - a document without a document type declaration must be accepted when it is well-formed, valid or not, give the
///   events that the suite says, and be refused when it is not well-formed;
/// - a document with one must be refused for it, or for what is wrong before it; where all of it is idle, because it
///   declares elements only, the document is judged once more without it;
/// - cases for XML 1.1 and for the names of the first four editions, and those whose outcome the suite leaves open
///   (`error`), must not trap: their outcome is not judged.
@Suite struct XMLConformanceTests {
    /// The cases that are decided otherwise than the suite has it, with the reason.
    static let exceptions = [
        "o-p04pass1": colons, "o-p05pass1": colons, "x-ibm-1-0.5-valid-P04-ibm04v01.xml": colons,
        "x-ibm-1-0.5-valid-P05-ibm05v01.xml": colons, "x-ibm-1-0.5-valid-P05-ibm05v02.xml": colons,
    ]
    private static let colons =
        "names with colons where Namespaces in XML allows none; the suite marks the case with NAMESPACE=no"

    private struct Row {
        var cases = 0
        var right = 0
        var needsDTD = 0
        var rightWithoutIt = 0
        var compared = 0
        var notForUs = 0
        var exceptions = 0

        mutating func add(_ other: Row) {
            cases += other.cases
            right += other.right
            needsDTD += other.needsDTD
            rightWithoutIt += other.rightWithoutIt
            compared += other.compared
            notForUs += other.notForUs
            exceptions += other.exceptions
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func everyCaseWithoutADTDIsDecidedRightly() throws {
        let cases = try ConformanceCase.all()
        var table: [String: [ConformanceCase.Kind: Row]] = [:]
        var deviating: Set<String> = []
        for test in cases {
            let row = row(for: test, &deviating)
            table[test.suite, default: [:]][test.kind, default: Row()].add(row)
        }
        for id in Self.exceptions.keys.sorted() where !deviating.contains(id) {
            Issue.record("\(id) is named as an exception, but it is decided as the suite has it.")
        }
        #expect(cases.count > 2000)
        show(table)
    }

    private func row(for test: ConformanceCase, _ deviating: inout Set<String>) -> Row {
        var row = Row(cases: 1)
        let idle = test.hasDoctype ? test.withoutIdleDoctype : nil
        let outcomes = [outcome(test, test.document, test.hasDoctype)] + (idle.map { [outcome(test, $0, false)] } ?? [])
        guard test.isForUs, test.kind != .error else {
            row.notForUs = 1
            return row
        }
        if let problem = outcomes.compactMap(\.problem).first {
            deviating.insert(test.id)
            row.exceptions = 1
            if Self.exceptions[test.id] == nil { Issue.record("\(test.suite) \(test.id): \(problem)") }
            return row
        }
        if test.hasDoctype { row.needsDTD = 1 } else { row.right = 1 }
        if idle != nil { row.rightWithoutIt = 1 }
        if outcomes.last?.isCompared == true { row.compared = 1 }
        return row
    }

    /// What is wrong with the reader's decision about a document, if anything, and whether its events were compared.
    private func outcome(
        _ test: ConformanceCase, _ document: [UInt8], _ hasDoctype: Bool
    ) -> (problem: String?, isCompared: Bool) {
        let events: String
        do throws(XMLError) {
            events = try canonicalTrace(document)
        } catch {
            if test.kind == .notWellFormed { return (nil, false) }
            let isRefusal = error.code == .doctypeRefused || error.code == .unsupportedEncoding
            return (hasDoctype && isRefusal ? nil : "refused: \(error)", false)
        }
        if hasDoctype { return ("a document with a DOCTYPE is accepted", false) }
        if test.kind == .notWellFormed { return ("accepted: \(events.prefix(200))", false) }
        guard let output = test.output else { return (nil, false) }
        let expected = String(decoding: output, as: UTF8.self).replacing(/<\?.*?\?>/.dotMatchesNewlines(), with: "")
        let isEqual = events.unicodeScalars.elementsEqual(expected.unicodeScalars)
        return (isEqual ? nil : "reads as \(events.prefix(300)) instead of \(expected.prefix(300))", true)
    }

    private func show(_ table: [String: [ConformanceCase.Kind: Row]]) {
        func line(_ suite: String, _ kind: String, _ row: Row) {
            let figures = [
                row.cases, row.right, row.needsDTD, row.rightWithoutIt, row.compared, row.notForUs, row.exceptions,
            ]
            print(
                suite.padding(toLength: 26, withPad: " ", startingAt: 0),
                kind.padding(toLength: 8, withPad: " ", startingAt: 0),
                figures.map { String(repeating: " ", count: max(0, 9 - "\($0)".count)) + "\($0)" }.joined())
        }
        print("W3C XML conformance test suite".padding(toLength: 35, withPad: " ", startingAt: 0), terminator: "")
        print("    cases    right has DTD right w/o compared not ours exception")
        var total = Row()
        for (suite, rows) in table.sorted(by: { $0.key < $1.key }) {
            for kind in ConformanceCase.Kind.allCases {
                guard let row = rows[kind] else { continue }
                line(suite, kind.rawValue, row)
                total.add(row)
            }
        }
        line("total", "", total)
    }
}

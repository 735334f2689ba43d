import CorpusFiles
import Foundation
import SignetXML
import Testing

/// The cases of the W3C's XML conformance test suite that have a document type declaration, read with it.
///
/// What is well-formed must be accepted and give the events that the suite says, unless it needs something from outside
/// the document or parameter entities: then it must be refused for that (`doctypeRefused`). What is not well-formed
/// must be refused, unless the error is outside the document, which the reader does not read.
@Suite struct DoctypeConformanceTests {
    /// The cases that are decided otherwise than the suite has it, with the reason.
    static let exceptions = [
        "valid-sa-012": colons, "x-ibm-1-0.5-valid-P04-ibm04v01.xml": colons,
        "x-ibm-1-0.5-valid-P05-ibm05v01.xml": colons, "x-ibm-1-0.5-valid-P05-ibm05v02.xml": colons,
        "x-ibm-1-0.5-valid-P05-ibm05v03.xml": colons, "x-ibm-1-0.5-valid-P05-ibm05v05.xml": colons,
        "ibm-valid-P85-ibm85v01.xml": length, "ibm-valid-P87-ibm87v01.xml": length,
    ]
    private static let colons = "names with colons where Namespaces in XML 1.0 allows none"
    private static let length = "a name longer than XMLLimits.nameBytes"

    private enum Verdict {
        /// As the suite says; whether the events were compared.
        case right(compared: Bool)
        /// The outcome depends on what stands outside the document.
        case outside
        case wrong(String)
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func everyCaseWithAnInternalSubsetIsDecidedRightly() throws {
        let cases = try ConformanceCase.all()
        var deviating: Set<String> = []
        var table: [String: (cases: Int, right: Int, compared: Int, outside: Int)] = [:]
        for test in cases where test.hasDoctype {
            let verdict = verdict(test)
            guard test.isForUs, test.kind != .error else { continue }
            var row = table[test.suite, default: (0, 0, 0, 0)]
            row.cases += 1
            switch verdict {
            case .right(let compared):
                row.right += 1
                row.compared += compared ? 1 : 0
            case .outside: row.outside += 1
            case .wrong(let problem):
                deviating.insert(test.id)
                if Self.exceptions[test.id] == nil { Issue.record("\(test.suite) \(test.id): \(problem)") }
            }
            table[test.suite] = row
        }
        for id in Self.exceptions.keys.sorted() where !deviating.contains(id) {
            Issue.record("\(id) is named as an exception, but it is decided as the suite has it.")
        }
        var total = (cases: 0, right: 0, compared: 0, outside: 0)
        for (suite, row) in table.sorted(by: { $0.key < $1.key }) {
            print(
                "XMLConf DOCTYPE \(suite): \(row.right) of \(row.cases) right, \(row.compared) compared, \(row.outside) need more"
            )
            total = (
                total.cases + row.cases, total.right + row.right, total.compared + row.compared,
                total.outside + row.outside
            )
        }
        print(
            "XMLConf DOCTYPE total: \(total.right) of \(total.cases) right, \(total.compared) compared, \(total.outside) need more"
        )
        #expect(total.right > 1000)
    }

    private func verdict(_ test: ConformanceCase) -> Verdict {
        let events: String
        do throws(XMLError) {
            events = try canonicalTrace(test.document, doctype: .internalEntities)
        } catch {
            if error.code == .doctypeRefused { return .outside }
            return test.kind == .notWellFormed ? .right(compared: false) : .wrong("refused: \(error)")
        }
        if test.kind == .notWellFormed {
            return namesAnotherDocument(test) ? .outside : .wrong("accepted: \(events.prefix(200))")
        }
        guard let output = test.output else { return .right(compared: false) }
        let expected = String(decoding: output, as: UTF8.self)
            .replacing(/<\?.*?\?>/.dotMatchesNewlines(), with: "")
            .replacing(/^<!DOCTYPE.*?\]>\r?\n/.dotMatchesNewlines(), with: "")
        if events.unicodeScalars.elementsEqual(expected.unicodeScalars) { return .right(compared: true) }
        return namesAnotherDocument(test)
            ? .outside : .wrong("reads as \(events.prefix(300)) instead of \(expected.prefix(300))")
    }

    private func namesAnotherDocument(_ test: ConformanceCase) -> Bool {
        String(decoding: test.document, as: UTF8.self).contains(/<!DOCTYPE\s+\S+\s+(SYSTEM|PUBLIC)/)
    }
}

import CorpusFiles
import Foundation
import SignetXML
import Testing

/// The datatype cases of the W3C XML Schema test suite: every value of a valid instance is accepted, and one of an
/// invalid instance is refused, by its lexical space or by a facet that is about values.
@Suite struct SchemaSuiteTests {
    private struct Row {
        var cases = 0
        var judged = 0
        var right = 0
        var exceptions = 0

        static func + (left: Row, right: Row) -> Row {
            Row(
                cases: left.cases + right.cases, judged: left.judged + right.judged, right: left.right + right.right,
                exceptions: left.exceptions + right.exceptions)
        }
    }

    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func datatypes() throws {
        let suite = try SchemaSuite()
        defer { suite.remove() }
        var cases = suite.casesOfNIST()
        var newer = 0
        for catalogue in SchemaSuite.catalogues {
            let found = try suite.cases(catalogue: catalogue)
            cases += found.cases
            newer += found.newer
        }
        try #require(cases.count > 9000)
        var rows: [String: Row] = [:]
        var schemas: [URL: Result<SuiteSchema, any Error>] = [:]
        var used: Set<String> = []
        for test in cases {
            let schema =
                schemas[test.schema] ?? Result { try SuiteSchema(SuiteElement.read(SchemaSuite.bytes(test.schema))) }
            schemas[test.schema] = schema
            let verdict: SuiteSchema.Verdict
            do {
                verdict = try schema.get().judge(SuiteElement.read(SchemaSuite.bytes(test.instance)))
            } catch {
                rows["not judged: \(error)", default: Row()].cases += 1
                continue
            }
            let type = (verdict.refused?.type ?? verdict.types.first)?.rawValue ?? "unions and other types"
            var row = Row(cases: 1)
            let isAccepted = verdict.refused == nil
            if verdict.count > 0 {
                row.judged = 1
                if isAccepted == test.isValid {
                    row.right = 1
                } else if SchemaSuiteExceptions.reasons[test.name] != nil {
                    row.exceptions = 1
                    used.insert(test.name)
                } else {
                    Issue.record(
                        "\(test.name) is \(test.isValid ? "valid" : "invalid"), and is not taken for it: \(verdict)")
                }
            }
            rows[type, default: Row()] = rows[type, default: Row()] + row
        }
        #expect(Set(SchemaSuiteExceptions.reasons.keys) == used, "Remove exceptions that no test needs any more.")
        show(rows, newer)
    }

    /// Regular expressions: those of schemas that are invalid are refused, and the others take the values that they
    /// should.
    @Test(.enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"))
    func patterns() throws {
        let suite = try SchemaSuite()
        defer { suite.remove() }
        let (schemas, cases) = try suite.casesOfPatterns()
        var used: Set<String> = []
        func check(_ name: String, _ isRight: Bool, _ message: String) {
            if isRight { return }
            if SchemaSuiteExceptions.patterns[name] == nil { Issue.record("\(name): \(message)") }
            used.insert(name)
        }
        for test in schemas {
            guard let schema = try? SuiteSchema(SuiteElement.read(SchemaSuite.bytes(test.schema))) else { continue }
            let defects = schema.patterns.compactMap { pattern in
                do throws(XSDPattern.Defect) { _ = try XSDPattern(pattern) } catch { return "\(pattern): \(error)" }
                return nil
            }
            check(test.name, defects.isEmpty == test.isValid, "\(schema.patterns) is \(test.isValid), \(defects)")
        }
        for test in cases {
            let schema = try SuiteSchema(SuiteElement.read(SchemaSuite.bytes(test.schema)))
            let verdict = try schema.judge(SuiteElement.read(SchemaSuite.bytes(test.instance)))
            check(
                test.name, verdict.count > 0 && (verdict.refused == nil) == test.isValid,
                "\(schema.patterns) is \(test.isValid), \(verdict)")
        }
        print("\(schemas.count) schemas with patterns and \(cases.count) instances, \(used.count) excepted.")
        #expect(Set(SchemaSuiteExceptions.patterns.keys) == used)
    }

    private func show(_ rows: [String: Row], _ newer: Int) {
        func line(_ name: String, _ columns: [String]) -> String {
            columns.reduce(name.padding(toLength: max(26, name.count), withPad: " ", startingAt: 0)) { line, column in
                line + String(repeating: " ", count: max(1, 8 - column.count)) + column
            }
        }
        var table = [line("built-in type", ["cases", "judged", "right", "excepted"])]
        let total = rows.values.reduce(Row(), +)
        for (name, row) in rows.sorted(by: { $0.key < $1.key }) + [("all", total)] {
            table.append(line(name, [row.cases, row.judged, row.right, row.exceptions].map { "\($0)" }))
        }
        for (reason, names) in Dictionary(
            grouping: SchemaSuiteExceptions.reasons.keys, by: { SchemaSuiteExceptions.reasons[$0] ?? "" })
        {
            table.append("excepted: \(names.sorted().joined(separator: ", ")): \(reason)")
        }
        table.append("\(newer) cases are for XML Schema 1.1 only.")
        print(table.joined(separator: "\n"))
    }
}

import Foundation
import Testing

@testable import SignetDiagnosis

@Suite(.timeLimit(.minutes(5))) struct DiagnosisTextTests {
    @Test func fitsIntoEightyColumns() {
        for scene in BrokenScene.all {
            let text = Diagnosis(scene.facts).text
            let tooLong = text.split(separator: "\n").filter { $0.count > 80 && $0.contains(" ") }
            // A single long word, such as an address, is not broken.
            #expect(tooLong.allSatisfy { $0.split(separator: " ").contains { $0.count > 60 } }, "\(tooLong)")
        }
    }

    @Test func endsWithTheMostLikelyCause() {
        let text = Diagnosis(Scene.facts { $0.refuse(44) }).text
        #expect(text.hasPrefix("FAILURE  Our certificate was revoked.\n  Who has to act: you, on the client's side"))
        #expect(text.hasSuffix("\n\nMost likely: Our certificate was revoked."))
        #expect(Diagnosis(Scene.facts()).text == "Nothing was found that makes calls fail.")
        #expect(Diagnosis(Scene.facts { $0.askNever() }).text.hasSuffix("\nNothing was found that makes calls fail."))
    }

    @Test func theSummaryIsOneLine() {
        let summary = Diagnosis(Scene.facts { $0.refuse(44) }).summary
        #expect(summary == "identity-revoked: Our certificate was revoked. (us)")
        #expect(Diagnosis(Scene.facts()).summary == "no finding")
    }

    private struct Read: Decodable {
        struct Finding: Decodable {
            struct Alternative: Decodable { let code, difference: String }
            let code, severity, party, title, cause, nextStep: String
            let evidence: [String]
            let alternatives: [Alternative]
        }
        let mostLikely: String?
        let findings: [Finding]
    }

    @Test func theJSONHasTheDocumentedMembers() throws {
        let diagnosis = Diagnosis(Scene.facts { $0.refuse(46) })
        let read = try JSONDecoder().decode(Read.self, from: Data(diagnosis.json.utf8))
        #expect(read.mostLikely == "certificate-refused")
        #expect(read.findings.map(\.code) == diagnosis.findings.map(\.code.description))
        #expect(read.findings.first?.severity == "failure" && read.findings.first?.party == "either")
        #expect(
            read.findings.first?.alternatives.map(\.code) == diagnosis.mostLikely?.alternatives.map(\.code.description))
        let healthy = try JSONDecoder().decode(Read.self, from: Data(Diagnosis(Scene.facts()).json.utf8))
        #expect(healthy.mostLikely == nil && healthy.findings.isEmpty)
    }

    @Test func linesAreBrokenAtBlanks() {
        let words = Array(repeating: "word", count: 40).joined(separator: " ")
        let lines = TextBlock.lines(words, indent: 2, hanging: 4)
        #expect(lines.count == 3 && lines.allSatisfy { $0.count <= 80 })
        #expect(lines[0].hasPrefix("  word") && lines[1].hasPrefix("    word"))
        #expect(lines.joined(separator: " ").split(separator: " ").count == 40)
        #expect(TextBlock.lines("", indent: 2) == ["  "])
    }

    @Test func factsCanBeKeptAsJSON() throws {
        for scene in BrokenScene.all {
            let bytes = try JSONEncoder().encode(scene.facts)
            #expect(try JSONDecoder().decode(DiagnosticFacts.self, from: bytes) == scene.facts)
        }
    }
}

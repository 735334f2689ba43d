import Testing

@testable import SignetAuthentication

@Suite struct ChallengeTests {
    private func read(_ lines: String...) throws -> [Challenge] { try Challenge.read(lines) }

    @Test func readsSeveralChallengesInOneLineAndInSeveral() throws {
        let challenges = try read(
            #"Newauth realm="apps", type=1, title="Login to \"apps\"", Basic realm="simple""#, "Negotiate",
            "Bearer error = \"a, b\" ,scope=x")
        #expect(challenges.map(\.scheme) == ["Newauth", "Basic", "Negotiate", "Bearer"])
        #expect(challenges[0]["title"] == #"Login to "apps""#)
        #expect(challenges[0]["type"] == "1")
        #expect(challenges[1]["realm"] == "simple")
        #expect(challenges[2].parameters.isEmpty)
        #expect(challenges[3]["error"] == "a, b")
        #expect(challenges[3]["scope"] == "x")
    }

    @Test func readsToken68() throws {
        let challenges = try read("NTLM TlRMTVNTUAAC==, Basic realm=x", "Odd a=, Other b/c")
        #expect(challenges.map(\.token68) == ["TlRMTVNTUAAC==", nil, "a=", "b/c"])
        #expect(challenges[1]["realm"] == "x")
    }

    @Test func readsParameterNamesWithoutCaseAndKeepsValues() throws {
        let challenge = try #require(try read("bAsIc REALM=\"Übung, 2\"").first)
        #expect(challenge.isScheme("Basic"))
        #expect(challenge["realm"] == "Übung, 2")
    }

    @Test func skipsEmptyListElements() throws {
        #expect(try read(", ,Basic realm=\"a\",, ,charset=\"UTF-8\" , ,Negotiate ,").count == 2)
        #expect(try read("", "  ").isEmpty)
    }

    @Test(arguments: [
        "Basic realm=\"a\", realm=\"b\"", "Basic realm=\"a\", REALM=b", "Basic realm=\"a", "Basic =a",
        "Basic realm=\"a\" charset=x", "Basic realm=\"a\\", "Basic realm=\"a\u{01}b\"", "Basic \"realm\"", "=",
        "Basic a b",
        "Basic realm=a b=c", "Basic realm=ü", "Näh x=y", "Basic\u{00}realm=x", "a/b", "Basic abc==x", "Basic abc, =",
    ])
    func malformedChallengesAreRefused(_ line: String) {
        #expect(throws: ChallengeSyntaxError.self) { try Challenge.read([line]) }
    }

    @Test func countsAreLimited() throws {
        #expect(try Challenge.read([String](repeating: "A", count: 64)).count == 64)
        let error = #expect(throws: ChallengeSyntaxError.self) {
            try Challenge.read([String](repeating: "A", count: 65))
        }
        #expect(error?.what == "there are more than 64 challenges, which is the limit")
        #expect(throws: ChallengeSyntaxError.self) {
            try Challenge.read([[String](repeating: "A", count: 200).joined(separator: ",")])
        }
        let parameters = (0..<33).map { "p\($0)=x" }.joined(separator: ",")
        #expect(throws: ChallengeSyntaxError.self) { try Challenge.read(["A \(parameters)"]) }
        #expect(throws: ChallengeSyntaxError.self) {
            try Challenge.read(["A realm=\"\(String(repeating: "x", count: 17000))\""])
        }
    }

    @Test func everyTruncationAndChangeIsAnswered() {
        let line = Array(#"Newauth realm="apps", type=1, title="Login to \"apps\"", NTLM ab==, Basic realm="s""#.utf8)
        var accepted = 0
        for length in 0...line.count {
            if (try? Challenge.read([String(decoding: line[..<length], as: UTF8.self)])) != nil { accepted += 1 }
            for byte: UInt8 in [0, 0x20, 0x22, 0x2C, 0x3D, 0x5C, 0x7F] where length < line.count {
                var changed = line
                changed[length] = byte
                if (try? Challenge.read([String(decoding: changed, as: UTF8.self)])) != nil { accepted += 1 }
            }
        }
        #expect(accepted > 0)
    }
}

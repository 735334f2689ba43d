import SignetDynamic
import Testing

@Suite struct JSONTests {
    @Test(arguments: [
        "null", "true", "[]", "{}", "0", "-0", "12.50", "1E400", "0.1e-7", "123456789012345678901234567890.123456789",
        "\"\"",
        "{\"b\":1,\"a\":[true,null,{\"c\":\"\"}]}", "\"\\\"\\\\\\n\\u0001é\u{1F600}\"",
    ])
    func jsonIsWrittenAsItWasRead(json: String) throws {
        let value = try DynamicValue(json: json)
        #expect(value.json() == json)
        #expect(try DynamicValue(json: value.json(pretty: true)) == value)
        #expect(try DynamicValue(json: [0xEF, 0xBB, 0xBF] + Array(" \t\r\n\(json) ".utf8)) == value)
    }

    @Test func escapesAreRead() throws {
        #expect(try DynamicValue(json: "\"\\u00e9\\uD83D\\uDE00\\/\\b\\f\"") == .string("é\u{1F600}/\u{8}\u{C}"))
    }

    @Test func prettyPutsEveryMemberOnALine() throws {
        let value: DynamicValue = ["a": 1, "b": ["x", []], "c": [:]]
        #expect(value.json(pretty: true) == "{\n  \"a\": 1,\n  \"b\": [\n    \"x\",\n    []\n  ],\n  \"c\": {}\n}")
    }

    @Test(arguments: [
        "", " ", "nul", "True", "'a'", "{", "[", "[1", "[1,]", "[1 2]", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{a:1}",
        "01", "+1",
        ".5", "5.", "1e", "1e+", "-", "--1", "0x1", "NaN", "Infinity", "\"", "\"\n\"", "\"\\x\"", "\"\\u12\"",
        "\"\\u12g4\"",
        "\"\\uD83D\"", "\"\\uDE00\"", "\"\\uD83D\\u0041\"", "\"\\uD83Dx\"", "1 2", "[]]", "// a\n1",
        "{\"a\":1,\"a\":2}", "\u{FEFF}\u{FEFF}1",
    ])
    func anythingElseIsRefused(json: String) {
        let error = #expect(throws: DynamicError.self) { try DynamicValue(json: json) }
        #expect(error?.code == .malformedJSON)
    }

    @Test func errorsSayLineAndColumn() {
        let error = #expect(throws: DynamicError.self) { try DynamicValue(json: "{\n  \"é\": tru\n}") }
        #expect(error?.message.contains("line 2, column 8") == true)
        let twice = #expect(throws: DynamicError.self) { try DynamicValue(json: "{\"a\":1, \"a\":2}") }
        #expect(twice?.message.contains("“a” stands twice") == true)
    }

    @Test func bytesThatAreNoTextAreRefused() {
        #expect(throws: DynamicError.self) { try DynamicValue(json: [0x22, 0xFF, 0x22]) }
        #expect(throws: DynamicError.self) { try DynamicValue(json: [0x22, 0xED, 0xA0, 0x80, 0x22]) }
    }

    @Test func depthIsBounded() throws {
        func nested(_ depth: Int) -> String {
            String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        }
        _ = try DynamicValue(json: nested(128))
        let error = #expect(throws: DynamicError.self) { try DynamicValue(json: nested(129)) }
        #expect(error?.code == .limitExceeded)
        #expect(throws: DynamicError.self) { try DynamicValue(json: String(repeating: "[", count: 1_000_000)) }
        #expect(throws: DynamicError.self) { try DynamicValue(json: String(repeating: "{\"a\":", count: 1_000_000)) }
    }

    @Test func partsAreFoundByNameAndPlace() throws {
        let value = try DynamicValue(json: "{\"a\":[{\"b\":\"text\"}]}")
        #expect(value["a"]?[0]?["b"]?.text == "text")
        #expect(value["z"] == nil)
        #expect(value["a"]?[1] == nil)
        #expect(value["a"]?[-1] == nil)
        #expect(value[0] == nil)
    }
}

import Testing

@_spi(Generated) @testable import SignetXML

private struct Line: XMLStructure {
    var code: [String] = []
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:o"], elements: "code*", rules: "0 occurs=2..*")
        fields.values(&x.code)
    }
}

private struct Note: XMLStructure {
    var text: String?
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:o"], elements: "text?")
        fields.optionalValue(&x.text)
    }
}

private struct Order: XMLStructure {
    var note: [Note] = []
    var line: [Line] = []
    var group: [Note] = []
    var free: [String] = []
    init(_decoding: Void) {}
    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:o"], elements: "note* line* {0}* free*", groups: [Note.xmlTable],
            rules: "0 occurs=0..3\n1 occurs=1..*\n2 occurs=1..*\n3 occurs=1..10")
        fields.structures(&x.note)
        fields.structures(&x.line)
        fields.group(&x.group)
        fields.values(&x.free)
    }
}

@Suite struct DemandedListTests {
    private func read(
        _ content: String, demandsLists: Bool = true, _ tolerance: XMLTolerance = .standard
    ) throws -> [String] {
        try XMLReader.read(Array("<o xmlns='urn:o'>\(content)</o>".utf8)) { reader in
            reader.demandsLists = demandsLists
            reader.tolerance = tolerance
            try reader.root()
            _ = try reader.structure() as Order
            return reader.deviations.map(\.message)
        }
    }

    private static let line = "<line><code>a</code></line>"

    @Test func aMissingRequiredElementIsAnError() throws {
        #expect(try read("\(Self.line)<free>1</free>").isEmpty)
        // Only a check of all rules counts how often the element occurs.
        #expect(try read("<line><code>a</code></line><line><code>b</code></line><free>1</free>").isEmpty)
        for (content, words) in [
            ("<free>1</free>", "“line”"), (Self.line, "“free”"), ("", "“line”"), ("<line/><free>1</free>", "“code”"),
            ("<note/>\(Self.line)<text>a group</text>", "“free”"),
        ] {
            let error = #expect(throws: XMLError.self) { try read(content) }
            #expect(error?.description.contains("required element \(words) is absent") == true, "\(error as Any)")
            #expect(error?.code == .missing)
        }
    }

    @Test func emptyListsAreAcceptedInAnswers() throws {
        #expect(try read("", demandsLists: false).isEmpty)
        let missing = try read("", [.missingElement])
        #expect(missing.count == 2, "\(missing)")
    }

    @Test func largeTablesKnowTheirRequiredLists() {
        let names = (0..<70).map { "e\($0)?" }.joined(separator: " ")
        func table(_ rules: String) -> XMLTable { XMLTable(["urn:o"], elements: "\(names) last*", rules: rules) }
        #expect(table("70 occurs=1..*").demandsMore)
        #expect(!table("70 occurs=0..5").demandsMore)
        #expect(!table("70 maxLength=1").demandsMore)
        #expect(!table("99 occurs=1..*").demandsMore)
    }
}

import Foundation
import SignetXML
import TestSupport
import Testing

/// Generated documents with entities and attribute declarations, read by the library and by expat: both must accept the
/// same ones, and find the same in them.
@Suite struct DoctypeSecondOpinionTests {
    @Test(.enabled(if: RequiredTool.isExpected("python3"), "python3 is not installed"))
    func expatFindsTheSame() throws {
        var source = DocumentSource(seed: 0x5197)
        let documents = (0..<4000).map { _ in source.document() }
        let opinions = try expat(documents)
        #expect(opinions.count == documents.count)
        var accepted = 0
        for (document, opinion) in zip(documents, opinions) {
            let ours: String
            do { ours = escaped(try events(document)) } catch let error {
                ours = "refused"
                if opinion != ours { Issue.record("\(document)\nwe: \(error)\nexpat: \(opinion)") }
                continue
            }
            accepted += 1
            #expect(ours == opinion, "\(document)")
        }
        print(
            "\(accepted) of \(documents.count) made documents are well-formed; expat agrees with all verdicts and contents."
        )
        #expect(accepted > 500 && accepted < 3500)
    }

    private func events(_ document: String) throws(XMLError) -> String {
        try XMLReader.read(Array(document.utf8), doctype: .internalEntities) { (reader) throws(XMLError) in
            var result = ""
            while true {
                switch try reader.next() {
                case .startElement:
                    let attributes = reader.allAttributes().sorted { $0.name < $1.name }
                    result += "<\(reader.elementName)\(attributes.map { " \($0.name)=\($0.value)" }.joined())>"
                case .endElement: result += "</>"
                case .text: result += try reader.currentText()
                case .endOfDocument: return result
                }
            }
        }
    }

    /// Reads documents, each behind a line with its length, and answers each with a line.
    private static let script = #"""
        import sys
        import xml.parsers.expat


        def attributes(values):
            return "".join(" %s=%s" % (name, values[name]) for name in sorted(values))


        def events(document):
            parser = xml.parsers.expat.ParserCreate()
            found = []
            parser.StartElementHandler = lambda name, values: found.append("<%s%s>" % (name, attributes(values)))
            parser.EndElementHandler = lambda name: found.append("</>")
            parser.CharacterDataHandler = found.append
            parser.ProcessingInstructionHandler = parser.CommentHandler = lambda *_: None
            try:
                parser.Parse(document, True)
            except xml.parsers.expat.ExpatError:
                return "refused"
            return "".join(found)


        while line := sys.stdin.buffer.readline():
            text = events(sys.stdin.buffer.read(int(line)))
            sys.stdout.write(text.encode("unicode_escape").decode("ascii") + "\n")
        """#

    /// As Python's `unicode_escape`.
    private func escaped(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            case " "..."~": result.unicodeScalars.append(scalar)
            default:
                let digits = String(scalar.value, radix: 16)
                result += "\\x" + String(repeating: "0", count: 2 - digits.count) + digits
            }
        }
        return result
    }

    /// What expat says of each document, asked through Python.
    private func expat(_ documents: [String]) throws -> [String] {
        let python = try #require(RequiredTool.path(of: "python3"), "python3 is not installed")
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (input, output) = (folder.appending(path: "input"), folder.appending(path: "output"))
        try Data(documents.map { "\($0.utf8.count)\n\($0)" }.joined().utf8).write(to: input)
        try Data().write(to: output)
        let process = Process()
        process.executableURL = URL(filePath: python)
        process.arguments = ["-c", Self.script]
        process.standardInput = try FileHandle(forReadingFrom: input)
        process.standardOutput = try FileHandle(forWritingTo: output)
        try process.run()
        process.waitUntilExit()
        #expect(process.terminationStatus == 0)
        return try String(contentsOf: output, encoding: .utf8).split(separator: "\n").map(String.init)
    }
}

/// Makes documents out of pieces that belong together more often than not.
private struct DocumentSource {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    private mutating func below(_ bound: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: (state >> 33) % UInt64(bound))
    }

    private mutating func one(_ choices: [String]) -> String { choices[below(choices.count)] }

    private mutating func several(_ most: Int, _ make: (inout Self) -> String) -> String {
        (0..<below(most + 1)).map { _ in make(&self) }.joined()
    }

    /// A reference, mostly to one that was declared before.
    private mutating func reference(_ level: Int) -> String {
        below(30) == 0 ? one(["&x;", "&e;", "&", "&#0;"]) : "&e\(below(max(1, level)));"
    }

    private mutating func piece(_ level: Int) -> String {
        switch below(12) {
        case 0...2: reference(level)
        case 3:
            one([
                "&lt;", "&#38;#38;", "&#38;#60;", "&#13;", "&#38;#13;", "&#10;", "&amp;", "&#x20;", "&#38;#32;", "&#9;",
            ])
        case 4: one(["\n", "\r\n", "\r", "\t", " ", "\r\r\n"])
        case 5: one(["]", "]]", ">", "]>"])
        default: one(["a", "ü", "bc", " ", "d "])
        }
    }

    private mutating func value(_ level: Int) -> String { several(4) { $0.piece(level) } }

    private mutating func content(_ level: Int, _ depth: Int) -> String {
        several(4) { source in
            switch source.below(10) {
            case 0...1 where depth > 0:
                let name = source.one(["i", "j"])
                let attribute = source.below(2) == 0 ? " \(source.one(["p", "q"]))=\"\(source.value(level))\"" : ""
                return source.below(3) == 0
                    ? "<\(name)\(attribute)/>" : "<\(name)\(attribute)>\(source.content(level, depth - 1))</\(name)>"
            case 2:
                return source.one(["<![CDATA[&e0;&#13;]]]]>", "<!-- &e0; &x -->", "<?n &e0; ?>", "<![CDATA[\r\n<]]>"])
            case 3 where source.below(12) == 0:
                return source.one(["<i>", "</i>", "<", "<![CDATA[", "<!--", "%", "<i p="])
            default: return source.piece(level)
            }
        }
    }

    mutating func document() -> String {
        var subset = ""
        let count = 1 + below(4)
        for level in 0..<count {
            let text = below(2) == 0 ? value(level) : content(level, 2)
            let literal = text.replacing("'", with: "&#39;").replacing("%", with: "&#37;")
            subset += "<!ENTITY e\(level) '\(literal)'>\n"
        }
        if below(2) == 0 { subset += "<!ATTLIST i p \(one(["CDATA", "NMTOKENS", "(a|b)"])) '\(value(count))'>\n" }
        if below(2) == 0 { subset += "<!ATTLIST j q \(one(["NMTOKEN", "CDATA"])) #IMPLIED p ID #IMPLIED>\n" }
        return "<!DOCTYPE r [\n\(subset)]>\n<r>\(content(count, 3))</r>\n"
    }
}

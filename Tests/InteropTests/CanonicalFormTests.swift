import Foundation
import SignetTesting
import SignetXML
import TestSupport
import Testing

/// Random documents, whose canonical forms are those of xmllint (libxml2).
///
/// `SIGNET_CANONICAL` says how many.
@Suite(.timeLimit(.minutes(30))) struct CanonicalFormTests {
    private static let count = ProcessInfo.processInfo.environment["SIGNET_CANONICAL"].flatMap { Int($0) } ?? 60

    @Test func xmllintMakesTheSameForms() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "canonical-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let file = folder.appending(path: "document.xml")
        let seed = UInt64.random(in: 0...(.max))
        var documents = RandomDocuments(seed: seed)
        for number in 0..<Self.count {
            let document = documents.next()
            try Data(document.utf8).write(to: file)
            for (option, method) in [
                ("--c14n", .inclusive10), ("--c14n11", .inclusive11), ("--exc-c14n", .exclusive10),
            ] as [(String, XMLCanonicalization.Method)] {
                let outcome = try await PeerProcess.output(
                    of: .init(program: "xmllint", arguments: [option, file.path]))
                guard outcome.status == 0 else {
                    Issue.record("seed \(seed), document \(number): \(outcome.error)\n\(document)")
                    return
                }
                let form = try XMLCanonicalization(method, hasComments: true).canonicalForm(of: Array(document.utf8))
                guard form == Array(outcome.output.utf8) else {
                    Issue.record(
                        "seed \(seed), document \(number), \(option):\n\(document)\nours:\n\(String(decoding: form, as: UTF8.self))\ntheirs:\n\(outcome.output)"
                    )
                    return
                }
            }
        }
        print("canonical forms: \(Self.count) documents, seed \(seed)")
    }
}

/// Documents with all that canonical forms change.
private struct RandomDocuments {
    private var random: SeededNumbers
    private static let prefixes = ["a", "b", "c", "ab", "z"]
    // xmllint refuses names that are not ASCII, and writes “&” in them without escaping it.
    private static let namespaces = ["urn:1", "urn:2", "http://example.org/a/b?c#d", "urn:3"]

    init(seed: UInt64) { random = SeededNumbers(seed: seed) }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<T>(_ values: [T], _ other: T) -> T { values.randomElement(using: &random) ?? other }

    mutating func next() -> String {
        var text = chance(50) ? "<?xml version=\"1.0\"?>" + space() : ""
        while chance(30) { text += markup() + space() }
        text += element(depth: 0, [:])
        while chance(30) { text += space() + markup() }
        return text
    }

    private mutating func space() -> String {
        var text = ""
        while chance(40) { text += pick([" ", "\n", "\r\n", "\t", "\r"], " ") }
        return text
    }

    private mutating func markup() -> String {
        chance(50)
            ? "<!--\(pick(["", " x\r\ny ", "<&>", "ä"], ""))-->"
            : "<?\(pick(["p", "target"], "p"))\(pick(["", " ", " a='1'  ", "\r\n<&>"], ""))?>"
    }

    private mutating func words(inAttribute: Bool) -> String {
        var text = ""
        while chance(60) {
            text += pick(
                [
                    "word", " ", "\n", "\r\n", "\t", "\r", "&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#13;",
                    "&#10;",
                    "&#9;", "&#x20AC;", "😀", "é", ">", inAttribute ? "'" : "\"",
                    inAttribute ? "x" : "<![CDATA[<&>\r\n\"]]>",
                ], "")
        }
        return text
    }

    private mutating func element(depth: Int, _ around: [String: String]) -> String {
        var scope = around
        var attributes: [String] = []
        for prefix in [""] + Self.prefixes where chance(depth == 0 ? 50 : 15) {
            let isUndeclared = prefix.isEmpty && chance(30)
            scope[prefix] = isUndeclared ? "" : pick(Self.namespaces, "urn:1")
            attributes.append("xmlns\(prefix.isEmpty ? "" : ":")\(prefix)=\"\(scope[prefix] ?? "")\"")
        }
        let declared = scope.keys.filter { !$0.isEmpty }.sorted()
        func qualified(_ prefix: String?, _ name: String) -> String { prefix.map { "\($0):\(name)" } ?? name }
        let name = qualified(chance(50) ? declared.randomElement(using: &random) : nil, pick(["e", "f", "gh"], "e"))
        var seen: Set<String> = []
        for local in ["x", "y", "b", "A"] {
            while chance(25) {
                let prefix = chance(50) ? declared.randomElement(using: &random) : nil
                let expanded = (prefix.flatMap { scope[$0] } ?? "") + "|" + local
                guard seen.insert(expanded).inserted else { continue }
                attributes.append("\(qualified(prefix, local))=\"\(words(inAttribute: true))\"")
            }
        }
        if chance(10) { attributes.append("xml:lang='\(pick(["en", "de"], "en"))'") }
        if chance(10) { attributes.append("xml:space=\"preserve\"") }
        attributes.shuffle(using: &random)
        var text = "<\(name)"
        for attribute in attributes { text += " \(space())\(attribute)" }
        text += space()
        if chance(20) { return text + "/>" }
        text += ">"
        while chance(depth < 5 ? 65 : 20) {
            switch Int.random(in: 0..<10, using: &random) {
            case 0: text += markup()
            case 1...4 where depth < 6: text += element(depth: depth + 1, scope)
            default: text += words(inAttribute: false)
            }
        }
        return text + "</\(name)\(space())>"
    }
}

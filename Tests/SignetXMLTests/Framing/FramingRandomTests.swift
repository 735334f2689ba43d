import Testing

@testable import SignetXML

/// Random documents, whole and damaged, cut at random places.
@Suite struct FramingRandomTests {
    static let seeds: [UInt64] = [1, 20_261_121, 0xFEED, 77_777]

    @Test(arguments: seeds) func splitsAndTheWholeReaderAgree(seed: UInt64) {
        var random = SeededGenerator(state: seed)
        var (complete, refused) = (0, 0)
        for number in 0..<600 {
            var maker = DocumentMaker(random: random)
            var document = maker.document()
            random.state = random.state &+ UInt64(number) &+ 1
            if number % 3 != 0 { Self.damage(&document, &random) }
            let expected = XMLFramer.events(of: document, splits: [], path: framedPath)
            for count in [1, 2, 7, document.count] {
                let splits = (0..<count).map { _ in Int.random(in: 0...document.count, using: &random) }
                #expect(
                    XMLFramer.events(of: document, splits: splits, path: framedPath) == expected,
                    "seed \(seed), document \(number): \(splits.sorted())\n\(String(decoding: document, as: UTF8.self))"
                )
            }
            let difference = FramingTrace.difference(document, path: framedPath)
            #expect(
                difference == nil,
                "seed \(seed), document \(number)\n\(String(decoding: document, as: UTF8.self))\n\(difference ?? "")")
            if expected.last?.hasPrefix("remainder") == true { complete += 1 } else { refused += 1 }
        }
        // Otherwise the documents would be all of one kind.
        #expect(complete > 150 && refused > 150, "seed \(seed): \(complete) complete, \(refused) refused")
    }

    private static let pieces = [
        "<", ">", "&", "\"", "'", "/", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "</e>", "<e>", "<e/>", "</w>",
        "\u{0}",
        " ", "=", "<!DOCTYPE", "&#x;", "xmlns='urn:2'", "p:", "-", "]", "\r", "\u{FFFE}", "<e x='", "&lt", ":",
    ]

    /// Removes, doubles or adds something; now and then a byte of a longer character.
    private static func damage(_ document: inout [UInt8], _ random: inout SeededGenerator) {
        for _ in 0..<Int.random(in: 1...2, using: &random) {
            let at = Int.random(in: 0..<document.count, using: &random)
            let length = min(Int.random(in: 1...6, using: &random), document.count - at)
            switch Int.random(in: 0..<6, using: &random) {
            case 0: document.removeSubrange(at..<(at + length))
            case 1: document.insert(contentsOf: document[at..<(at + length)], at: at)
            case 2: document[at] = UInt8.random(in: 0...255, using: &random)
            case 3: document.removeLast(document.count - at)
            default: document.insert(contentsOf: (pieces.randomElement(using: &random) ?? "").utf8, at: at)
            }
            if document.isEmpty { document = [0x20] }
        }
    }
}

/// Makes documents whose repeated elements are `r/w/e` in `urn:1`, under changing prefixes.
private struct DocumentMaker {
    var random: SeededGenerator

    mutating func pick(_ texts: [String]) -> String { texts.randomElement(using: &random) ?? "" }
    mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }

    mutating func document() -> [UInt8] {
        var text = chance(3) ? "\u{FEFF}" : ""
        text += pick(["", "<?xml version='1.0'?>", "<?xml version=\"1.0\" encoding=\"utf-8\"?>\r\n"])
        text += ignorable()
        let prefix = pick(["", "p", "soap"])
        let name = prefix.isEmpty ? "" : prefix + ":"
        let declaration = prefix.isEmpty ? "xmlns='urn:1'" : "xmlns:\(prefix)='urn:1'"
        text += "<\(name)r \(declaration)\(attributes())>"
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            text += chance(2) ? wrapper(name) : other(name, 2)
            text += content()
        }
        text += "</\(name)r\(pick(["", " ", "\n"]))>" + ignorable()
        return Array(text.utf8)
    }

    private mutating func wrapper(_ name: String) -> String {
        var text = "<\(name)w\(attributes())>"
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            switch Int.random(in: 0..<8, using: &random) {
            case 0: text += other(name, 3)
            case 1: text += content()
            case 2: text += "<z:e xmlns:z='urn:1'>\(content())</z:e>"
            case 3: text += "<z:e xmlns:z='urn:2'>\(content())</z:e>"
            default: text += element(name, 3)
            }
            text += pick(["", "", " ", "\n  ", "\r\n\t"])
        }
        return text + "</\(name)w>"
    }

    private mutating func element(_ name: String, _ depth: Int) -> String {
        let tag = "\(name)e\(attributes())"
        if chance(6) { return "<\(tag)/>" }
        var text = "<\(tag)>"
        for _ in 0..<Int.random(in: 0...3, using: &random) {
            text += chance(3) && depth > 0 ? (chance(2) ? element(name, depth - 1) : other(name, depth - 1)) : content()
        }
        return text + "</\(name)e\(pick(["", "", "", " "]))>"
    }

    private mutating func other(_ name: String, _ depth: Int) -> String {
        let local = pick(["h", "w", "f", "ee", "é"])
        let own = chance(4) ? " xmlns='urn:\(pick(["1", "2", "3"]))'" : ""
        let prefix = own.isEmpty ? name : ""
        var text = "<\(prefix)\(local)\(own)\(attributes())>"
        if depth > 0, chance(2) { text += chance(2) ? element(prefix, depth - 1) : other(prefix, depth - 1) }
        text += content()
        return text + "</\(prefix)\(local)>"
    }

    private mutating func attributes() -> String {
        var text = ""
        for name in ["a", "b", "xml:lang"] where chance(5) {
            text += pick([" ", "\n", "  "]) + name + pick(["=", " = "])
            text += pick([
                "\"\"", "'x'", "\"a > b'\"", "'</e>'".replacing("<", with: "&lt;"), "'/>'", "\"\u{20AC}&#10;\"",
            ])
        }
        return text
    }

    private mutating func content() -> String {
        pick([
            "", "text", "1", "a > b", "&amp;&#60;", "]]", "-->", "\u{1F600} é\r\n", "<!-- <e>'\" -->", "<?p <e/> > ?>",
            "<![CDATA[</e><e>&]]]]>", "<!---->", " ", "\r", "\n\n", "'", "?>", String(repeating: "long ", count: 20),
        ])
    }

    private mutating func ignorable() -> String { pick(["", "", "\n", "<!-- c -->", "<?p?>\r\n", " "]) }
}

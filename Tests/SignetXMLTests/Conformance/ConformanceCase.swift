import CorpusFiles
import Foundation
import SignetXML
import Testing

/// A case of the W3C's XML conformance test suite, as its catalogues describe it.
struct ConformanceCase {
    enum Kind: String, CaseIterable {
        case valid, invalid
        case notWellFormed = "not-wf"
        case error
    }

    /// The folder of the catalogue: `xmltest`, `ibm`, `eduni/errata-4e`.
    let suite: String
    let id: String
    let kind: Kind
    /// Whether the case is one for XML 1.0, fifth edition. Cases for XML 1.1, for its namespaces, and for the name
    /// rules of the first four editions only are not.
    let isForUs: Bool
    let document: [UInt8]
    /// What the events of the document are in the suite's canonical form.
    let output: [UInt8]?

    /// Whether the document has a document type declaration, or something that is meant to be one.
    var hasDoctype: Bool {
        // Bytes of UTF-16 that are zero are left out, and so is all that may hold the word without being one.
        String(decoding: document.filter { $0 != 0 }, as: UTF8.self)
            .replacing(/<!--.*?-->|<\?.*?\?>|<!\[CDATA\[.*?\]\]>/.dotMatchesNewlines(), with: "")
            .contains("<!DOCTYPE")
    }

    /// The same document without its document type declaration, if that holds nothing that a reader without validation
    /// makes use of; nil for other documents. Processing instructions in the declaration are put in its place.
    var withoutIdleDoctype: [UInt8]? {
        // A character a byte, so that no accent can melt into what stands before it.
        guard let text = String(data: Data(document), encoding: .isoLatin1) else { return nil }
        let name = "[A-Za-z:_\u{80}-\u{FF}][A-Za-z0-9:_.\u{80}-\u{FF}-]*"
        // What is not well-formed must not be so by its declarations.
        let model = kind == .notWellFormed ? "\\(\(name)\\)" : "\\([^<>\"'%]*\\)[?*+]?"
        let declaration = "<!ELEMENT\\s+\(name)\\s+(?:EMPTY|ANY|\\(#PCDATA\\)|\(model))\\s*>"
        let pattern = "<!DOCTYPE\\s+\(name)\\s*(?:\\[(?:\\s|<\\?[^?]*\\?>|\(declaration))*\\]\\s*)?>"
        guard let range = text.range(of: pattern, options: .regularExpression),
            range.lowerBound == text.firstRange(of: "<!DOCTYPE")?.lowerBound
        else { return nil }
        // Behind a line end, so that none becomes the declaration of the document.
        let instructions = "\n" + text[range].matches(of: /<\?[^?]*\?>/).map(\.0).joined()
        return text.replacingCharacters(in: range, with: instructions).data(using: .isoLatin1).map { Array($0) }
    }
}

extension ConformanceCase {
    /// All cases of the suite in the corpus.
    static func all() throws -> [ConformanceCase] {
        let folder = try Corpus.file("suites/xmlconf")
        // The catalogue of catalogues includes them as external entities, which no reader of this package loads.
        let main = try String(contentsOf: folder.appending(path: "xmlconf.xml"), encoding: .utf8)
        return try main.matches(of: /<!ENTITY\s+\S+\s+SYSTEM\s+"([^"]+)"/).flatMap { match in
            try read(folder.appending(path: String(match.1)), suite: (match.1 as NSString).deletingLastPathComponent)
        }
    }

    private static func read(_ catalogue: URL, suite: String) throws -> [ConformanceCase] {
        // Some catalogues are a row of elements without a root.
        let text = try String(contentsOf: catalogue, encoding: .utf8).replacing(/^<\?xml .*?\?>/, with: "")
        var cases: [ConformanceCase] = []
        try XMLReader.read(Array("<catalogue>\(text)</catalogue>".utf8)) { reader in
            while try reader.nextElement(XMLName(.none, "TEST")) {
                let folder = catalogue.deletingLastPathComponent()
                guard let id = reader.attribute("ID"), let uri = reader.attribute("URI"),
                    let kind = reader.attribute("TYPE").flatMap(Kind.init(rawValue:))
                else { throw XMLError(.missing, "a case without ID, URI or TYPE in \(catalogue.path)") }
                func names(_ attribute: String?, _ wanted: Substring) -> Bool {
                    attribute.map { $0.split(separator: " ").contains(wanted) } ?? true
                }
                let recommendation = reader.attribute("RECOMMENDATION") ?? "XML1.0"
                let output = reader.attribute("OUTPUT")
                cases.append(
                    ConformanceCase(
                        suite: suite, id: id, kind: kind,
                        isForUs: !recommendation.hasSuffix("1.1") && names(reader.attribute("VERSION"), "1.0")
                            && names(reader.attribute("EDITION"), "5"),
                        document: Array(try Data(contentsOf: folder.appending(path: uri))),
                        output: try output.map { Array(try Data(contentsOf: folder.appending(path: $0))) }))
            }
        }
        return cases
    }
}

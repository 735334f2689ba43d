import Testing

@testable import SignetXML

/// Names of namespaces that only the document knows.
@Suite struct NamespaceTests {
    /// Each element declares names of its own: those behind it are forgotten, those around it keep their meaning.
    @Test func namesOfClosedElementsAreForgotten() throws {
        let levels = 20
        let open = (0..<levels).map { level in
            (0..<50).map { "<b xmlns='urn:\(level):\($0)'/>" }.joined() + "<p\(level):a xmlns:p\(level)='urn:\(level)'>"
        }
        let children = (0..<10_000).map {
            "<b xmlns='urn:b\($0)' xmlns:q='urn:q\($0)' q:x='' p\($0 % levels):x=''/>"
        }
        let close = (0..<levels).reversed().map { "</p\($0):a>" }
        let document = "<r>\(open.joined())\(children.joined())\(close.joined())</r>"
        try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            var names: [String] = []
            var most = 0
            while try reader.next() != .endOfDocument {
                // Also asked for behind the end tag: it is the start tag read last that is meant.
                names.append(reader.namespaceURI)
                names += reader.allAttributes().map(\.namespaceURI)
                most = max(most, reader.foreign.count)
            }
            var expected: [String] = []
            for level in 0..<levels {
                for index in 0..<50 { expected += ["urn:\(level):\(index)", "urn:\(level):\(index)"] }
                expected.append("urn:\(level)")
            }
            for index in 0..<10_000 {
                let names = ["urn:b\(index)", "urn:q\(index)", "urn:\(index % levels)"]
                expected += names + names
            }
            // Neither the ends of the elements around them nor that of the root begin anything.
            let last = Array(expected.suffix(3))
            for _ in 0...levels { expected += last }
            #expect(names == expected)
            #expect(most <= 16 + 2 * (levels + 2))
            #expect(reader.foreignNumbers.count <= reader.foreign.count)
        }
    }

    /// Names are compared character by character (Namespaces in XML 1.0 §2.3), not as people read them.
    @Test func twoWaysToWriteAnAccentAreTwoNames() throws {
        let document = "<a xmlns:a='urn:\u{E9}' xmlns:b='urn:e&#x301;' a:x='1' b:x='2'/>"
        try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            #expect(reader.attribute("x", namespace: XMLNamespace("urn:\u{E9}")) == "1")
            #expect(reader.attribute("x", namespace: XMLNamespace("urn:e\u{301}")) == "2")
            try reader.skipElement()
            try reader.finish()
        }
        var writer = XMLWriter()
        writer.startElement(XMLName("urn:\u{E9}", "a"))
        writer.startElement(XMLName("urn:e\u{301}", "b"))
        writer.endElement(XMLName("urn:e\u{301}", "b"))
        writer.endElement(XMLName("urn:\u{E9}", "a"))
        let written = String(decoding: try writer.finish(), as: UTF8.self)
        #expect(written.unicodeScalars.contains("\u{E9}") && written.unicodeScalars.contains("\u{301}"))
    }
}

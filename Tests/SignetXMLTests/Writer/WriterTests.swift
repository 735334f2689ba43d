import SignetXML
import Testing

/// What the writer does with namespaces, prefixes and defects.
@Suite struct WriterTests {
    func written(
        _ prefixes: [(prefix: String, uri: String)] = [], _ write: (inout XMLWriter) -> Void
    ) throws(XMLError) -> String {
        var writer = XMLWriter(prefixes: prefixes)
        write(&writer)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    func empty(_ name: XMLName, _ writer: inout XMLWriter) {
        writer.startElement(name)
        writer.endElement(name)
    }

    // MARK: Declarations

    @Test func siblingsDeclareOnce() throws {
        let root = XMLName("urn:w:root", "root")
        let text = try written { writer in
            writer.startElement(root, attributes: [(XMLName(.none, "a"), "1")])
            for _ in 0..<2 {
                empty(XMLName("urn:w:entry", "entry"), &writer)
                writer.startElement(XMLName(.none, "holder"), declaring: [("h", XMLNamespace("urn:w:held"))])
                writer.endElement(XMLName(.none, "holder"))
                writer.startElement(XMLName("urn:w:root", "b")) {
                    $0.anyAttributes([XMLAnyAttribute(namespaceURI: "urn:w:unnumbered", localName: "b", value: "<\"")])
                }
                writer.endElement(XMLName("urn:w:root", "b"))
            }
            writer.endElement(root)
        }
        let entry = "<n2:entry></n2:entry><holder xmlns:h=\"urn:w:held\"></holder><n1:b n3:b=\"&lt;&quot;\"></n1:b>"
        #expect(
            text
                == "<n1:root xmlns:n1=\"urn:w:root\" xmlns:n2=\"urn:w:entry\" xmlns:n3=\"urn:w:unnumbered\" a=\"1\">\(entry)\(entry)</n1:root>"
        )
    }

    @Test func manyNamespacesDoNotFillTheRoot() throws {
        let root = XMLName(.none, "root")
        var writer = XMLWriter()
        writer.startElement(root)
        for number in 0..<100 {
            writer.startElement(XMLName(.none, "a")) {
                $0.anyAttributes([XMLAnyAttribute(namespaceURI: "urn:many:\(number)", localName: "b", value: "x")])
            }
            writer.endElement(XMLName(.none, "a"))
        }
        writer.endElement(root)
        let bytes = try writer.finish()
        // The reader bounds how many are in scope.
        #expect(try Tree(bytes).elements.count == 100)
    }

    @Test func keptPiecesDeclareMissingPrefixesOnly() throws {
        let root = XMLName("urn:w:root", "root")
        let kept = try XMLFragment(parsing: "<r xmlns:p='urn:w:p' xmlns:root='urn:other'><p:a/><root:b/></r>").children
        let text = try written { writer in
            writer.startElement(root, declaring: [("root", root.namespace), ("p", XMLNamespace("urn:w:p"))])
            writer.wildcard(kept)
            writer.endElement(root)
        }
        #expect(
            text
                == "<root:root xmlns:root=\"urn:w:root\" xmlns:p=\"urn:w:p\"><p:a/><root:b xmlns:root=\"urn:other\"/></root:root>"
        )
    }

    // MARK: Prefixes

    @Test func chosenPrefixes() throws {
        let name = XMLName("urn:w:root", "root")
        let text = try written([
            ("r", "urn:w:root"), ("r", "urn:w:second"), ("any", "urn:w:unnumbered"), ("q", "urn:w:q"),
        ]) {
            writer in
            writer.startElement(name, declaring: [("q", XMLNamespace("urn:w:taken"))]) {
                $0.anyAttributes([XMLAnyAttribute(namespaceURI: "urn:w:unnumbered", localName: "b", value: "")])
                $0.attribute(XMLName("urn:w:second", "c"), "")
                $0.attribute(XMLName(.none, "d"), qualifiedName: XMLName("urn:w:q", "x"))
            }
            writer.endElement(name)
        }
        #expect(
            text
                == "<r:root xmlns:q=\"urn:w:taken\" xmlns:r=\"urn:w:root\" xmlns:any=\"urn:w:unnumbered\" xmlns:n1=\"urn:w:second\" xmlns:n2=\"urn:w:q\" any:b=\"\" n1:c=\"\" d=\"n2:x\"></r:root>"
        )
    }

    @Test(arguments: [
        ("xml", "urn:w"), ("xmlns", "urn:w"), ("XmLish", "urn:w"), ("", "urn:w"), ("a b", "urn:w"), ("a:b", "urn:w"),
        ("1", "urn:w"),
        ("p", ""), ("p", "http://www.w3.org/XML/1998/namespace"), ("p", "http://www.w3.org/2000/xmlns/"),
    ])
    func reservedPrefixesAreRefused(prefix: String, uri: String) {
        #expect(throws: XMLError(.unwritable, "")) { try written([(prefix, uri)]) { empty(XMLName(.none, "a"), &$0) } }
        if prefix.isEmpty || uri == XMLNamespace.xml.uri { return }
        let error = #expect(throws: XMLError.self) {
            try written { $0.startElement(XMLName(.none, "a"), declaring: [(prefix, XMLNamespace(uri))]) }
        }
        #expect(error?.path == "a" || uri.isEmpty)
    }

    @Test func theXMLNamespaceNeedsNoDeclaration() throws {
        let name = XMLName(.xml, "a")
        #expect(try written { empty(name, &$0) } == "<xml:a></xml:a>")
        #expect(
            try written { $0.startElement(XMLName(.none, "a"), attributes: [(XMLName(.xml, "lang"), "de")]) }
                == "<a xml:lang=\"de\">")
    }

    // MARK: One form

    @Test func escapes() throws {
        let all = "<>&\"'\t\n\r]]>\u{7F}\u{85}\u{2028}"
        let text = try written { writer in
            writer.startElement(XMLName(.none, "a"), attributes: [(XMLName(.none, "b"), all)])
            writer.text(all)
            writer.endElement(XMLName(.none, "a"))
        }
        #expect(
            text
                == "<a b=\"&lt;>&amp;&quot;'&#x9;&#xA;&#xD;]]>\u{7F}\u{85}\u{2028}\">&lt;&gt;&amp;\"'\t\n&#xD;]]&gt;\u{7F}\u{85}\u{2028}</a>"
        )
    }

    // MARK: Defects

    static let attempts: [(path: String, write: @Sendable (inout XMLWriter) -> Void)] = [
        ("r/name", { $0.element(XMLName("urn:readings", "r"), Reading(id: 1, name: "\u{1}")) }),
        ("r/@source", { $0.element(XMLName("urn:readings", "r"), Reading(id: 1, name: "", source: "\u{FFFE}")) }),
        (
            "r/inner/@unit",
            {
                $0.element(
                    XMLName("urn:readings", "r"),
                    Reading(id: 1, name: "", inner: Inner(value: 1, unit: "\u{B}"), source: "s"))
            }
        ),
        ("a/@b", { $0.startElement(XMLName(.none, "a"), attributes: [(XMLName("urn:w", "b"), "\u{0}")]) }),
        (
            "a/@b",
            {
                $0.startElement(XMLName(.none, "a")) {
                    $0.anyAttributes([XMLAnyAttribute(namespaceURI: "urn:w:x", localName: "b", value: "\u{1F}")])
                }
            }
        ),
        (
            "a/@type",
            {
                $0.startElement(XMLName(.none, "a")) {
                    $0.attribute(XMLName(.none, "type"), qualifiedName: XMLName("urn:w", "x y"))
                }
            }
        ),
        ("a", { $0.startElement(XMLName(.none, "a"), attributes: [(XMLName(.none, "b c"), "")]) }),
        ("a", { $0.startElement(XMLName(.none, "a"), attributes: [(XMLName(.none, "xmlns:b"), "")]) }),
        ("a", { $0.startElement(XMLName(.none, "a"), attributes: [(XMLName(.none, "xmlns"), "")]) }),
        (
            "a",
            {
                $0.startElement(XMLName(.none, "a")) {
                    $0.anyAttributes([XMLAnyAttribute(namespaceURI: "\u{2}", localName: "b", value: "")])
                }
            }
        ),
        (
            "a",
            {
                $0.startElement(XMLName(.none, "a")); $0.startElement(XMLName(.none, "b:c"))
            }
        ),
        (
            "a/b",
            {
                $0.startElement(XMLName(.none, "a")); $0.startElement(XMLName("http://www.w3.org/2000/xmlns/", "b"))
            }
        ),
        (
            "a/b",
            {
                $0.startElement(XMLName(.none, "a")); $0.startElement(XMLName("urn:\u{FFFF}", "b"))
            }
        ),
        (
            "a",
            {
                $0.startElement(XMLName(.none, "a")); $0.text("\u{FFFF}")
            }
        ),
        (
            "a/b/@c",
            {
                $0.startElement(XMLName(.none, "a"))
                let kept = try? XMLFragment(parsing: "<b/>")
                if let kept { $0.wildcard(kept, attributes: [(XMLName("urn:w", "c"), "\u{8}")]) }
            }
        ),
    ]

    @Test(arguments: attempts.indices) func defectsHaveTheirPath(index: Int) {
        let attempt = Self.attempts[index]
        for isSegment in [false, true] {
            let error = #expect(throws: XMLError.self) {
                var writer = XMLWriter()
                if isSegment { writer.segment(into: { _ in }, attempt.write) } else { attempt.write(&writer) }
                return try writer.finish()
            }
            #expect(error?.code == .unwritable && error?.path == attempt.path, "\(String(describing: error))")
        }
    }
}

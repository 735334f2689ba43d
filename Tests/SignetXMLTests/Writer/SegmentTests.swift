import SignetXML
import Testing

/// Segments stand in the document in the form that canonicalizing them gives, and the sink gets those bytes.
@Suite struct SegmentTests {
    typealias Written = (document: [UInt8], segment: [UInt8], sunk: [UInt8], prefixes: [String])
    let soap = XMLNamespace("urn:soap")

    /// A document whose second element is the segment that `write` writes; what surrounds it gets in its way.
    func document(
        inclusive: [String] = [], indentation: XMLIndentation? = nil, _ write: (inout XMLWriter) -> Void
    ) throws(XMLError) -> Written {
        var writer = XMLWriter(prefixes: [("p", "urn:random:1")], indentation: indentation)
        writer.declaration()
        let root = XMLName(soap, "Envelope")
        writer.startElement(root, declaring: [("soap", soap), ("b", XMLNamespace("urn:random:2"))])
        writer.startElement(XMLName("urn:random:1", "before"), attributes: [(XMLName("urn:other", "a"), "1")])
        writer.endElement(XMLName("urn:random:1", "before"))
        var sunk: [UInt8] = []
        let prefixes = writer.segment(inclusiveNamespaces: inclusive, into: { sunk += $0 }, write)
        writer.startElement(XMLName("urn:after", "after"), attributes: [(XMLName("urn:unseen", "a"), "1")])
        writer.endElement(XMLName("urn:after", "after"))
        writer.endElement(root)
        let (bytes, segments) = try writer.finishWithSegments()
        let segment = segments.first.map { Array(bytes[$0.range]) } ?? []
        #expect(segments.map(\.inclusiveNamespaces) == [prefixes])
        return (bytes, segment, sunk, prefixes)
    }

    @Test func attributesOfTheNamespaceXMLStandInNestedSegments() throws {
        let (outer, inner) = (XMLName("urn:a", "outer"), XMLName("urn:b", "inner"))
        var (all, sunk): ([UInt8], [UInt8]) = ([], [])
        var writer = XMLWriter()
        writer.segment(into: { all += $0 }) {
            $0.startElement(outer)
            $0.segment(into: { sunk += $0 }) {
                $0.startElement(inner, attributes: [(XMLName(.xml, "lang"), "de")])
                $0.endElement(inner)
            }
            $0.endElement(outer)
        }
        let bytes = try writer.finish()
        #expect(bytes == all)
        #expect(
            String(decoding: sunk, as: UTF8.self) == "<n2:inner xmlns:n2=\"urn:b\" xml:lang=\"de\"></n2:inner>")
    }

    /// The declaration of `xml` is the only one that canonical forms never have (Canonical XML 1.0 §2.3).
    @Test func theDeclarationOfThePrefixXMLIsLeftOut() throws {
        let piece = try XMLFragment(
            parsing: "<a xmlns:xml='http://www.w3.org/XML/1998/namespace' b='xml:c'><b xml:lang='de'/></a>")
        let written = try document { $0.wildcard(piece) }
        #expect(written.segment == written.sunk)
        #expect(
            String(decoding: written.segment, as: UTF8.self) == "<a b=\"xml:c\"><b xml:lang=\"de\"></b></a>")
        #expect(written.prefixes == [])
    }

    @Test func elementsThatEndTwiceInANestedSegmentAreADefect() {
        #expect(throws: XMLError(.unwritable, "")) {
            _ = try self.document { writer in
                writer.startElement(XMLName("urn:a", "outer"))
                writer.segment(into: { _ in }) {
                    $0.endElement(XMLName("urn:a", "outer"))
                    for name in ["x", "y", "z", "u"] { $0.startElement(XMLName(.none, name)) }
                }
            }
        }
    }

    @Test func randomSegments() throws {
        print("Random segments: seeds 1 to \(RoundTripTests.cases).")
        let libxml2 = Canonicalizer()
        var plain = Array("<all>".utf8)
        var (listed, refused) = (0, 0)
        for seed in 1...RoundTripTests.cases {
            func attempt(_ inclusive: [String]) throws(XMLError) -> Written {
                try document(inclusive: inclusive, indentation: seed % 7 == 0 ? .spaces(2) : nil) {
                    // The same choices in every attempt.
                    var random = RandomTree(seed: seed, uris: RandomTree.validURIs)
                    SignetXMLTests.write(random.tree(), to: &$0, &random)
                }
            }
            var random = RandomTree(seed: seed, uris: RandomTree.validURIs)
            let tree = random.tree()
            let written: Written
            do throws(XMLError) {
                written = try attempt(seed % 5 == 0 ? ["b", "n1", "unbound"] : [])
            } catch {
                // A kept piece uses a prefix of those around in another meaning, for values perhaps.
                #expect(error.message.contains("inclusiveNamespaces"), "seed \(seed): \(error)")
                refused += 1
                written = try attempt(["b", "n1", "n2", "p", "soap"])
            }
            #expect(written.segment == written.sunk, "seed \(seed)")
            #expect(tree.difference(from: try Tree(written.segment)) == nil, "seed \(seed)")
            if let libxml2 {
                let form = libxml2.form(of: "/*/*[2]", in: written.document, prefixes: written.prefixes)
                #expect(
                    form.map { String(decoding: $0, as: UTF8.self) }
                        == String(decoding: written.segment, as: UTF8.self),
                    "seed \(seed), \(written.prefixes)")
            }
            if written.prefixes.isEmpty { plain += written.segment } else { listed += 1 }
        }
        plain += "</all>".utf8
        print("\(listed) of them need a PrefixList, \(refused) had to name prefixes.")
        #expect(listed > 200 && refused > 0 && listed < RoundTripTests.cases - 200)
        // All at once, as xmllint sees them outside their documents.
        if let form = try xmllintForm(of: plain) { #expect(form == plain) }
    }

    /// The way of generated code, and values that are qualified names.
    @Test func structures() throws {
        let reading = Reading(
            id: 1, name: "a<\"&>\r\n\t", taken: XSDDate.init("2026-02-28"), note: .null, value: [1, 2],
            inner: Inner(value: 12, unit: "\"kg>\t\r\n"), source: "x")
        let written = try document { writer in
            writer.startElement(XMLName("urn:soap", "Body"), declaring: [("q", XMLNamespace("urn:q"))])
            writer.element(
                XMLName("urn:readings", "r"), reading,
                attributes: [(XMLName("urn:random:2", "z"), "1"), (XMLName(.none, "y"), "2")])
            writer.endElement(XMLName("urn:soap", "Body"))
        }
        #expect(
            String(decoding: written.segment, as: UTF8.self)
                == "<soap:Body xmlns:soap=\"urn:soap\"><n2:r xmlns:b=\"urn:random:2\" xmlns:n2=\"urn:readings\" source=\"x\" y=\"2\" b:z=\"1\"><n2:id>1</n2:id><n2:name>a&lt;\"&amp;&gt;&#xD;\n\t</n2:name><n2:taken>2026-02-28</n2:taken><n2:note xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"></n2:note><n2:value>1.0</n2:value><n2:value>2.0</n2:value><n2:inner unit=\"&quot;kg>&#x9;&#xD;&#xA;\">12</n2:inner><last xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:nil=\"true\"></last></n2:r></soap:Body>"
        )
        #expect(written.segment == written.sunk)
        #expect(written.prefixes == [])
        if let libxml2 = Canonicalizer() {
            #expect(libxml2.form(of: "/*/*[2]", in: written.document) == written.segment)
        }
    }

    @Test func qualifiedNamesInValuesAreCovered() throws {
        let body = XMLName(soap, "Body")
        let written = try document { writer in
            writer.startElement(body, declaring: [("q", XMLNamespace("urn:q"))])
            writer.startElement(XMLName(.none, "a")) {
                // Declared inside, declared outside, declared nowhere, in scope already.
                $0.attribute(XMLName(.schemaInstance, "type"), qualifiedName: XMLName("urn:q", "T"))
                $0.attribute(XMLName(.none, "outside"), qualifiedName: XMLName("urn:random:2", "T"))
                $0.attribute(XMLName(.none, "new"), qualifiedName: XMLName("urn:new", "T"))
                $0.attribute(XMLName(.none, "known"), qualifiedName: XMLName(soap, "T"))
            }
            let prefix = writer.prefix(declaring: "urn:text", wished: "t")
            writer.text("\(prefix):x \(writer.prefix(declaring: "urn:text2", wished: "a")):y")
            writer.endElement(XMLName(.none, "a"))
            writer.endElement(body)
        }
        #expect(
            String(decoding: written.segment, as: UTF8.self)
                == "<soap:Body xmlns:soap=\"urn:soap\"><a xmlns:a=\"urn:text2\" xmlns:n2=\"urn:random:2\" xmlns:n3=\"urn:new\" xmlns:q=\"urn:q\" xmlns:t=\"urn:text\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" known=\"soap:T\" new=\"n3:T\" outside=\"n2:T\" xsi:type=\"q:T\">t:x a:y</a></soap:Body>"
        )
        #expect(written.sunk == written.segment)
        #expect(written.prefixes == ["a", "n2", "n3", "q", "t"])
        if let libxml2 = Canonicalizer() {
            #expect(libxml2.form(of: "/*/*[2]", in: written.document, prefixes: written.prefixes) == written.segment)
        }
    }

    /// Kept content is written again; comments go, declarations that only values use stay.
    @Test func keptPieces() throws {
        let fragment = try XMLFragment(
            parsing:
                "<!-- --><w xmlns='urn:d' xmlns:t='urn:t' b = 'x&#10;&gt;' a=\"'\"><!-- c --><?p i?><v xmlns=''  t:z='1'/><![CDATA[<&>]]><x:y xmlns:x='urn:x'/>t:q\r\n</w>"
        )
        let any = try XMLFragment(
            parsing: "<w xmlns='urn:d' xmlns:n1='urn:t' n1:b='1' n1:a='2'><c n1:z='&#x9;'/>text</w>"
        ).content
        let written = try document { writer in
            writer.startElement(XMLName(soap, "Body"))
            writer.wildcard(fragment)
            writer.element(XMLName("urn:other", "holder"), any)
            writer.element(XMLName(.none, "holder"), any)
            writer.endElement(XMLName(soap, "Body"))
        }
        #expect(written.segment == written.sunk)
        #expect(
            String(decoding: written.segment, as: UTF8.self).hasPrefix(
                "<soap:Body xmlns:soap=\"urn:soap\"><w xmlns=\"urn:d\" xmlns:t=\"urn:t\" a=\"'\" b=\"x&#xA;>\"><v xmlns=\"\" t:z=\"1\"></v>&lt;&amp;&gt;<x:y xmlns:x=\"urn:x\"></x:y>t:q\n</w>"
            ))
        if let libxml2 = Canonicalizer() {
            let form = libxml2.form(of: "/*/*[2]", in: written.document, prefixes: written.prefixes)
            #expect(form == written.segment, "\(written.prefixes) \(String(decoding: form ?? [], as: UTF8.self))")
        }
    }

    /// A whole message made elsewhere, whose body is signed.
    @Test func message() throws {
        let types = "urn:signet:example:webease:types"
        let message = """
            <?xml version="1.0" encoding="UTF-8"?><soap:Envelope xmlns:soap="http://schemas.xmlsoap.org/soap/envelope/" \
            xmlns:t="\(types)"><soap:Body>
              <t:LogEntryQueryResponse>
                <t:entry source='signet-bp-meter/2.1'><t:id>4000000000</t:id><t:weight>60.1</t:weight><t:flagged>true</t:flagged>
                <t:note xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:nil="true"/><t:tag>a &amp; b</t:tag></t:entry>
              </t:LogEntryQueryResponse></soap:Body></soap:Envelope>
            """
        let body = try #require(try XMLFragment(parsing: message).children.first)
        let written = try document { $0.wildcard(body) }
        #expect(written.segment == written.sunk && written.prefixes == [])
        // The body as it stood in its own message has the same canonical form.
        if let libxml2 = Canonicalizer() {
            #expect(libxml2.form(of: "/*/*", in: Array(message.utf8)) == written.segment)
            #expect(libxml2.form(of: "/*/*[2]", in: written.document) == written.segment)
        }
    }

    @Test func nestedSegments() throws {
        let body = XMLName(soap, "Body")
        let inner = XMLName("urn:inner", "inner")
        var (outerSunk, innerSunk): ([UInt8], [UInt8]) = ([], [])
        var writer = XMLWriter()
        writer.startElement(XMLName(soap, "Envelope"), declaring: [("soap", soap)])
        writer.segment(into: { outerSunk += $0 }) { writer in
            writer.startElement(body, declaring: [("t", XMLNamespace("urn:inner"))])
            writer.startElement(inner)
            writer.segment(into: { innerSunk += $0 }) { writer in
                writer.startElement(inner) {
                    $0.attribute(XMLName(soap, "a"), qualifiedName: XMLName("urn:inner", "x"))
                }
                writer.element(
                    XMLName("urn:readings", "r"), Reading(id: 1, name: String(repeating: "x", count: 100_000)))
                writer.endElement(inner)
            }
            writer.endElement(inner)
            writer.endElement(body)
        }
        writer.endElement(XMLName(soap, "Envelope"))
        let (bytes, segments) = try writer.finishWithSegments()
        #expect(segments.map { Array(bytes[$0.range]) } == [outerSunk, innerSunk])
        let libxml2 = Canonicalizer()
        for (path, sunk, segment) in [("/*/*", outerSunk, segments[0]), ("/*/*/*/*", innerSunk, segments[1])] {
            guard let libxml2 else { break }
            #expect(libxml2.form(of: path, in: bytes, prefixes: segment.inclusiveNamespaces) == sunk)
        }
        // A kept piece whose prefix the outer segment has declared cannot be in both forms.
        let kept = try XMLFragment(parsing: "<soap:k xmlns:soap='urn:soap'/>")
        #expect(throws: XMLError(.unwritable, "")) {
            try document { writer in
                writer.startElement(body)
                writer.segment(into: { _ in }) { $0.wildcard(kept) }
                writer.endElement(body)
            }
        }
    }

    /// The sink gets a large segment while it is written.
    @Test func piecesAreHandedOn() throws {
        var sizes: [Int] = []
        var writer = XMLWriter()
        let list = XMLName("urn:list", "list")
        writer.segment(into: { sizes.append($0.count) }) { writer in
            writer.startElement(list)
            for number in 0..<20_000 {
                writer.element(XMLName("urn:readings", "r"), Reading(id: Int64(number), name: "n"))
            }
            writer.endElement(list)
        }
        let bytes = try writer.finish()
        #expect(sizes.reduce(0, +) == bytes.count)
        #expect(bytes.count > 1 << 20 && sizes.allSatisfy { $0 < 64 << 10 }, "\(sizes.max() ?? 0)")
    }

    @Test func aSegmentIsExactlyOneElement() {
        let name = XMLName(.none, "a")
        let attempts: [(inout XMLWriter) -> Void] = [
            { _ in }, { $0.text("x") }, { $0.startElement(name) },
            { writer in
                for _ in 0..<2 {
                    writer.startElement(name)
                    writer.endElement(name)
                }
            },
            { writer in
                writer.startElement(name)
                writer.endElement(name)
                writer.text("x>")
            },
            { writer in
                writer.text("x")
                writer.startElement(name)
                writer.endElement(name)
            },
        ]
        for attempt in attempts { #expect(throws: XMLError(.unwritable, "")) { try document(attempt) } }
    }
}

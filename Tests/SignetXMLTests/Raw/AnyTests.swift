import SignetXML
import Testing

/// A type with elements of any type, in a namespace and in none.
private struct Envelope: XMLStructure {
    var value: XMLAny?
    var plain: [XMLAny] = []
    init(value: XMLAny? = nil, plain: [XMLAny] = []) { (self.value, self.plain) = (value, plain) }
    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(["urn:envelope", ""], elements: "value? 1:plain*")
        fields.field(&x.value)
        fields.field(&x.plain)
    }
}

@Suite struct AnyTests {
    @Test func aDuplicateXMLAttributeIsAnError() throws {
        let any = try XMLAny(attributes: { $0.attribute(XMLName(.xml, "lang"), "en") }, writing: { $0.text("text") })
        #expect(throws: XMLError(.unwritable, "")) {
            try XMLFragment(writing: { writer in
                writer.element(XMLName("urn:a", "a"), any, attributes: [(XMLName(.xml, "lang"), "de")])
            })
        }
    }

    let xsi = "http://www.w3.org/2001/XMLSchema-instance"

    /// What an element means: names with their namespaces, attributes, texts, and the type as an expanded name.
    func meaning(_ any: XMLAny) throws -> String {
        try any.read { (reader) throws(XMLError) in
            var result = try attributes(&reader)
            var depth = 1
            while depth > 0 {
                switch try reader.next() {
                case .startElement:
                    depth += 1
                    result += "<{\(reader.namespaceURI)}\(reader.elementName)" + (try attributes(&reader)) + ">"
                case .endElement:
                    depth -= 1
                    result += "</>"
                case .text: result += try reader.currentText()
                case .endOfDocument: depth = 0
                }
            }
            return result
        }
    }

    func attributes(_ reader: inout XMLReader) throws(XMLError) -> String {
        var result = ""
        for (uri, name, value) in reader.allAttributes() {
            if uri == xsi && name == "type" {
                let parts = value.filter { $0 != " " }.split(separator: ":").map(String.init)
                let prefix = parts.count > 1 ? parts[0] : ""
                result += " type={\(reader.namespaceURI(forPrefix: prefix) ?? "?")}\(parts.last ?? "")"
            } else {
                result += " {\(uri)}\(name)=\(value)"
            }
        }
        return result
    }

    func any(_ element: String) throws -> XMLAny { XMLAny(try XMLFragment(parsing: element)) }

    /// Each in an element with a namespace and in one without, written and read three times: the meaning never changes.
    @Test(arguments: [
        ("<v/>", "</>"),
        ("<v a='1'>t<b/>u</v>", " {}a=1t<{}b></>u</>"),
        ("<v xmlns='urn:d'><b/></v>", "<{urn:d}b></></>"),
        (
            "<v xmlns='urn:d'>t<b xmlns=''/><c/><p:d xmlns:p='urn:p'><e/></p:d></v>",
            "t<{}b></><{urn:d}c></><{urn:p}d><{urn:d}e></></></>"
        ),
        // The prefixes that the writer itself would choose.
        ("<n1:v xmlns:n1='urn:d' n1:a='1'><n1:b/></n1:v>", " {urn:d}a=1<{urn:d}b></></>"),
        ("<n1:v xmlns:n1='urn:d' xmlns:n2='urn:e'><n1:b/><n2:c/></n1:v>", "<{urn:d}b></><{urn:e}c></></>"),
        ("<n1:v xmlns:n1='urn:envelope'><n1:b/></n1:v>", "<{urn:envelope}b></></>"),
        (
            "<v xmlns='urn:d' xmlns:xsi='http://www.w3.org/2001/XMLSchema-instance' b='1' xsi:type = \" T \"><c/></v>",
            " {}b=1 type={urn:d}T<{urn:d}c></></>"
        ),
        (
            "<v xmlns:n1='urn:d' xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='n1:T'>1</v>",
            " type={urn:d}T1</>"
        ),
        (
            "<v xmlns:xsi='urn:other' xsi:b='1'><xsi:c/></v>", " {urn:other}b=1<{urn:other}c></></>"
        ),
    ])
    func aValueKeepsItsMeaningInAnyDocument(element: String, expected: String) throws {
        let value = try any(element)
        #expect(try meaning(value) == expected)
        var envelope = Envelope(value: value, plain: [value, value])
        var sizes: [Int] = []
        for _ in 0..<3 {
            let text = try encode(envelope, as: XMLName("urn:envelope", "e"))
            sizes.append(text.utf8.count)
            envelope = try decode(text)
            #expect(envelope.plain.count == 2)
            for any in [try #require(envelope.value)] + envelope.plain {
                #expect(try meaning(any) == expected, "\(text)")
            }
        }
        // Nothing is added at every turn.
        #expect(sizes[1] == sizes[2])
    }

    @Test func fastPathKeepsBytes() throws {
        let value = try any("<v a='1' xmlns:p='urn:p'><p:b/><!-- c --></v>")
        #expect(
            try encode(Envelope(value: value), as: XMLName("urn:envelope", "e"))
                == "<n1:e xmlns:n1=\"urn:envelope\"><n1:value xmlns:p=\"urn:p\" a='1'><p:b/><!-- c --></n1:value></n1:e>"
        )
    }

    /// The body of a message: its element is written with attributes and declarations of its own.
    @Test func aValueIsWrittenWithMoreAttributesAndDeclarations() throws {
        let value = try any(
            "<v xmlns:a='urn:1' xmlns:soap='urn:2' a:x='1' soap:y='2'><soap:b/></v>")
        var writer = XMLWriter()
        let soap = XMLNamespace("urn:soap")
        writer.startElement(XMLName(soap, "Body"), declaring: [("soap", soap)])
        writer.element(
            XMLName("urn:a", "request"), value,
            declaring: [("a", XMLNamespace("urn:a")), ("b", XMLNamespace("urn:b"))],
            attributes: [(XMLName(soap, "mustUnderstand"), "1"), (XMLName(.none, "id"), "i")])
        writer.endElement(XMLName(soap, "Body"))
        let document = String(decoding: try writer.finish(), as: UTF8.self)
        let body = try XMLFragment(parsing: document)
        let request = try #require(body.children.first)
        #expect(request.isElement(XMLName("urn:a", "request")), "\(document)")
        #expect(
            try meaning(request.content) == " {urn:soap}mustUnderstand=1 {}id=i {urn:1}x=1 {urn:2}y=2<{urn:2}b></></>",
            "\(document)")
    }

    @Test func noAttributeIsWrittenTwice() throws {
        let value = try any("<v xmlns:s='urn:soap' s:mustUnderstand='1'/>")
        var writer = XMLWriter()
        writer.element(
            XMLName("urn:a", "h"), value, attributes: [(XMLName("urn:soap", "mustUnderstand"), "1")])
        let failure: XMLError?
        do {
            _ = try writer.finish()
            failure = nil
        } catch {
            failure = error
        }
        #expect(failure?.code == .unwritable)
    }

    /// A long default namespace over many small elements would make what is written far larger than what was read.
    @Test func declarationsCannotInflateTheOutput() throws {
        func written(_ values: [XMLAny]) throws(XMLError) -> Int {
            var writer = XMLWriter()
            for value in values { writer.element(XMLName(.none, "v"), value) }
            return try writer.finish().count
        }
        let uri = "urn:" + String(repeating: "d", count: 1000)
        let large = try any("<v xmlns='\(uri)'>\(String(repeating: "<a/>", count: 20_000))</v>")
        #expect(throws: XMLError(.unwritable, "")) { try written([large]) }
        // Nor can many of them together.
        let small = try any("<v xmlns='\(uri)'>\(String(repeating: "<a/>", count: 32))</v>")
        #expect(throws: XMLError(.unwritable, "")) { try written(Array(repeating: small, count: 100)) }
        // A service's own lists, however long, pass.
        let item = "<int>5</int>"
        let list = try any("<v xmlns='urn:arrays:of:numbers:and:texts'>\(String(repeating: item, count: 50_000))</v>")
        #expect(try written([list]) < 8 * 50_000 * item.utf8.count)
        var writer = XMLWriter()
        writer.element(XMLName("urn:x", "v"), large)
        #expect(try writer.finish().count < 100_000)
    }

    @Test func anElementAlreadyReadCannotBeKept() {
        for document in ["<a><b/></a>", "<a/>", "<a>t</a>"] {
            #expect(throws: XMLError(.unexpected, "")) {
                try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                    try reader.root()
                    _ = try reader.structure(XMLAny.self)
                    _ = try reader.structure(XMLAny.self)
                }
            }
            #expect(throws: XMLError(.unexpected, "")) {
                try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                    try reader.root()
                    _ = try reader.fragment()
                    _ = try reader.fragment()
                }
            }
        }
        // Nor before anything was read.
        #expect(throws: XMLError(.unexpected, "")) {
            try XMLReader.read(Array("<a/>".utf8)) { (reader) throws(XMLError) in
                try reader.structure(XMLAny.self)
            }
        }
    }

    /// Documents made by chance, from a few prefixes and names that get into each other's way.
    @Test func randomValuesKeepTheirMeaningInAnyDocument() throws {
        var chance = Chance(seed: 4711)
        for _ in 0..<400 {
            let document = chance.element(depth: 0)
            let value = try any(document)
            let expected = try meaning(value)
            var writer = XMLWriter()
            let (soap, own) = (XMLNamespace("urn:1"), XMLNamespace("urn:2"))
            writer.startElement(XMLName(soap, "Body"), declaring: [("p", soap), ("q", XMLNamespace("urn:3"))])
            writer.element(
                XMLName(own, "e"), Envelope(value: value, plain: [value]),
                declaring: [("n1", own)] + (chance.next(2) == 0 ? [("n2", XMLNamespace("urn:envelope"))] : []))
            writer.element(
                XMLName(own, "direct"), value, declaring: [("n2", own), ("r", XMLNamespace("urn:envelope"))],
                attributes: [(XMLName(soap, "only-here"), "1")])
            writer.endElement(XMLName(soap, "Body"))
            let bytes = try writer.finish()
            let body = try XMLFragment(parsing: bytes).children
            let envelope = try body[0].structure(Envelope.self)
            #expect(body[0].namespaceURI == "urn:2" && body[1].namespaceURI == "urn:2")
            #expect(envelope.plain.count == 1)
            for any in [try #require(envelope.value)] + envelope.plain { #expect(try meaning(any) == expected) }
            #expect(try meaning(body[1].content) == " {urn:1}only-here=1" + expected)
            let fragment = try XMLFragment(parsing: document)
            #expect(try meaning(XMLAny(children: [fragment]).children[0].content) == expected)
        }
    }

    @Test func nilAndAbsent() throws {
        let read = try decode(Envelope.self, "<e xmlns='urn:envelope' xmlns:i='\(xsi)'><value i:nil='true'/></e>")
        #expect(read.value == nil)
        #expect(throws: XMLError(.invalidValue, "")) {
            try decode(Envelope.self, "<e xmlns='urn:envelope' xmlns:i='\(xsi)'><plain xmlns='' i:nil='true'/></e>")
        }
    }

    /// A predicted start tag has no attributes; those of an element before it are not taken for its own.
    @Test func attributesOfOthersAreNotTaken() throws {
        let read = try decode(
            Envelope.self,
            "<q:e xmlns:q='urn:envelope' b='1'><q:value>1</q:value><plain>2</plain><plain/><plain >3</plain></q:e>")
        #expect(read.value?.attributes == [])
        #expect(read.value?.text == "1")
        #expect(read.plain.map(\.text) == ["2", "", "3"])
    }

    @Test func writing() throws {
        let types = XMLNamespace("urn:t")
        let any = try XMLAny(
            declaring: [("t", types)],
            attributes: { writer in
                writer.attribute(XMLName(.schemaInstance, "type"), qualifiedName: XMLName(types, "Person"))
                writer.attribute(XMLName(.none, "a"), "<\">")
            },
            writing: { writer in
                writer.startElement(XMLName(types, "name"))
                writer.text("A & B")
                writer.endElement(XMLName(types, "name"))
                writer.startElement(XMLName(.none, "plain")) { writer in
                    writer.attribute(
                        XMLName(.schemaInstance, "type"), qualifiedName: XMLName("urn:other", "Kind"))
                }
                writer.endElement(XMLName(.none, "plain"))
            })
        #expect(
            try meaning(any)
                == " type={urn:t}Person {}a=<\"><{urn:t}name>A & B</><{}plain type={urn:other}Kind></></>")
        #expect(any.children.map(\.localName) == ["name", "plain"])
        #expect(any.attribute("a") == "<\">")
        #expect(try XMLAny(Document(country: "ES", number: "1")).structure(Document.self).country == "ES")
        #expect(try XMLAny(text: "12").value(Int32.self) == 12)
        #expect(XMLAny(children: any.children).children == any.children)
        #expect(try XMLAny(XMLFragment(XMLName("urn:x", "n"), any)) == any)
        #expect(try meaning(XMLAny()) == "</>")
    }

    @Test func invalidXMLContentIsRefused() {
        #expect(throws: XMLError(.unwritable, "")) { try XMLAny(text: "\u{0}") }
        #expect(throws: XMLError.self) { try XMLAny(writing: { $0.startElement(XMLName("", "open")) }) }
        #expect(throws: XMLError.self) { try XMLAny(writing: { $0.endElement(XMLName("", "any")) }) }
        #expect(throws: XMLError.self) { try XMLAny(writing: { $0.ascii("<a") }) }
    }
}

/// Elements made by chance, the same in every run.
private struct Chance {
    var seed: UInt64

    mutating func next(_ bound: Int) -> Int {
        seed = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(truncatingIfNeeded: seed >> 33) % bound
    }

    /// Prefixes declared around the place, the empty one among them when there is a default namespace.
    mutating func element(depth: Int, declared outer: Set<String> = []) -> String {
        var declared = outer
        var tag = ""
        for prefix in ["", "n1", "n2", "p", "q", "xsi"] where next(3) == 0 {
            let uri = prefix == "xsi" ? XMLNamespace.schemaInstance.uri : "urn:\(1 + next(4))"
            tag += prefix.isEmpty ? " xmlns='\(next(4) == 0 ? "" : uri)'" : " xmlns:\(prefix)='\(uri)'"
            declared.insert(prefix)
        }
        let prefixes = declared.subtracting(["xsi"]).sorted() + [""]
        func qualified(_ prefix: String, _ name: String) -> String { prefix.isEmpty ? name : "\(prefix):\(name)" }
        let name = qualified(prefixes[next(prefixes.count)], "abc".map(String.init)[next(3)])
        if next(2) == 0 { tag += " \(qualified(prefixes[next(prefixes.count)], "x"))='\(next(9))'" }
        if declared.contains("xsi"), next(2) == 0 {
            tag += " xsi:type='\(qualified(prefixes[next(prefixes.count)], "T"))'"
        }
        var content = next(2) == 0 ? "t&amp;\(next(9))" : ""
        if depth < 4 { for _ in 0..<next(3) { content += element(depth: depth + 1, declared: declared) } }
        return "<\(name)\(tag)>\(content)</\(name)>"
    }
}

@Suite struct PrefixTests {
    /// A prefix too long for the fast way, and names around the size of a word.
    @Test func longPrefixes() throws {
        let reading = Reading(id: 1, name: "n", value: [2, 3], inner: Inner(value: 4, unit: "kg"), last: "l")
        for prefix in ["a", "abcde", "abcdef", "averylongprefix"] {
            var writer = XMLWriter()
            let namespace = XMLNamespace("urn:readings")
            writer.element(XMLName(namespace, "r"), reading, declaring: [(prefix, namespace)])
            let text = String(decoding: try writer.finish(), as: UTF8.self)
            #expect(text.contains("<\(prefix):inner unit=\"kg\">4</\(prefix):inner>"))
            #expect(try decode(text) == reading)
        }
    }

    @Test(arguments: [6, 7, 8, 9, 14, 15, 16, 17, 30]) func longNames(length: Int) throws {
        let name = String(repeating: "n", count: length)
        var writer = XMLWriter()
        writer.startElement(XMLName("urn:l", name))
        writer.endElement(XMLName("urn:l", name))
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        #expect(text == "<n1:\(name) xmlns:n1=\"urn:l\"></n1:\(name)>")
        #expect(try decode(encode(Named.names(length), as: XMLName("urn:l", "r"))) == Named.names(length))
    }

    /// Prefixes wished for that are in use, empty, or would be chosen by the writer itself.
    @Test func prefixesNeverMeanTwoThings() throws {
        var writer = XMLWriter()
        let (a, b, c) = (XMLNamespace("urn:1"), XMLNamespace("urn:2"), XMLNamespace("urn:3"))
        writer.startElement(XMLName(a, "a"), declaring: [("n1", b), ("", c)])
        writer.startElement(XMLName(c, "c"), declaring: [("n1", c)])
        writer.startElement(XMLName(b, "b"))
        writer.startElement(XMLName(.none, "none"))
        writer.endElement(XMLName(.none, "none"))
        writer.endElement(XMLName(b, "b"))
        writer.endElement(XMLName(c, "c"))
        writer.endElement(XMLName(a, "a"))
        let text = String(decoding: try writer.finish(), as: UTF8.self)
        #expect(try trace(text) == "<{urn:1}a><{urn:3}c><{urn:2}b><none></></></></>", "\(text)")
    }
}

/// Elements whose names have six to thirty letters.
private struct Named: XMLStructure {
    typealias Values = (String?, String?, String?, String?, String?, String?, String?, String?, String?)
    var values: Values = (nil, nil, nil, nil, nil, nil, nil, nil, nil)
    static let paths: [(length: Int, path: any WritableKeyPath<Values, String?> & Sendable)] = [
        (6, \.0), (7, \.1), (8, \.2), (9, \.3), (14, \.4), (15, \.5), (16, \.6), (17, \.7), (30, \.8),
    ]

    static func names(_ length: Int) -> Named {
        var named = Named(_decoding: ())
        for (other, path) in paths where other == length { named.values[keyPath: path] = "x" }
        named.values.8 = "y"
        return named
    }

    init(_decoding: Void) {}

    static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
        fields.names(
            ["urn:l"],
            elements: paths.map { String(repeating: "n", count: $0.length) + "?" }.joined(separator: " "))
        for (_, path) in paths { fields.field(&x.values[keyPath: path]) }
    }
}

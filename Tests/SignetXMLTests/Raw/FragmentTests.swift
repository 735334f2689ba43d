import SignetXML
import Testing

@Suite struct FragmentTests {
    func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// What was written comes back byte for byte: comments, instructions, CDATA, references, line ends, quotes.
    @Test(arguments: [
        "<a/>", "<a></a >", "<a b='1' c = \"2\"\n/>", "<a><!-- c --><?pi x?><![CDATA[<&]]>&#65;&amp;\r\n</a>",
        "<p:a xmlns:p='urn:p' p:b='x'><b xmlns='urn:b'/><p:c xmlns:p='urn:q'/></p:a>", "<é ü='ö'>ä</é>",
    ])
    func bytesAreKept(document: String) throws {
        #expect(text(try XMLFragment(parsing: document).bytes) == document)
        #expect(
            text(try XMLFragment(parsing: "\u{FEFF}<?xml version='1.0'?>\n<!-- x -->\(document)\n<?y?>").bytes)
                == document)
    }

    @Test func declarationsAroundAreTakenAlong() throws {
        func kept(_ scope: String, _ element: String) throws -> String {
            let fragment = try XMLReader.read(Array("<r \(scope)>\(element)</r>".utf8)) { (reader) throws(XMLError) in
                try reader.root()
                _ = try reader.nextChild()
                return try reader.fragment()
            }
            #expect(try XMLFragment(parsing: fragment.bytes) == fragment)
            #expect(try XMLFragment(parsing: fragment.bytes).hashValue == fragment.hashValue)
            return text(fragment.bytes)
        }
        let xsi = "http://www.w3.org/2001/XMLSchema-instance"
        // Unused ones stay behind; those declared inside are not declared again.
        #expect(try kept("xmlns:p='urn:p' xmlns:q='urn:q'", "<p:x/>") == "<p:x xmlns:p=\"urn:p\"/>")
        #expect(try kept("xmlns:p='urn:p'", "<p:x xmlns:p='urn:o'/>") == "<p:x xmlns:p='urn:o'/>")
        #expect(
            try kept("xmlns:p='urn:p'", "<x><p:y xmlns:p='urn:o'/><p:z/></x>")
                == "<x xmlns:p=\"urn:p\"><p:y xmlns:p='urn:o'/><p:z/></x>")
        // A default namespace, also one that was taken back.
        #expect(try kept("xmlns='urn:d'", "<x><y/></x>") == "<x xmlns=\"urn:d\"><y/></x>")
        #expect(try kept("xmlns='urn:d'", "<x xmlns=''><y/></x>") == "<x xmlns=''><y/></x>")
        // Qualified names in values and texts.
        #expect(
            try kept("xmlns:i='\(xsi)' xmlns:t='urn:t'", "<x i:type='t:Y'/>")
                == "<x xmlns:i=\"\(xsi)\" xmlns:t=\"urn:t\" i:type='t:Y'/>")
        #expect(
            try kept("xmlns:i='\(xsi)' xmlns='urn:d' xmlns:p='urn:p'", "<p:x i:type='Y'/>")
                == "<p:x xmlns:i=\"\(xsi)\" xmlns=\"urn:d\" xmlns:p=\"urn:p\" i:type='Y'/>")
        #expect(try kept("xmlns:t='urn:t'", "<x> t:code </x>") == "<x xmlns:t=\"urn:t\"> t:code </x>")
        #expect(
            try kept("xmlns:t='urn:t'", "<x a='/t:a/t:b'><![CDATA[t:]]></x>")
                == "<x xmlns:t=\"urn:t\" a='/t:a/t:b'><![CDATA[t:]]></x>")
        #expect(try kept("xmlns:t='urn:t'", "<x>at:code 12:30 http://t/</x>") == "<x>at:code 12:30 http://t/</x>")
        // Names are escaped as they must be.
        #expect(try kept("xmlns:p='urn:&amp;&quot;&lt;'", "<p:x/>") == "<p:x xmlns:p=\"urn:&amp;&quot;&lt;\"/>")
    }

    @Test func accessors() throws {
        let fragment = try XMLFragment(
            parsing:
                "<p:a xmlns:p='urn:p' b='1&#10;2' p:c='3'>one<b>two</b><!-- --><p:b><c>&lt;</c></p:b> <![CDATA[three]]></p:a>"
        )
        #expect(fragment.isElement(XMLName("urn:p", "a")))
        #expect(!fragment.isElement(XMLName("", "a")))
        #expect(fragment.text == "onetwo< three")
        #expect(fragment.attribute("b") == "1\n2")
        #expect(fragment.attribute("c", namespace: XMLNamespace("urn:p")) == "3")
        #expect(fragment.attribute("c") == nil)
        #expect(fragment.attributes.map(\.localName) == ["b", "c"])
        #expect(fragment.children.map(\.localName) == ["b", "b"])
        #expect(text(fragment.children[1].bytes) == "<p:b xmlns:p=\"urn:p\"><c>&lt;</c></p:b>")
        #expect(fragment.children[1].children[0].text == "<")
        #expect(!fragment.isNil)
    }

    @Test func valuesAndStructures() throws {
        #expect(try XMLFragment(parsing: "<n> 12 </n>").value(Int32.self) == 12)
        let document = Document(country: "ES", number: "1")
        let fragment = try XMLFragment(XMLName("urn:choice", "d"), document)
        #expect(try fragment.structure(Document.self) == document)
        #expect(throws: XMLError(.missing, "")) { try XMLFragment(parsing: "<d/>").structure(Document.self) }
        let dated = try XMLFragment(XMLName("", "d"), value: 7 as Int32)
        #expect(text(dated.bytes) == "<d>7</d>")
        let words = try fragment.read { (reader) throws(XMLError) in
            var words: [String] = []
            while try reader.nextChild() { words.append(try reader.elementText()) }
            return words
        }
        #expect(words == ["ES", "1"])
    }

    @Test func texts() throws {
        #expect(text(try XMLFragment(XMLName("", "n"), text: "a<b").bytes) == "<n>a&lt;b</n>")
        #expect(
            try XMLFragment(XMLName("urn:x", "n"), text: "t")
                == XMLFragment(parsing: "<n1:n xmlns:n1=\"urn:x\">t</n1:n>"))
        #expect(throws: XMLError(.unwritable, "")) { try XMLFragment(XMLName("", "n"), text: "\u{0}") }
        #expect(throws: XMLError(.unwritable, "")) { try XMLFragment(XMLName("", "n><m"), text: "") }
        #expect(throws: XMLError(.unwritable, "")) { try XMLFragment(XMLName("", ""), text: "") }
    }

    @Test(arguments: ["", "text", "<a>", "<a/><b/>", "<p:a/>", "<!DOCTYPE a><a/>", "<a>\u{1}</a>"])
    func onlyWholeElementsAreParsed(document: String) {
        #expect(throws: XMLError.self) { try XMLFragment(parsing: document) }
        #expect(throws: XMLError.self) { try XMLFragment(writing: { $0.ascii(document) }) }
    }

    @Test func descriptionsAndErrorsHoldNoContent() throws {
        let fragment = try XMLFragment(parsing: "<p:n xmlns:p='urn:p' a='hunter2'>hunter2</p:n>")
        var text = "\(fragment) \(String(reflecting: fragment)) \([fragment])"
        dump(fragment, to: &text)
        dump(XMLAny(fragment), to: &text)
        text += "\(XMLAny(fragment))"
        #expect(text.contains("{urn:p}n"))
        #expect(!text.contains("hunter2") && !text.contains("104, 117"))
        let error = #expect(throws: XMLError.self) { try fragment.value(Int32.self) }
        #expect(error?.code == .invalidValue)
        #expect(error?.description.contains("hunter2") == false)
    }

    /// Deep and wide content is kept and walked without recursion.
    @Test func largeFragments() throws {
        var limits = XMLLimits()
        limits.depth = 100_000
        let deep = String(repeating: "<a>", count: 50_000) + "x" + String(repeating: "</a>", count: 50_000)
        #expect(try XMLFragment(parsing: deep, limits: limits).text == "x")
        let wide = "<a>\(String(repeating: "<b/>", count: 50_000))</a>"
        #expect(try XMLFragment(parsing: wide).children.count == 50_000)
    }
}

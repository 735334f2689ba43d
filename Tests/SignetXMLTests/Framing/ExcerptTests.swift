import SignetXML
import Testing

/// Generated types read from excerpts as from the whole document.
@Suite struct ExcerptTests {
    private let path = [XMLName("urn:readings", "list"), XMLName("urn:readings", "r")]

    private func excerpts(_ text: String) throws(XMLError) -> [XMLExcerpt] {
        var framer = XMLFramer(path: path)
        framer.push(Array(text.utf8))
        framer.finish()
        var found: [XMLExcerpt] = []
        while let event = try framer.next() {
            if case .element(let excerpt) = event { found.append(excerpt) }
        }
        return found
    }

    @Test func namespacesAroundCount() throws {
        let text = """
            <p:list xmlns:p="urn:readings" xmlns:i="http://www.w3.org/2001/XMLSchema-instance" xmlns:x="urn:foreign">
              <p:r source="s"><p:id>1</p:id><p:name>n</p:name><p:note i:nil="true"/><last x:y="z">l</last></p:r>
              <q:r xmlns:q="urn:readings"><q:id>2</q:id><p:name>m</p:name><last i:nil="1"/></q:r>
            </p:list>
            """
        let found = try excerpts(text)
        #expect(
            try found.map { excerpt throws(XMLError) in try excerpt.structure(Reading.self).name } == ["n", "m"])
        #expect(found.first?.declarationsInScope.map(\.prefix) == ["p", "i", "x"])
        #expect(found.first?.declarationsInScope.last?.uri == "urn:foreign")
        let fragment = try found.first.map { excerpt throws(XMLError) in
            try XMLReader.read(excerpt) { (reader) throws(XMLError) in
                try reader.root()
                return try reader.fragment()
            }
        }
        #expect(fragment?.description.contains("{urn:readings}r") == true)
        #expect(try fragment?.structure(Reading.self).source == "s")
    }

    @Test func deviationsAreTakenAsAskedFor() throws {
        let text =
            "<list xmlns='urn:readings'><r><id>1</id><name/><last xmlns=''/><more/></r><r><id>x</id><name/><last xmlns=''/></r></list>"
        let found = try excerpts(text)
        let (grown, odd) = (try #require(found.first), try #require(found.last))
        #expect(try grown.structure(Reading.self).id == 1)
        let strict = #expect(throws: XMLError.self) { try grown.structure(Reading.self, tolerance: .strict) }
        #expect(strict?.code == .unexpected)
        #expect(throws: XMLError.self) { try odd.structure(Reading.self) }
        #expect(try odd.structure(Reading.self, tolerance: .lenient).name == "")
    }

    /// The same defect of a value: the same words, place and path as from the whole document.
    @Test(arguments: [
        "<id>x</id><name/>", "<id>1</id>", "<id>1</id><id>2</id>", "<id>1</id><name/>text",
        "<id>1</id><name><b/></name>",
        "<id>1</id><name/><inner>1</inner>", "<id>1</id><name/><taken>2026-02-30</taken>", "<id>1</id><name>&x;</name>",
        "<id>1</id><name></id>", "<id>1</id><name a='1' a='2'/>", "<id>1</id><name/><y:z/>",
    ])
    func errorsEqualThoseOfTheWholeDocument(content: String) throws {
        let text =
            "\u{FEFF}<list xmlns='urn:readings'>\r\n<!-- ä -->\r\n  <r>\n<id>1</id><name/><last xmlns=''/></r>é<r>\(content)<last xmlns=''/></r></list>"
        let whole = #expect(throws: XMLError.self) {
            try XMLReader.read(Array(text.utf8)) { reader in
                while try reader.nextElement(XMLName("urn:readings", "r")) { _ = try reader.structure(Reading.self) }
            }
        }
        let framed = #expect(throws: XMLError.self) {
            for excerpt in try excerpts(text) { _ = try excerpt.structure(Reading.self) }
        }
        #expect(try #require(framed).description == #require(whole).description)
        #expect(framed?.code == whole?.code)
        #expect(framed?.offset == whole?.offset)
    }

    /// Values that stand outside of the repeated elements, before and behind them.
    @Test func placesInTheRemainderAreThoseOfTheDocument() throws {
        let wrong = "<a xmlns='urn:1'>\n<e>1</e>\n<e>2</e><n>x</n><e>3</e>\n</a>"
        func read(_ reader: inout XMLReader) throws {
            while try reader.nextElement(XMLName("urn:1", "n")) { _ = try reader.value(Int32.self) }
        }
        let whole = #expect(throws: XMLError.self) { try XMLReader.read(Array(wrong.utf8)) { try read(&$0) } }
        var framer = XMLFramer(path: [XMLName("urn:1", "a"), XMLName("urn:1", "e")])
        framer.push(Array(wrong.utf8))
        framer.finish()
        let framed = #expect(throws: XMLError.self) {
            while let event = try framer.next() {
                if case .remainder(let excerpt) = event { try XMLReader.read(excerpt) { try read(&$0) } }
            }
        }
        #expect(try #require(framed).description == #require(whole).description)
        #expect(framed?.line == 3)
    }
}

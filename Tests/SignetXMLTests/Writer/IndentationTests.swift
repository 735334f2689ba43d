import SignetXML
import Testing

@Suite struct IndentationTests {
    @Test func indentationStandsOnlyBetweenElements() throws {
        func name(_ local: String) -> XMLName { XMLName(.none, local) }
        func element(_ local: String, _ writer: inout XMLWriter, _ content: (inout XMLWriter) -> Void = { _ in }) {
            writer.startElement(name(local))
            content(&writer)
            writer.endElement(name(local))
        }
        var writer = XMLWriter(indentation: .spaces(2))
        writer.declaration()
        writer.startElement(name("root"))
        element("empty", &writer)
        element("simple", &writer) { $0.text("x") }
        element("space", &writer) { writer in
            writer.text(" ")
            element("a", &writer)
        }
        element("mixed", &writer) { writer in
            element("a", &writer) { element("b", &$0) }
            writer.text("late")
            element("a", &writer) { element("b", &$0) }
        }
        writer.startElement(name("kept"), attributes: [(XMLName(.xml, "space"), "preserve")])
        element("a", &writer) { element("b", &$0) }
        writer.endElement(name("kept"))
        writer.wildcard(try XMLFragment(parsing: "<raw><a/> <b/></raw>"))
        writer.element(name("any"), try XMLFragment(parsing: "<raw><a/><b/></raw>").content)
        writer.element(
            XMLName("urn:readings", "r"), Reading(id: 1, name: "n", note: .null, inner: Inner(value: 1, unit: "kg")))
        let prefixes = writer.segment(into: { _ in }) { writer in
            element("signed", &writer) { element("a", &$0) }
        }
        element("last", &writer) { element("a", &$0) }
        writer.endElement(name("root"))
        let (bytes, segments) = try writer.finishWithSegments()
        #expect(
            String(decoding: bytes, as: UTF8.self) == """
                <?xml version="1.0" encoding="UTF-8"?>
                <root xmlns:n1="urn:readings" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
                  <empty></empty>
                  <simple>x</simple>
                  <space> <a></a></space>
                  <mixed><a><b></b></a>late<a><b></b></a></mixed>
                  <kept xml:space="preserve"><a><b></b></a></kept>
                  <raw><a/> <b/></raw>
                  <any><a/><b/></any>
                  <n1:r>
                    <n1:id>1</n1:id>
                    <n1:name>n</n1:name>
                    <n1:note xsi:nil="true"></n1:note>
                    <n1:inner unit="kg">1</n1:inner>
                    <last xsi:nil="true"></last>
                  </n1:r>
                  <signed><a></a></signed>
                  <last>
                    <a></a>
                  </last>
                </root>
                """)
        #expect(segments.map { String(decoding: bytes[$0.range], as: UTF8.self) } == ["<signed><a></a></signed>"])
        #expect(prefixes.isEmpty)
    }
}

import SignetXML
import Testing

/// XML Schema Part 2 §3.2.18: names resolved with, and written into, the namespaces in scope.
@Suite struct QNameTests {
    /// A structure with names in an element, in a list, in attributes and in simple content.
    struct Fault: XMLStructure {
        var code = XSDQName._placeholder
        var allowed: XSDList<XSDQName> = []
        var detail = Detail()
        var kind: XSDQName?

        init(_decoding: Void = ()) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:fault"], elements: "code allowed detail", attributes: "kind?")
            fields.field(&x.code)
            fields.field(&x.allowed)
            fields.field(&x.detail)
            fields.field(&x.kind)
        }
    }

    struct Detail: XMLStructure {
        var kind: XSDQName?
        var text = XSDQName._placeholder

        init(_decoding: Void = ()) {}
        static func xmlFields(_ x: inout Self, _ fields: inout XMLFields) {
            fields.names(["urn:fault"], attributes: "kind?", text: true)
            fields.field(&x.kind)
            fields.field(&x.text)
        }
    }

    private func read(_ document: String) throws -> Fault {
        try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
            try reader.root()
            return try reader.structure(Fault.self)
        }
    }

    private func name(_ uri: String, _ local: String) throws -> XSDQName {
        try #require(XSDQName(namespaceURI: uri, localName: local))
    }

    @Test func namesAreResolvedInTheirScope() throws {
        let fault = try read(
            """
            <f:fault xmlns:f="urn:fault" xmlns:a="urn:outer" kind="a:k">
            <f:code xmlns:a="urn:a">
              a:Server </f:code>
            <f:allowed>a:x f:y <!-- --> z</f:allowed>
            <f:detail xmlns="urn:default" kind="f:k">name</f:detail></f:fault>
            """)
        #expect(fault.code == (try name("urn:a", "Server")))
        #expect(fault.code.prefix == "a")
        #expect(fault.allowed.items == [try name("urn:outer", "x"), try name("urn:fault", "y"), try name("", "z")])
        #expect(fault.kind == (try name("urn:outer", "k")))
        #expect(fault.detail.text == (try name("urn:default", "name")))
        #expect(fault.detail.kind == (try name("urn:fault", "k")))
    }

    @Test(arguments: [
        "b:x", "a:", ":x", "a:b:c", "a: x", "", "1", "a:1", "a x", "xmlns:x",
    ])
    func invalidNamesAreRefused(text: String) {
        #expect(throws: XMLError.self) {
            try read(
                "<f:fault xmlns:f='urn:fault' xmlns:a='urn:a'><f:code>\(text)</f:code><f:allowed/><f:detail>x</f:detail></f:fault>"
            )
        }
    }

    /// A declaration is gone when its element has ended, and is not taken for the next.
    @Test func declarationsEndWithTheirElement() {
        #expect(throws: XMLError.self) {
            try read(
                "<fault xmlns='urn:fault'><code xmlns:a='urn:a'>a:x</code><allowed>a:x</allowed><detail>x</detail></fault>"
            )
        }
    }

    @Test func theReservedPrefix() throws {
        #expect(
            try XMLReader.read(Array("<a>xml:lang</a>".utf8)) { reader in
                try reader.root()
                return try reader.value(XSDQName.self)
            } == (try name("http://www.w3.org/XML/1998/namespace", "lang")))
    }

    private func written(_ fault: Fault, declaring: [(prefix: String, namespace: XMLNamespace)] = []) throws -> String {
        var writer = XMLWriter()
        writer.element(XMLName("urn:fault", "fault"), fault, declaring: declaring)
        return String(decoding: try writer.finish(), as: UTF8.self)
    }

    @Test func namesAreWrittenWithDeclaredPrefixes() throws {
        var fault = Fault()
        fault.code = try #require(XSDQName(namespaceURI: "urn:never-named-a", localName: "x", prefix: "a"))
        fault.allowed = [
            try #require(XSDQName(namespaceURI: "urn:never-named-b", localName: "x", prefix: "n1")),
            try #require(XSDQName(namespaceURI: "urn:never-named-b", localName: "y", prefix: "c")),
            try name("urn:never-named-c", "z"), try name("urn:fault", "w"), try name("", "v"),
            try name("http://www.w3.org/XML/1998/namespace", "lang"),
        ]
        fault.detail.text = try #require(XSDQName(namespaceURI: "urn:never-named-a", localName: "x", prefix: "xmlq"))
        fault.detail.kind = XSDQName(namespaceURI: "urn:never-named-d", localName: "x", prefix: "d")
        fault.kind = XSDQName(namespaceURI: "urn:never-named-e", localName: "x", prefix: "bad prefix")
        let text = try written(fault)
        #expect(
            text == """
                <n1:fault xmlns:n1="urn:fault" xmlns:n2="urn:never-named-e" xmlns:a="urn:never-named-a" \
                xmlns:n3="urn:never-named-b" xmlns:n4="urn:never-named-c" xmlns:d="urn:never-named-d" kind="n2:x">\
                <n1:code>a:x</n1:code>\
                <n1:allowed>n3:x n3:y n4:z n1:w v xml:lang</n1:allowed>\
                <n1:detail kind="d:x">a:x</n1:detail></n1:fault>
                """)
        #expect(try read(text) == fault)
    }

    @Test func knownNamespacesAreDeclaredOnce() throws {
        var fault = Fault()
        fault.code = try name("urn:soap-like", "Server")
        fault.allowed = [try name("urn:soap-like", "a")]
        fault.detail.text = try name("urn:soap-like", "b")
        let text = try written(fault, declaring: [("s", XMLNamespace("urn:soap-like"))])
        #expect(text.split(separator: "urn:soap-like").count == 2)
        #expect(try read(text) == fault)
        #expect(try read(try written(fault)) == fault)
    }

    @Test func unwritableNamesAreErrors() throws {
        var fault = Fault()
        fault.code = try name("", "x")
        fault.code.localName = "<x"
        #expect(throws: XMLError(.unwritable, "")) { try written(fault) }
        #expect(XSDQName(namespaceURI: "", localName: "a:b") == nil)
        #expect(XSDQName(namespaceURI: "", localName: "") == nil)
    }

    @Test func aloneANameKeepsItsPrefix() throws {
        #expect(XSDQName(namespaceURI: "urn:a", localName: "x", prefix: "p")?.lexicalForm == "p:x")
        #expect(try name("urn:a", "x").description == "{urn:a}x")
    }
}

import SignetXML
import Testing

/// Reads a whole document and returns a trace of what was found.
func trace(
    _ document: [UInt8], limits: XMLLimits = .init(), charset: String? = nil, doctype: XMLDoctype = .refused
) throws(XMLError) -> String {
    try XMLReader.read(document, limits: limits, charset: charset, doctype: doctype) { (reader) throws(XMLError) in
        var trace = ""
        while true {
            switch try reader.next() {
            case .startElement:
                trace += "<\(reader.namespaceURI.isEmpty ? "" : "{\(reader.namespaceURI)}")\(reader.elementName)"
                for (uri, name, value) in reader.allAttributes() {
                    trace += " \(uri.isEmpty ? "" : "{\(uri)}")\(name)=\(value)"
                }
                trace += ">"
            case .endElement: trace += "</>"
            case .text: trace += try reader.currentText()
            case .endOfDocument: return trace
            }
        }
    }
}

func trace(_ document: String, limits: XMLLimits = .init()) throws(XMLError) -> String {
    try trace(Array(document.utf8), limits: limits)
}

@Suite struct WellFormednessTests {
    @Test func thePrefixXMLIsBoundEverywhere() {
        let prefixes = ["xml", "none"]
        let names = XMLReader.read(Array("<a/>".utf8)) { reader in prefixes.map { reader.namespaceURI(forPrefix: $0) } }
        #expect(names == [XMLNamespace.xml.uri, nil])
        let list: XSDList<XSDQName>? = try? XMLReader.read(Array("<a>xml:b<![CDATA[ xml:c]]></a>".utf8)) {
            (reader) throws(XMLError) in
            try reader.root()
            return try reader.value()
        }
        #expect(list?.items.map(\.namespaceURI) == [XMLNamespace.xml.uri, XMLNamespace.xml.uri])
    }

    /// Names are compared character by character (XML 1.0 §1.2, “match”), however many there are.
    @Test(arguments: [0, 20]) func attributesWithDifferentlyComposedLettersAreTwo(others: Int) {
        let more = (0..<others).map { " a\($0)=''" }.joined()
        #expect(throws: Never.self) { try trace("<a \u{E9}='1' e\u{301}='2'\(more)/>") }
        #expect(throws: XMLError(.malformed, "")) { try trace("<a \u{E9}='1' \u{E9}='2'\(more)/>") }
    }

    @Test(arguments: [
        ("<a/>", "<a></>"),
        ("<a></a >", "<a></>"),
        ("\u{FEFF}<a/>", "<a></>"),
        ("<?xml version='1.0' encoding=\"utf-8\" standalone='yes' ?>\n<a/>\n", "<a></>"),
        ("<!-- one --><?pi two?><a><!----><?pi?>x</a><!-- three -->", "<a>x</>"),
        ("<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;</a>", "<a><>&\"'A😀</>"),
        ("<a><![CDATA[<&]]]]></a>", "<a><&]]</>"),
        ("<a>one\r\ntwo\rthree</a>", "<a>one\ntwo\nthree</>"),
        ("<a b=' x\t\ny&#10;z&amp;' c=\"'\"/>", "<a b= x  y\nz& c='></>"),
        (
            "<p:a xmlns:p='urn:1'><b xmlns='urn:2' p:c='1' c='2'/><p:d/></p:a>",
            "<{urn:1}a><{urn:2}b {urn:1}c=1 c=2></><{urn:1}d></></>"
        ),
        ("<a xmlns='urn:1'><b xmlns=''/></a>", "<{urn:1}a><b></></>"),
        ("<a xml:lang='de'/>", "<a {http://www.w3.org/XML/1998/namespace}lang=de></>"),
        ("<é ü='ö'>ä</é>", "<é ü=ö>ä</>"),
        ("<a>]] ></a>", "<a>]] ></>"),
        ("<p:a xmlns:p='urn:1'><p:b xmlns:p='urn:2'/><p:c/></p:a>", "<{urn:1}a><{urn:2}b></><{urn:1}c></></>"),
    ])
    func accepts(document: String, expected: String) throws {
        #expect(try trace(document) == expected)
    }

    @Test(arguments: [
        ("", XMLError.Code.unexpectedEnd, 0),
        ("   ", .unexpectedEnd, 3),
        ("\u{FEFF}", .unexpectedEnd, 3),
        ("\u{FEFF}<", .unexpectedEnd, 3),
        ("text", .malformed, 0),
        ("<a>", .unexpectedEnd, 3),
        ("<a", .unexpectedEnd, 2),
        ("<a></b>", .malformed, 3),
        ("<a></a></a>", .malformed, 7),
        ("<a/><b/>", .malformed, 4),
        ("<a/>text", .malformed, 4),
        ("<a></a", .unexpectedEnd, 6),
        ("<abc></ab", .unexpectedEnd, 9),
        ("<a></", .unexpectedEnd, 5),
        ("<a></a  ", .unexpectedEnd, 8),
        ("<abc></ab>", .malformed, 5),
        ("<ab></abc>", .malformed, 4),
        ("<a><b/", .unexpectedEnd, 6),
        ("<a b", .unexpectedEnd, 4),
        ("<a b=", .unexpectedEnd, 5),
        ("<a><!-- x --", .unexpectedEnd, 3),
        ("<a><!-", .unexpectedEnd, 3),
        ("<a><!", .unexpectedEnd, 3),
        ("<a><![CDATA", .unexpectedEnd, 3),
        ("<![CDATA", .malformed, 0),
        ("<!DOC", .unexpectedEnd, 0),
        ("<a>&am", .unexpectedEnd, 3),
        ("<a>&#x1", .unexpectedEnd, 3),
        ("<a b='&", .unexpectedEnd, 6),
        ("<a>&am </a>", .malformed, 3),
        ("<a>&l;t;</a>", .malformed, 3),
        ("<a>&ltx;</a>", .malformed, 3),
        ("<a>&gt :</a>", .malformed, 3),
        ("<a>&ampx</a>", .malformed, 3),
        ("<a>&aposs;</a>", .malformed, 3),
        ("<a>&quote;</a>", .malformed, 3),
        ("<a>&LT;</a>", .malformed, 3),
        ("<a>x]]>&bad;</a>", .malformed, 4),
        ("<a>&amp;]]>&bad;</a>", .malformed, 8),
        ("<a:/>", .namespace, 3),
        ("<a:1 xmlns:a='urn:1'/>", .namespace, 3),
        ("<a xmlns:='urn:1'/>", .namespace, 9),
        ("<a><?p:?></a>", .namespace, 7),
        ("<a><?p:q?></a>", .namespace, 3),
        ("<a b='1' b='2'/>", .malformed, 9),
        ("<a xmlns:p='urn:1' xmlns:q='urn:1' p:b='1' q:b='2'/>", .malformed, 43),
        ("<a b='1'c='2'/>", .malformed, 8),
        ("<a b=1/>", .malformed, 5),
        ("<a b/>", .malformed, 4),
        ("<a b='<'/>", .malformed, 6),
        ("<a b='1/>", .unexpectedEnd, 6),
        ("<a>&nbsp;</a>", .malformed, 3),
        ("<a>& </a>", .malformed, 3),
        ("<a>&#0;</a>", .invalidCharacter, 3),
        ("<a>&#xD800;</a>", .invalidCharacter, 3),
        ("<a>&#99999999999999999999;</a>", .invalidCharacter, 3),
        ("<a>&#;</a>", .malformed, 3),
        ("<a>&#x;</a>", .malformed, 3),
        ("<a>]]></a>", .malformed, 3),
        ("<a><!-- -- --></a>", .malformed, 8),
        ("<a><!-- </a>", .unexpectedEnd, 3),
        ("<a><![CDATA[</a>", .unexpectedEnd, 3),
        ("<a><?xml version='1.0'?></a>", .malformed, 3),
        ("<a><?pi", .unexpectedEnd, 3),
        (" <?xml version='1.0'?><a/>", .malformed, 1),
        ("<?xml version='2.0'?><a/>", .malformed, 15),
        ("<?xml encoding='utf-8'?><a/>", .malformed, 6),
        ("<?xml version='1.0' encoding='utf-16'?><a/>", .unsupportedEncoding, 30),
        ("<?xml version='1.0' encoding=' utf-8'?><a/>", .malformed, 30),
        ("<?xml version='1.0' encoding=''?><a/>", .malformed, 30),
        ("<?xml version='1.0' standalone='yes' encoding='utf-8'?><a/>", .malformed, 37),
        ("<?xml version='1.0' standalone='YES'?><a/>", .malformed, 32),
        ("<?xml version='1.0'standalone='yes'?><a/>", .malformed, 19),
        ("<?xml version='1.'?><a/>", .malformed, 15),
        ("<?xml ?><a/>", .malformed, 6),
        ("<?xml?><a/>", .malformed, 5),
        ("<?xml", .unexpectedEnd, 0),
        ("<?xml version='1.0'?", .unexpectedEnd, 0),
        ("<!DOCTYPE a><a/>", .doctypeRefused, 0),
        ("<!DOCTYPE a [<!ENTITY b 'c'>]><a>&b;</a>", .doctypeRefused, 0),
        ("<p:a/>", .namespace, 1),
        ("<a p:b='1'/>", .namespace, 3),
        ("<a:b:c xmlns:a='urn:1'/>", .namespace, 4),
        ("<:a/>", .namespace, 1),
        ("<a xmlns:p=''/>", .namespace, 3),
        ("<a xmlns:xml='urn:1'/>", .namespace, 3),
        ("<a xmlns:xmlns='urn:1'/>", .namespace, 3),
        ("<a xmlns:p='http://www.w3.org/XML/1998/namespace'/>", .namespace, 3),
        ("<a xmlns='http://www.w3.org/2000/xmlns/'/>", .namespace, 3),
        ("<1/>", .malformed, 1),
        ("< a/>", .malformed, 1),
        ("<a>\u{1}</a>", .invalidCharacter, 3),
        ("<a>\u{FFFE}</a>", .invalidCharacter, 3),
    ])
    func refuses(document: String, code: XMLError.Code, offset: Int) {
        let error = #expect(throws: XMLError.self) { try trace(document) }
        #expect(error?.code == code, "\(document): \(String(describing: error))")
        #expect(error?.offset == offset, "\(document): \(String(describing: error))")
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
            [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF], [0xE2, 0x82], [0x00],
        ] as [[UInt8]])
    func refusesBytesThatAreNotUTF8(bytes: [UInt8]) {
        for padding in 0..<9 {
            let document = Array("<a>\(String(repeating: "x", count: padding))".utf8) + bytes + Array("</a>".utf8)
            let error = #expect(throws: XMLError.self) { try trace(document) }
            #expect(error?.code == .invalidCharacter)
            #expect(error?.offset == 3 + padding)
        }
    }

    @Test(arguments: ["<a><b>&bogus;</b></a>", "<a><b>& </b></a>", "<a><b>&#0;</b></a>"])
    func referencesInSkippedElementsAreChecked(document: String) {
        #expect(throws: XMLError.self) {
            try XMLReader.read(Array(document.utf8)) { (reader) throws(XMLError) in
                try reader.root()
                try reader.skipElement()
            }
        }
    }

    @Test func offsetsCountAByteOrderMark() {
        let error = #expect(throws: XMLError.self) { try trace("\u{FEFF}<a>&x;</a>") }
        #expect(error?.offset == 6)
        #expect(error?.column == 4)
    }

    @Test func callsBeyondTheEndReturn() throws {
        try XMLReader.read(Array("<a/>".utf8)) { (reader) throws(XMLError) in
            try reader.root()
            try reader.skipElement()
            try reader.skipElement()
            #expect(try reader.next() == .endOfDocument)
            #expect(try reader.next() == .endOfDocument)
            #expect(try reader.nextChild() == false)
        }
    }

    @Test func errorsHaveLineColumnAndPath() throws {
        let error = #expect(throws: XMLError.self) { try trace("<a>\n  <b>ä&x;</b>\n</a>") }
        #expect(error?.line == 2)
        #expect(error?.column == 7)
        #expect(error?.path == "a/b")
        #expect("\(try #require(error))".hasPrefix("line 2, column 7 (byte 11), in a/b: "))
    }

    @Test func everyTruncationIsAnError() throws {
        let document = Array(
            "<?xml version='1.0'?><p:a xmlns:p='urn:1' b='&amp;'><![CDATA[x]]>é<!-- c --><?p i?><c/>&#65;</p:a>".utf8)
        #expect(try trace(document) == "<{urn:1}a b=&>xé<c></>A</>")
        for length in 0..<document.count {
            #expect(throws: XMLError.self, "\(length)") { try trace(Array(document[..<length])) }
        }
    }

    @Test func limitsHold() {
        var limits = XMLLimits()
        limits.depth = 3
        limits.attributes = 2
        limits.namespaces = 2
        limits.nameBytes = 8
        limits.textBytes = 12
        limits.documentBytes = 100
        let over: [(String, XMLError.Code)] = [
            ("<a><a><a><a/></a></a></a>", .tooDeep), ("<a b='1' c='2' d='3'/>", .tooManyAttributes),
            ("<a xmlns:b='1'><c xmlns:d='2' xmlns:e='3'/></a>", .tooManyNamespaces),
            ("<abcdefghi/>", .nameTooLong), ("<a xmlns='urn:12345'/>", .nameTooLong),
            ("<a>0123456789ABC</a>", .textTooLong), ("<a b='0123456789ABC'/>", .textTooLong),
            ("<a><![CDATA[0123456789ABC]]></a>", .textTooLong),
            // What stands behind the limit is not looked at.
            ("<a>&lt;&lt;&lt;&lt;&bad;</a>", .textTooLong), ("<a b='&lt;&lt;&lt;&lt;&bad;'/>", .textTooLong),
            ("<a b='0123456789ABC", .textTooLong),
            ("<a>\(String(repeating: "<b/>", count: 30))</a>", .documentTooLarge),
        ]
        for (document, code) in over {
            #expect(code.isLimit)
            #expect(throws: XMLError(code, ""), "\(document)") { try trace(document, limits: limits) }
        }
        #expect(!XMLError.Code.malformed.isLimit)
        let within = ["<a><a><a/></a></a>", "<a b='1' c='2'/>", "<abcdefgh/>", "<a>0123456789AB</a>"]
        for document in within { #expect(throws: Never.self) { try trace(document, limits: limits) } }
    }

    @Test func hostileDocumentsEndQuickly() {
        let deep = String(repeating: "<a>", count: 100_000)
        #expect(throws: XMLError(.tooDeep, "")) { try trace(deep) }
        let wide = "<a " + (0..<100_000).map { "b\($0)='1'" }.joined(separator: " ") + "/>"
        #expect(throws: XMLError(.tooManyAttributes, "")) { try trace(wide) }
    }
}

/// Work must grow with the size of a document, not with its square.
@Suite struct LinearWorkTests {
    @Test func manyTextsAfterABracket() throws {
        let document = "<a>]" + String(repeating: "<b>x</b>", count: 200_000) + "</a>"
        #expect(try trace(document).hasPrefix("<a>]<b>x</><b>x</>"))
    }

    @Test func manyForeignNamespaces() throws {
        let document = "<a>" + (0..<50_000).map { "<b xmlns='urn:\($0)'/>" }.joined() + "</a>"
        #expect(try trace(document).hasSuffix("<{urn:49999}b></></>"))
    }
}

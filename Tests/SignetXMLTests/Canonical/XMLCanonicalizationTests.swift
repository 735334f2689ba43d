import Foundation
import Testing

@testable import SignetXML

/// Forms whose content the recommendations of the W3C say. Other implementations judge random documents elsewhere.
@Suite struct XMLCanonicalizationTests {
    private func form(
        _ document: String, _ method: XMLCanonicalization.Method = .inclusive10, comments: Bool = false,
        _ prefixes: [String] = [], doctype: XMLDoctype = .refused
    ) throws -> String {
        let form = XMLCanonicalization(method, hasComments: comments, inclusiveNamespaces: prefixes)
        return String(decoding: try form.canonicalForm(of: Array(document.utf8), doctype: doctype), as: UTF8.self)
    }

    @Test func whatStandsAroundTheRootElement() throws {
        let document = "<?xml version='1.0'?>\r\n<?style   href='a'\r\n?>\n<!-- one -->\n<a/>\n<?end?> <!-- two -->\n"
        #expect(try form(document) == "<?style href='a'\n?>\n<a></a>\n<?end?>")
        #expect(
            try form(document, comments: true)
                == "<?style href='a'\n?>\n<!-- one -->\n<a></a>\n<?end?>\n<!-- two -->")
    }

    @Test func textIsEscaped() throws {
        let document =
            "<a b='\"&lt;&#9;&#10;&#13;\t\r\n&apos;>'>&amp;&lt;&gt;>&#13;\r\n\r\"'<![CDATA[<&>\r\n]]>&#xE4;</a>"
        #expect(
            try form(document)
                == "<a b=\"&quot;&lt;&#x9;&#xA;&#xD;  '>\">&amp;&lt;&gt;&gt;&#xD;\n\n\"'&lt;&amp;&gt;\nä</a>")
    }

    @Test func tagsAreInOrder() throws {
        let document = """
            <b:a  c="1" b:a='2' x:y="3" a="4" xmlns:x='urn:a' xmlns='urn:z' xmlns:b="urn:b"
              ><e/></b:a >
            """
        #expect(
            try form(document)
                == #"<b:a xmlns="urn:z" xmlns:b="urn:b" xmlns:x="urn:a" a="4" c="1" x:y="3" b:a="2"><e></e></b:a>"#)
        // By namespace name, not by prefix; the default namespace does not count for attributes.
        #expect(
            try form(#"<a xmlns:p="urn:2" xmlns:q="urn:1" p:b="" q:c="" b=""/>"#)
                == #"<a xmlns:p="urn:2" xmlns:q="urn:1" b="" q:c="" p:b=""></a>"#)
    }

    @Test func declarationsThatSayNothingNewAreLeftOut() throws {
        let document = """
            <a xmlns="urn:1" xmlns:p="urn:2"><b xmlns="urn:1" xmlns:p="urn:2"><c xmlns=""><d xmlns=""/></c></b></a>
            """
        let inner = #"<c xmlns=""><d></d></c>"#
        #expect(try form(document) == #"<a xmlns="urn:1" xmlns:p="urn:2"><b>"# + inner + "</b></a>")
        #expect(try form(document, .exclusive10) == #"<a xmlns="urn:1"><b>"# + inner + "</b></a>")
        #expect(try form(#"<a xmlns=""><b xmlns=""/></a>"#) == "<a><b></b></a>")
        // A prefix that means something else in between.
        let changed = #"<p:a xmlns:p="urn:1"><p:b xmlns:p="urn:2"><p:c xmlns:p="urn:1"></p:c></p:b></p:a>"#
        #expect(try form(changed) == changed)
        #expect(try form(changed, .exclusive10) == changed)
    }

    @Test func exclusiveFormsDeclareWhatTheyUse() throws {
        let document = """
            <a xmlns:p="urn:1" xmlns:q="urn:2" xmlns="urn:3"><q:b p:c=""/><q:b xmlns:q="urn:2"/><d xmlns="" q:e=""/></a>
            """
        #expect(
            try form(document, .exclusive10)
                == #"<a xmlns="urn:3"><q:b xmlns:p="urn:1" xmlns:q="urn:2" p:c=""></q:b><q:b xmlns:q="urn:2"></q:b>"#
                + #"<d xmlns="" xmlns:q="urn:2" q:e=""></d></a>"#)
        #expect(
            try form(document, .exclusive10, ["q", "absent"])
                == #"<a xmlns="urn:3" xmlns:q="urn:2"><q:b xmlns:p="urn:1" p:c=""></q:b><q:b></q:b>"#
                + #"<d xmlns="" q:e=""></d></a>"#)
        #expect(
            try form(#"<p:a xmlns="urn:1" xmlns:p="urn:2"><p:b xmlns=""/></p:a>"#, .exclusive10, ["#default"])
                == #"<p:a xmlns="urn:1" xmlns:p="urn:2"><p:b xmlns=""></p:b></p:a>"#)
        #expect(
            try form(#"<a xml:lang="en" xmlns:xml="http://www.w3.org/XML/1998/namespace"/>"#, .exclusive10, ["xml"])
                == #"<a xml:lang="en"></a>"#)
    }

    /// Canonical XML 1.0 §3.5: the document has them replaced.
    @Test func entitiesAndDefaultsOfDeclarations() throws {
        let document = """
            <!DOCTYPE a [<!ENTITY e "b<c/>"><!ATTLIST a d CDATA "1" f NMTOKENS #IMPLIED>]><a f="  x   y ">&e;</a>
            """
        #expect(try form(document, doctype: .internalEntities) == #"<a d="1" f="x y">b<c></c></a>"#)
        #expect(throws: XMLError.self) { try form(document) }
    }

    @Test func relativeNamespaceNamesAreRefused() throws {
        for name in ["relative", "../a", "1:a", "/a", "#a"] {
            let error = #expect(throws: XMLError.self) { try form("<a xmlns='\(name)'/>") }
            #expect(error?.code == .namespace && error?.message.contains("relative") == true)
        }
        // Only what the form has counts.
        #expect(try form("<a xmlns:b='relative'/>", .exclusive10) == "<a></a>")
    }

    @Test func defectsAreFound() throws {
        for document in [
            "", "<a>", "<a></b>", "<a/><b/>", "<a><!-- -- --></a>", "<a><?xml?></a>", "<p:a/>", "<a/>x", "<a",
        ] {
            for comments in [false, true] {
                #expect(throws: XMLError.self, "\(document)") { try form(document, comments: comments) }
            }
        }
    }

    // MARK: Elements of a document

    /// The form of the element `apex`, without the element `gone` in it.
    private func apex(_ document: String, _ method: XMLCanonicalization.Method) throws -> String {
        func offset(_ tag: String) -> Int? {
            document.range(of: tag).map { document.utf8.distance(from: document.startIndex, to: $0.lowerBound) }
        }
        var form: [UInt8] = []
        try XMLCanonicalization(method).write(
            elementAt: try #require(offset("<apex")), of: Array(document.utf8), omitting: offset("<gone")
        ) { form.append(contentsOf: $0) }
        return String(decoding: form, as: UTF8.self)
    }

    @Test func anElementHasTheDeclarationsAroundIt() throws {
        let document = """
            <a xmlns="urn:1" xmlns:p="urn:2" xmlns:q="urn:3"><apex xmlns:q="urn:4" p:b=""><gone><c/></gone><d/></apex></a>
            """
        #expect(
            try apex(document, .inclusive10)
                == #"<apex xmlns="urn:1" xmlns:p="urn:2" xmlns:q="urn:4" p:b=""><d></d></apex>"#)
        #expect(try apex(document, .exclusive10) == #"<apex xmlns="urn:1" xmlns:p="urn:2" p:b=""><d></d></apex>"#)
    }

    @Test func anElementInheritsAttributes() throws {
        let document = #"""
            <a xml:lang="fr" xml:space="preserve" xml:base="http://a/b/" xml:id="1"><c xml:lang="it"/><b xml:lang="en"
            xml:base="x/y"><apex xml:lang="de" xml:base="c/d" e=""/></b></a>
            """#
        #expect(
            try apex(document, .inclusive10)
                == #"<apex e="" xml:base="c/d" xml:id="1" xml:lang="de" xml:space="preserve"></apex>"#)
        #expect(
            try apex(document, .inclusive11)
                == #"<apex e="" xml:base="http://a/b/x/c/d" xml:lang="de" xml:space="preserve"></apex>"#)
        #expect(try apex(document, .exclusive10) == #"<apex e="" xml:base="c/d" xml:lang="de"></apex>"#)
        let deeper = #"<a xml:base="http://a/b/"><b xml:base="x/y"><apex/></b></a>"#
        #expect(try apex(deeper, .inclusive11) == #"<apex xml:base="http://a/b/x/y"></apex>"#)
        #expect(throws: XMLError.self) {
            try XMLCanonicalization(.exclusive10).write(elementAt: 1, of: Array(deeper.utf8)) { _ in }
        }
    }

    /// A default namespace that has ended around the element is not declared in it.
    @Test(arguments: XMLCanonicalization.Method.allCases)
    func anEndedDefaultNamespaceIsNotDeclared(_ method: XMLCanonicalization.Method) throws {
        for document in [
            #"<a xmlns="urn:1"><b xmlns=""><apex/></b></a>"#, #"<a xmlns="urn:1"><apex xmlns=""/></a>"#,
            #"<a xmlns="urn:1"><b xmlns=""><c xmlns="urn:2"/><apex/></b></a>"#,
        ] {
            #expect(try apex(document, method) == "<apex></apex>")
        }
        #expect(
            try apex(#"<a xmlns="urn:1"><b xmlns=""><c xmlns="urn:3"><apex/></c></b></a>"#, method)
                == #"<apex xmlns="urn:3"></apex>"#)
    }

    @Test func aPlaceWithoutAnElementIsAnError() throws {
        let form = XMLCanonicalization(.exclusive10)
        let document = Array("<a><b/><c><d/></c></a>".utf8)
        for (offset, omitted) in [(1, nil), (3, 3), (3, 7), (7, 3), (7, 11)] as [(Int, Int?)] {
            #expect(throws: XMLError.self, "\(offset), \(String(describing: omitted))") {
                try form.write(elementAt: offset, of: document, omitting: omitted) { _ in }
            }
        }
        for (offset, omitted) in [(0, 3), (0, 10), (7, 10), (0, nil)] as [(Int, Int?)] {
            try form.write(elementAt: offset, of: document, omitting: omitted) { _ in }
        }
    }

    /// What grows faster than the document has a limit.
    @Test func workIsBounded() throws {
        let names = (0..<255).map { " xml:a\($0)=''" }.joined()
        let bases = " xml:base='\(String(repeating: "a/", count: 2048))'"
        var levels = ""
        for level in 0..<200 { levels += "<b\((0..<255).map { " xml:b\(level)x\($0)=''" }.joined())>" }
        let ends = String(repeating: "</b>", count: 200)
        let many = "<a\(names)>\(levels)<apex/>\(ends)</a>"
        let error = #expect(throws: XMLError.self) { try apex(many, .inclusive10) }
        #expect(error?.code == .tooManyAttributes)
        #expect(try apex(many, .inclusive11) == "<apex></apex>")
        let deep = String(repeating: "<b\(bases)>", count: 200)
        let tooLong = #expect(throws: XMLError.self) { try apex("\(deep)<apex/>\(ends)", .inclusive11) }
        #expect(tooLong?.code == .textTooLong)
        var form = XMLCanonicalization(.exclusive10)
        let wide =
            "<r xmlns:a='u:\(String(repeating: "x", count: 900))'>\(String(repeating: "<a:b/>", count: 2000))</r>"
        var limits = XMLLimits()
        limits.documentBytes = 1 << 20
        let tooLarge = #expect(throws: XMLError.self) {
            try form.canonicalForm(of: Array(wide.utf8), limits: limits)
        }
        #expect(tooLarge?.code == .documentTooLarge)
        form.inclusiveNamespaces = (0..<65).map { "p\($0)" }
        let tooMany = #expect(throws: XMLError.self) { try form.canonicalForm(of: Array("<a/>".utf8)) }
        #expect(tooMany?.code == .tooManyNamespaces)
        form.inclusiveNamespaces = Array(repeating: "p", count: 100_000)
        #expect(try form.canonicalForm(of: Array("<a/>".utf8)) == Array("<a></a>".utf8))
    }

    /// Canonical XML 1.1 Appendix A, RFC 3986 §5.4.
    @Test(
        arguments: [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"), ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"), ("http://a/b/c/d;p?q", "//g", "http://g"),
            ("http://a/b/c/d;p?q", "./g/.", "http://a/b/c/g/"), ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
            ("http://a/b/c/d;p?q", "g:h", "g:h"), ("http://a", "g", "http://a/g"),
            ("abc/", "../..", "../"), ("..", "..", "../../"), ("a/b", "../../../c", "../../c"), ("", "../", "../"),
            ("http://a/b//c", "d", "http://a/b/d"), ("a/b..", "c", "a/c"), ("a/..", "c", "c"),
        ] as [(String, String, String)])
    func basesAreJoined(base: String, reference: String, joined: String) {
        #expect(XMLBase.joined(base, reference) == joined)
    }
}

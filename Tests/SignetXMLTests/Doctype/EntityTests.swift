import SignetXML
import Testing

/// Reads a document whose document type declaration counts, and returns a trace of what was found.
func expanded(_ document: [UInt8], limits: XMLLimits = .init()) throws(XMLError) -> String {
    try trace(document, limits: limits, doctype: .internalEntities)
}

func expanded(_ document: String, limits: XMLLimits = .init()) throws(XMLError) -> String {
    try expanded(Array(document.utf8), limits: limits)
}

/// What references to internal entities become (XML 1.0 §4.4, §4.5, §4.6).
@Suite struct EntityTests {
    /// The trace of `content` inside `<r>` with these declarations.
    private func content(_ declarations: String, _ content: String) throws -> String {
        let trace = try expanded("<!DOCTYPE r [\(declarations)]><r>\(content)</r>")
        return String(trace.dropFirst("<r>".count).dropLast("</>".count))
    }

    /// The value of an attribute with these declarations.
    private func value(_ declarations: String, _ literal: String) throws -> String {
        try XMLReader.read(Array("<!DOCTYPE r [\(declarations)]><r a=\(literal)/>".utf8), doctype: .internalEntities) {
            (reader) throws(XMLError) in
            try reader.root()
            return reader.attribute("a") ?? "absent"
        }
    }

    @Test(arguments: [
        ("<!ENTITY a 'x'>", "&a;", "x"),
        ("<!ENTITY a 'x'><!ENTITY a 'y'>", "&a;&a;", "xx"),
        ("<!ENTITY a ''>", "1&a;2", "12"),
        ("<!ENTITY b '&a;&a;'><!ENTITY a '<i/>'>", "&b;", "<i></><i></>"),
        ("<!ENTITY a '<i n=\"1\">&lt;</i>'>", "&a;", "<i n=1><</>"),
        ("<!ENTITY a '<i>&b;</i>'><!ENTITY b '<j/>k'>", "0&a;1", "0<i><j></>k</>1"),
        ("<!ENTITY a '<![CDATA[<&b;]]>'>", "&a;", "<&b;"),
        ("<!ENTITY a '<!-- &b; --><?p &b; ?>'>", "1&a;2", "12"),
        ("<!ENTITY a 'x'>", "<!-- &a; &b; --><?p &a; &b;?><![CDATA[&a;&b;]]>", "&a;&b;"),
        ("<!ENTITY é 'ü'>", "&é;", "ü"),
        ("<!ENTITY\n a\t\"'\"  >", "&a;", "'"),
        ("<!ENTITY % a 'x'><!ENTITY a 'y'>", "&a;", "y"),
        ("<!ENTITY a '>'>", "&a;&#62;", ">>"),
        ("<!ENTITY a SYSTEM 'nowhere'><!ENTITY b PUBLIC 'b' 'nowhere' NDATA n>", "none", "none"),
        ("<!ENTITY a SYSTEM 'nowhere'><!ENTITY b 'B'>", "&b;", "B"),
    ])
    func inContent(declarations: String, text: String, expected: String) throws {
        #expect(try content(declarations, text) == expected)
    }

    /// §4.5: character references are resolved when an entity is declared, other references where it is used.
    @Test(arguments: [
        ("<!ENTITY a '&#38;#60;'>", "&a;", "<"),
        ("<!ENTITY a '&#38;'>", "&a;amp;", nil),
        ("<!ENTITY a '&#60;'>", "&a;", nil),
        ("<!ENTITY a '&#38;amp;'>", "&a;", "&"),
        ("<!ENTITY a '&#60;i/&#62;'>", "&a;", "<i></>"),
        ("<!ENTITY a '&#38;b;'><!ENTITY b 'x'>", "&a;", "x"),
        ("<!ENTITY a '&#x26;#x41;'>", "&a;", "A"),
    ])
    func referencesInLiterals(declarations: String, text: String, expected: String?) {
        #expect((try? content(declarations, text)) == expected)
    }

    /// Appendix D of the standard.
    @Test func theExamplesOfTheStandard() throws {
        let first =
            "<!ENTITY example \"<p>An ampersand (&#38;#38;) may be escaped\nnumerically (&#38;#38;#38;) or with a general entity"
            + "\n(&amp;amp;).</p>\" >"
        #expect(
            try content(first, "&example;")
                == "<p>An ampersand (&) may be escaped\nnumerically (&#38;) or with a general entity\n(&amp;).</>")
        #expect(
            try content(
                "<!ENTITY rights 'All rights reserved'><!ENTITY book 'La Peste, \u{A9} 1947. &rights;'>", "&book;")
                == "La Peste, \u{A9} 1947. All rights reserved")
        // The second one refers to a parameter entity; what it declares by that is declared here as it says.
        let second =
            "<!ENTITY % xx '&#37;zz;'><!ENTITY % zz '&#60;!ENTITY tricky \"error-prone\" >' ><!ENTITY tricky 'error-prone'>"
        #expect(
            try content(second, "This sample shows a &tricky; method.") == "This sample shows a error-prone method.")
        #expect(throws: XMLError(.doctypeRefused, "")) {
            _ = try content("<!ENTITY % xx '&#37;zz;'>\n%xx;", "")
        }
        #expect(
            try content(
                "<!ENTITY lt '&#38;#60;'><!ENTITY gt '&#62;'><!ENTITY amp '&#38;#38;'><!ENTITY apos '&#39;'>"
                    + "<!ENTITY quot '&#34;'>", "&lt;&gt;&amp;&apos;&quot;") == "<>&'\"")
    }

    @Test func predefinedEntitiesKeepTheirMeaning() {
        let wrong = [
            "<!ENTITY lt '&#60;'>", "<!ENTITY amp '&#38;'>", "<!ENTITY amp 'x'>", "<!ENTITY gt ''>",
            "<!ENTITY lt SYSTEM 'x'>",
            "<!ENTITY apos '&#38;#34;'>", "<!ENTITY quot '&#34;&#34;'>", "<!ENTITY lt '&#38;#60;x'>",
        ]
        for declaration in wrong {
            #expect(throws: XMLError(.malformed, ""), "\(declaration)") { try content(declaration, "") }
        }
        for right in ["<!ENTITY gt '&#38;#x3E;'>", "<!ENTITY quot '\"'>", "<!ENTITY lt '&#38;#x3c;'>"] {
            #expect(throws: Never.self, "\(right)") { try content(right, "&lt;&quot;&gt;") }
        }
    }

    /// The table of §3.3.3.
    @Test(arguments: [
        ("\"\n\nxyz\"", false, "  xyz"), ("\"\n\nxyz\"", true, "xyz"),
        ("\"&d;&d;A&a;&#x20;&a;B&da;\"", false, "  A   B  "), ("\"&d;&d;A&a;&#x20;&a;B&da;\"", true, "A B"),
        ("\"&#xd;&#xd;A&#xa;&#xa;B&#xd;&#xa;\"", false, "\r\rA\n\nB\r\n"),
        ("\"&#xd;&#xd;A&#xa;&#xa;B&#xd;&#xa;\"", true, "\r\rA\n\nB\r\n"),
    ])
    func attributeValueNormalisation(literal: String, isTokenized: Bool, expected: String) throws {
        let declarations =
            "<!ENTITY d '&#xD;'><!ENTITY a '&#xA;'><!ENTITY da '&#xD;&#xA;'><!ATTLIST r a "
            + (isTokenized ? "NMTOKENS" : "CDATA") + " #IMPLIED>"
        #expect(try value(declarations, literal) == expected)
    }

    @Test(arguments: [
        ("<!ENTITY a 'x'>", "'1&a;2'", "1x2"),
        ("<!ENTITY a '\"'>", "\"&a;&a;\"", "\"\""),
        ("<!ENTITY a \"'\">", "'&a;'", "'"),
        ("<!ENTITY a '\"'>", "'&a;'", "\""),
        ("<!ENTITY a '&b;\t&b;'><!ENTITY b '\n'>", "'&a;'", "   "),
        ("<!ENTITY a '&lt;&#38;#60;&amp;'>", "'&a;'", "<<&"),
        ("<!ENTITY a '%&#37;'>".replacing("'%", with: "'"), "'&a;%'", "%%"),
        ("<!ENTITY a 'x\r\ny'>", "'&a;\r\n'", "x y "),
    ])
    func entitiesAreExpandedInAttributes(declarations: String, literal: String, expected: String) throws {
        #expect(try value(declarations, literal) == expected)
    }

    @Test func carriageReturnsOfReferencesSurvive() throws {
        let declarations = "<!ENTITY a 'x&#13;\ny&#13;'><!ENTITY b '<![CDATA[&#13;&#13;\n]]>'>"
        #expect(try content(declarations, "&a;&b;") == "x\r\ny\r\r\r\n")
        #expect(try content("<!ENTITY a '\n'>", "\r&a;\r\n&a;") == "\n\n\n\n")
        #expect(try content("<!ENTITY a ''>", "\r&a;\n") == "\n\n")
        #expect(try content("<!ENTITY a '<i x=&#34;&#13;&#10;&#34;&#13;/>'>", "&a;") == "<i x=  ></>")
    }

    /// Texts that come to stand side by side do not become what neither of them holds.
    @Test(arguments: [
        ("]]&a;", ">", "]]>"), ("]&a;>", "]", "]]>"), ("]&a;", "]>", "]]>"), ("&a;>", "]]", "]]>"),
        ("]]&e;>", "", "]]>"),
        ("&e;]&e;]&e;>", "", "]]>"), ("&a;&a;>", "]", "]]>"),
    ])
    func noSectionEndsAtASeam(text: String, entity: String, expected: String) throws {
        #expect(try content("<!ENTITY a '\(entity)'><!ENTITY e ''>", text) == expected)
        #expect(throws: XMLError(.malformed, "")) {
            try content("<!ENTITY a '\(entity)'><!ENTITY e ''>", text + "&e;]]>")
        }
    }

    @Test func attributesOfDeclarationsAreApplied() throws {
        let doctype = """
            <!DOCTYPE p:r [<!ENTITY e "ü&#34;'&#38;#10;">
            <!ATTLIST p:r xmlns:p CDATA #FIXED "urn:p" p:a (x|y) 'y' b CDATA "&e;" c NMTOKENS "  1  2 " d ID #IMPLIED
              a CDATA 'first' a CDATA 'second'>
            <!ATTLIST p:r b CDATA 'other'><!ATTLIST i j CDATA #REQUIRED k NMTOKEN #IMPLIED>]>
            """
        #expect(
            try expanded(doctype + "<p:r d=' \n1&#32;&#x20; 2 '><i j=' 1 ' k=' 2 '/></p:r>")
                == "<{urn:p}r d=1 2 {urn:p}a=y b=ü\"'\n c=1 2 a=first><i j= 1  k=2></></>")
        #expect(try expanded(doctype + "<p:r a='' b='' c='' p:a=''></p:r>") == "<{urn:p}r a= b= c= {urn:p}a=></>")
        #expect(
            try content("<!ENTITY i '<i/><i a=&#34;2&#34;/>'><!ATTLIST i a CDATA '1'>", "&i;<i></i>")
                == "<i a=1></><i a=2></><i a=1></>")
    }

    @Test func aDocumentWithoutDeclarationsIsUnchanged() throws {
        #expect(try expanded("\u{FEFF}<?xml version='1.0'?><!-- <!DOCTYPE a> --><a>&lt;</a>") == "<a><</>")
        #expect(throws: XMLError(.malformed, "")) { try expanded("<a>&b;</a>") }
        #expect(try expanded("\u{FEFF}<?xml version='1.0'?>\n<!DOCTYPE a SYSTEM 'x' [] >\n<a/>\n") == "<a></>")
        #expect(throws: XMLError(.malformed, "")) { try expanded("<!DOCTYPE a><?xml version='1.0'?><a/>") }
    }
}

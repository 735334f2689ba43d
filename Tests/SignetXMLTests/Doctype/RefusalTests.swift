import Foundation
import SignetXML
import Testing

/// What is wrong with document type declarations and with the entities that they declare, and where.
@Suite struct DoctypeRefusalTests {
    private func failure(_ document: String, _ limits: XMLLimits = .init()) -> XMLError? {
        #expect(throws: XMLError.self, "\(document.prefix(200))") { _ = try expanded(document, limits: limits) }
    }

    /// Declarations that are not as XML 1.0 says (§2.8, §3.2, §3.3, §4.2, §4.7); the mark says where.
    @Test(arguments: [
        "<!ELEMENT¶", "<!ELEMENT a ¶", "<!ELEMENT a EMPTY¶", "<!ELEMENT a (¶)>", "<!ELEMENT a (b¶",
        "<!ELEMENT a (b,c¶|d)>",
        "<!ELEMENT a (b ¶c)>", "<!ELEMENT a (b)¶) >", "<!ELEMENT a (#PCDATA¶,b)*>", "<!ELEMENT a (#PCDATA|b)¶>",
        "<!ELEMENT a (#PCDATA)¶+>", "<!ELEMENT a ¶b>", "<!ELEMENT a (b ¶*)>", "<!ELEMENT¶a EMPTY>",
        "<!ELEMENT a ¶empty>",
        "<!ELEMENT a (b|c¶,d)>", "<!ELEMENT a ((b|c),d¶|e)>", "<!ELEMENT 1 ANY>",
        "<!ATTLIST¶>", "<!ATTLIST a b¶>", "<!ATTLIST a b ¶NAME #IMPLIED>", "<!ATTLIST a b CDATA¶>",
        "<!ATTLIST a b CDATA ¶#WRONG>", "<!ATTLIST a b (¶) #IMPLIED>", "<!ATTLIST a b (c|¶|d) #IMPLIED>",
        "<!ATTLIST a b (c)¶#IMPLIED>", "<!ATTLIST a b NOTATION¶(c) #IMPLIED>", "<!ATTLIST a b CDATA #FIXED¶'c'>",
        "<!ATTLIST a b CDATA '¶<'>", "<!ATTLIST a b CDATA '¶&c;'>", "<!ATTLIST a b CDATA 'x¶& '>",
        "<!ATTLIST a b CDATA 'c'¶d CDATA 'e'>", "<!ATTLIST a b CDATA 'c¶",
        "<!ENTITY a¶>", "<!ENTITY a ¶b>", "<!ENTITY a '¶& '>", "<!ENTITY a '¶&#0;'>", "<!ENTITY a '¶&#x;'>",
        "<!ENTITY a '¶%'>", "<!ENTITY a '¶%b;'>", "<!ENTITY a 'b'¶NDATA c>", "<!ENTITY a SYSTEM¶'b'>",
        "<!ENTITY a PUBLIC 'b'¶>", "<!ENTITY a PUBLIC 'b' ¶>", "<!ENTITY a SYSTEM 'b' ¶c>",
        "<!ENTITY % a SYSTEM 'b' ¶NDATA c>",
        "<!ENTITY %¶a 'b'>", "<!ENTITY ¶'a'>", "<!ENTITY a PUBLIC '¶{' 'b'>", "<!ENTITY a 'b¶",
        "<!NOTATION a ¶'b'>", "<!NOTATION a SYSTEM¶>", "<!NOTATION a PUBLIC 'b'¶'c'>", "<!NOTATION¶ >",
        "¶<!doctype a>", "<!--a ¶-- b-->", "<!-- ¶", "<?xml¶ ?>", "<?a¶", "<?¶ a?>", "¶x", "¶<a/>", "¶&a;", "¶]]>",
    ])
    func declarations(marked: String) throws {
        let start = "<!DOCTYPE r [ "
        let text = marked.replacing("¶", with: "")
        let ends = marked.hasSuffix("¶")
        let document = start + text + (ends ? "" : " ]><r/>")
        let error = try #require(failure(document))
        #expect(error.code == (ends ? .unexpectedEnd : error.code), "\(error)")
        #expect([.malformed, .unexpectedEnd, .invalidCharacter].contains(error.code), "\(error)")
        guard !ends, let mark = marked.range(of: "¶") else { return }
        let offset = start.utf8.count + marked[..<mark.lowerBound].utf8.count
        #expect((offset...offset + 3).contains(error.offset), "\(marked): \(error)")
    }

    @Test(arguments: [
        ("<!DOCTYPE>", 9), ("<!DOCTYPE r", 11), ("<!DOCTYPE r SYSTEM>", 18), ("<!DOCTYPE r PUBLIC 'a'>", 22),
        ("<!DOCTYPE r [] x>", 15), ("<!DOCTYPE r []]>", 14), ("<!DOCTYPEr>", 9), ("<!DOCTYPE r 'a'>", 12),
        ("<!DOCTYPE r [<!ENTITY a:b 'c'>]>", 22), ("<!DOCTYPE r [<?a:b?>]>", 15),
        ("<!DOCTYPE r [<!NOTATION a:b SYSTEM 'c'>]>", 24),
        ("<!DOCTYPE r [<![INCLUDE[]]>]>", 13), ("<!DOCTYPE r [ %a; ]>", 14), ("<!DOCTYPE r><!DOCTYPE r>", 12),
        ("<!DOCTYPE r>&a;", 12), ("<!DOCTYPE r [<!ENTITY a '']>", 26),
    ])
    func places(doctype: String, offset: Int) throws {
        #expect(try #require(failure(doctype + "<r/>")).offset == offset)
    }

    /// What the text of an entity must not be where it stands (§3.1, §4.1, §4.3.2).
    @Test(arguments: [
        ("<i>", "¶&a;</i>"), ("</i>", "<i>¶&a;"), ("</r><r>", "¶&a;"), ("<i", "¶&a;/>"), ("<i/", "¶&a;>"),
        ("<i b=\"", "¶&a;c\"/>"), ("<!-- ", "¶&a; -->"), ("<![CDATA[", "¶&a;]]>"), ("<?p ", "¶&a;?>"),
        ("<!DOCTYPE r>", "¶&a;"),
        ("&#38;", "¶&a;amp;"), ("&#38;#", "¶&a;60;"), ("]]>", "1¶&a;"), ("<?xml version=\"1.0\"?>", "¶&a;"),
        ("<i b=\"1\" b=\"2\"/>", "¶&a;"), ("<p:i/>", "<j>¶&a;</j>"), ("&a;", "¶&a;"), ("&b;", "x¶&a;"), ("&c;", "¶&a;"),
        ("<i j=\"&#60;\"/>", "¶&a;"), ("<i j=\"&u;\"/>", "¶&a;"), ("<i><j></i></j>", "¶&a;"),
        ("<!ELEMENT b ANY>", "¶&a;"),
        ("<", "<i j='¶&a;'/>"), ("&lt;&b;", "<i j='k ¶&a;'/>"), ("&s;", "<i j='¶&a;'/>"), ("&u;", "<i j='¶&a;'/>"),
        ("&s;", "¶&a;"), ("&u;", "¶&a;"), ("x", "¶&x;"), ("x", "¶&a "), ("x", "<i ¶&a;/>"), ("x", "<i j=¶&a;/>"),
        ("x", "<¶&a;/>"),
        ("&#38;#1;", "¶&a;"), ("x", "<i>&a;</i><j>&a;</j></i¶>"),
    ])
    func texts(entity: String, content: String) throws {
        let start =
            "<!DOCTYPE r [<!ENTITY a '\(entity)'><!ENTITY b '&a;'><!ENTITY s SYSTEM 's'><!ENTITY u SYSTEM 'u' NDATA n>]>\n<r>"
        let text = content.replacing("¶", with: "")
        let error = try #require(failure(start + text + "</r>"))
        let mark = try #require(content.range(of: "¶"))
        let column = "<r>".count + content[..<mark.lowerBound].count + 1
        #expect(error.line == 2 && (column - 3...column).contains(error.column), "\(content): \(error)")
        #expect(!error.code.isLimit)
    }

    @Test(arguments: ["&a;<r/>", "<r/>&a;", "<r/>\n&a;\n"])
    func noReferenceStandsOutsideTheRoot(content: String) throws {
        #expect(try #require(failure("<!DOCTYPE r [<!ENTITY a ' '>]>" + content)).code == .malformed)
    }

    // MARK: Limits

    @Test func eachLimitHasItsError() throws {
        var limits = XMLLimits()
        limits.entities = 2
        limits.expandedBytes = 200
        limits.depth = 4
        limits.nameBytes = 8
        let over: [(String, XMLError.Code)] = [
            ("<!ENTITY a ''><!ENTITY % a ''><!ENTITY a ''>", .tooManyEntities),
            ("<!ATTLIST r a CDATA '' b CDATA ''><!ATTLIST s a CDATA ''>", .tooManyEntities),
            ("<!ENTITY a '\(String(repeating: "a", count: 170))'>", .tooManyEntities),
            ("<!ATTLIST r b CDATA '\(String(repeating: "a", count: 170))'>", .tooManyEntities),
            ("<!ELEMENT a (((((b)))))>", .tooDeep), ("<!ELEMENT abcdefghi ANY>", .nameTooLong),
        ]
        for (declarations, code) in over {
            let error = try #require(failure("<!DOCTYPE r [\(declarations)]><r>&a;</r>", limits))
            #expect(error.code == code, "\(declarations): \(error)")
        }
        #expect(try expanded("<!DOCTYPE r [<!ENTITY a '1'><!ENTITY b '&a;'>]><r>&b;</r>", limits: limits) == "<r>1</>")
        limits.entities = 100
        limits.expandedBytes = 10_000
        let chain = (1...8).map { "<!ENTITY a\($0) '&a\($0 - 1);'>" }.joined()
        for place in ["<r>&a8;</r>", "<r a='&a8;'/>"] {
            #expect(try #require(failure("<!DOCTYPE r [<!ENTITY a0 ''>\(chain)]>\(place)", limits)).code == .tooDeep)
        }
    }

    /// Texts that multiply cost no more than the limit, in content, in attributes, in default values, and when they are
    /// empty.
    @Test(
        arguments: ["x", ""], ["<r>&a9;</r>", "<r a='&a9;'/>", "<r>\(String(repeating: "&a4;", count: 200_000))</r>"])
    func entitiesThatMultiply(text: String, content: String) throws {
        let levels = (1...9).map { "<!ENTITY a\($0) '\(String(repeating: "&a\($0 - 1);", count: 10))'>" }.joined()
        let document = "<!DOCTYPE r [<!ENTITY a0 '\(text)'>\(levels)]>\(content)"
        #expect(try #require(failure(document)).code == .tooManyEntities)
    }

    @Test func defaultsThatMultiply() throws {
        let value = String(repeating: "v", count: 10_000)
        let doctype = "<!DOCTYPE r [<!ATTLIST i a CDATA '\(value)'>]>"
        #expect(
            try #require(failure("\(doctype)<r>\(String(repeating: "<i/>", count: 1000))</r>")).code == .tooManyEntities
        )
        let many = (0..<250).map { "a\($0) CDATA '\(value.prefix(1000))'" }.joined(separator: "\n")
        let deep = "<!DOCTYPE r [<!ENTITY a '\(value)'><!ATTLIST i \(many)>]><r><i/><i/></r>"
        #expect(try #require(failure(deep)).code == .tooManyEntities)
        let expandedDefaults = (0..<1000).map { "a\($0) CDATA '&a;'" }.joined(separator: "\n")
        let error = try #require(failure("<!DOCTYPE r [<!ENTITY a '\(value)'><!ATTLIST i \(expandedDefaults)>]><r/>"))
        #expect(error.code == .tooManyEntities)
    }

    @Test func messagesMayHaveNone() throws {
        for document in ["<!DOCTYPE r><r/>", "<!DOCTYPE r [<!ENTITY a 'b'>]><r>&a;</r>"] {
            #expect(throws: XMLError(.doctypeRefused, "")) { try trace(document) }
        }
    }

    /// The declaration is carried out before the document is read, and yet the defect that stands first is the one
    /// reported.
    @Test(arguments: [
        ("<!-- a ¶-- b --><!DOCTYPE r [x><r/>", XMLError.Code.malformed),
        ("<?xml¶?><!DOCTYPE r [x><r/>", .malformed), ("¶<?p:q?><!DOCTYPE r [x><r/>", .namespace),
        ("<!-- a --><?p?>\n<!DOCTYPE r [¶x><r/>", .malformed),
        ("<!DOCTYPE r><r><i>¶</r>&a;", .malformed), ("<!DOCTYPE r><r i='' ¶i=''>&a;</r>", .malformed),
        ("<!DOCTYPE r><r><¶p:i/>&a;</r>", .namespace), ("<!DOCTYPE r><r/>¶<r i='&a;'/>", .malformed),
        ("<!DOCTYPE r><r i='x¶&a;", .malformed),
        ("<!DOCTYPE r [<!ENTITY a '<i>'>]><r>é¶&a;", .malformed),
        ("<!DOCTYPE r [<!ENTITY a '<p:i/>&b;'>]><r>é¶&a;x</r>", .namespace),
        ("<!DOCTYPE r [<!ENTITY a SYSTEM 'a'>]><r><i/>é¶&a;</r>", .doctypeRefused),
    ])
    func theFirstDefectIsReported(marked: String, code: XMLError.Code) throws {
        let error = try #require(failure(marked.replacing("¶", with: "")))
        let mark = try #require(marked.range(of: "¶"))
        #expect(error.code == code, "\(error)")
        #expect(error.offset == marked[..<mark.lowerBound].utf8.count, "\(error)")
    }

    @Test func theFirstOfSeveralDeclarationsApplies() throws {
        #expect(try expanded("<!DOCTYPE r [<!ATTLIST r a CDATA #IMPLIED a NMTOKEN 'x'>]><r/>") == "<r></>")
        #expect(try expanded("<!DOCTYPE r [<!ATTLIST r a NMTOKEN #IMPLIED a CDATA 'x'>]><r a=' 1 '/>") == "<r a=1></>")
    }

    /// Attributes without a default take nothing of what default values may add.
    @Test func onlyDefaultValuesCountTowardsTheLimit() throws {
        let implied = (0..<1000).map { "<!ATTLIST i a\($0) NMTOKEN #IMPLIED b\($0) CDATA 'x'>" }
        var limits = XMLLimits()
        limits.entities = 2000
        let elements = String(repeating: "<i/>", count: 100)
        let document =
            "<!DOCTYPE r [\(implied.joined().replacing("CDATA 'x'", with: "CDATA #IMPLIED"))]><r>\(elements)</r>"
        #expect(try expanded(document, limits: limits) == "<r>\(String(repeating: "<i></>", count: 100))</>")
        limits.attributes = 2000
        let defaults = "<!DOCTYPE r [\(implied.joined())]><r>\(elements)</r>"
        #expect(try #require(failure(defaults, limits)).code == .tooManyEntities)
    }

    // MARK: Places

    @Test func placesReferToTheGivenDocument() throws {
        let text =
            "\u{FEFF}<?xml version='1.0'?>\r\n<!DOCTYPE r [\n<!ENTITY a 'äöü'>\r<!ATTLIST r x CDATA 'y'>]>\r\n<r\n>&a;&a;ä&a;¶<&a;/></r>"
        let document = text.replacing("¶", with: "")
        let error = try #require(failure(document))
        let mark = try #require(text.range(of: "¶"))
        #expect(error.offset == text[..<mark.lowerBound].utf8.count + 1)
        #expect((error.line, error.column) == (6, 13), "\(error)")
        #expect(error.path == "r")
    }

    /// However a document is cut off, it is refused, and nothing traps.
    @Test func everyPrefixIsRefused() {
        let document = Array(
            """
            <?xml version='1.0'?><!-- a --><!DOCTYPE r PUBLIC "p" 's' [<!ENTITY a '<i b="&c;">&#38;#60;]</i>'><!ENTITY c 'é'>
            <!ENTITY % d SYSTEM 'd'><!ELEMENT r (i|(j?,k)*)+><!ELEMENT k (#PCDATA|i)*><!ATTLIST i j (k|l) 'k' m NMTOKENS #IMPLIED>
            <!NOTATION n PUBLIC 'n'><?p i?>]><r>&a;<i m=' &c; '/>]&a;<![CDATA[x]]></r>
            """.utf8)
        #expect(throws: Never.self) { try expanded(document) }
        for count in document.indices {
            #expect(throws: XMLError.self, "\(count)") { try expanded(Array(document[..<count])) }
        }
        // Nor when a byte of it is another one.
        for index in document.indices {
            for byte in "&;<>'\"[]%# a\r".utf8 {
                var other = document
                other[index] = byte
                _ = try? expanded(other)
            }
        }
    }
}

import SignetXML
import Testing

@Suite struct LineEndTests {
    /// XML 1.0 §2.11 and §3.3.3.
    @Test(arguments: [
        ("<a>\r\n\r\r\n\n</a>", "<a>\n\n\n\n</>"),
        ("<a><![CDATA[\r\n\r\r\n&#13;\n]]>\n</a>", "<a>\n\n\n&#13;\n\n</>"),
        // A line end is one before anything else is looked at, so that it cannot reach over the edge of a section.
        ("<a>\r<![CDATA[\n]]></a>", "<a>\n\n</>"), ("<a><![CDATA[\r]]>\n</a>", "<a>\n\n</>"),
        ("<a>\r<!-- -->\n</a>", "<a>\n\n</>"),
        ("<a>x\r&#10;\n&#13;\r\ny</a>", "<a>x\n\n\n\r\ny</>"),
        ("<a b='\r\n\r\n\t \n\r'/>", "<a b=      ></>"),
        ("<a b='&#13;&#10;&#9;&#32;&#xD;&#xA;'/>", "<a b=\r\n\t \r\n></>"),
        ("<a b='\r&#10;&#13;\n'/>", "<a b= \n\r ></>"),
        ("<a b='  x  y  '/>", "<a b=  x  y  ></>"),
        ("<a xmlns='urn:\r\n1&#x20;'/>", "<{urn: 1 }a></>"),
        ("<a\r\nb='1'\r\rc='2'\r\n/>\r", "<a b=1 c=2></>"),
        ("<?xml version='1.0'\r\n?>\r<a/>\r\n", "<a></>"),
    ])
    func lineEndsAreNormalised(document: String, expected: String) throws {
        #expect(try trace(document).unicodeScalars.elementsEqual(expected.unicodeScalars))
    }

    /// A property and a caller that walks through the document get the same text, although two paths produce it.
    @Test(arguments: [
        "&amp;", "a&lt;b", "\r", "a\r\nb\rc\n", "&#13;\n&#10;\r", "x&#x1F600;y", "a&amp;<!-- c -->b",
        "a&amp;<![CDATA[&amp;]]>b",
        "a&gt;]]", "a]]&gt;b", "]]\r>", "a]]>&amp;", "&amp;]]>", "a&amp", "&b;", "&#0;", "&#xD800;", "a&lt;<b/>",
        "a&lt;</ name>",
        "a&lt;</nam>", "é&quot;\r\n\u{1F600}&apos;", "&amp;&amp;\r\r\n&#x9;", "\r</name", "&lt;</name",
    ])
    func textsOfPropertiesAreTheSame(text: String) throws {
        for end in ["</name>", "</name >"] {
            let rest = "\(text)\(end)<last xmlns=''>l</last></r>"
            let document = Array("<r xmlns='urn:readings'><id>1</id><name>\(rest)".utf8)
            // Nil where an element stands in the text.
            let walked = Result { () throws(XMLError) -> String? in
                try XMLReader.read(document) { (reader) throws(XMLError) -> String? in
                    _ = try reader.nextElement(XMLName("urn:readings", "name"))
                    var text = ""
                    var token = try reader.next()
                    while token == .text {
                        text += try reader.currentText()
                        token = try reader.next()
                    }
                    if token == .startElement { return nil }
                    _ = try reader.nextElement(XMLName("urn:none", "none"))
                    return text
                }
            }
            let decoded = Result { () throws(XMLError) in
                try XMLReader.read(document) { (reader) throws(XMLError) in
                    try reader.root()
                    return try reader.structure(Reading.self).name
                }
            }
            switch (walked, decoded) {
            case (.success(let one?), .success(let other)):
                #expect(one.unicodeScalars.elementsEqual(other.unicodeScalars), "\(text.debugDescription)")
            case (.success(nil), .failure(let error)): #expect(error.code == .unexpected)
            case (.failure(let one), .failure(let other)):
                #expect(one.code == other.code && one.offset == other.offset, "\(one), \(other)")
            default: Issue.record("\(text.debugDescription): \(walked), \(decoded)")
            }
        }
    }
}

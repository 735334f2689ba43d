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
}

import Testing

@testable import SignetXML

/// `w/e` in the namespace `urn:1`.
let framedPath = [XMLName("urn:1", "r"), XMLName("urn:1", "w"), XMLName("urn:1", "e")]

@Suite struct FramingTests {
    /// Documents in which it is not plain where a repeated element begins or ends.
    static let tricky: [String] = [
        "<r xmlns='urn:1'><w><e>1</e><e>2</e></w></r>",
        "\u{FEFF}<?xml version='1.0' encoding='UTF-8'?>\r\n<r xmlns='urn:1'>\r\n <w>\r\n  <e>a\r\nb</e>\r\n  <e/>\r\n </w>\r\n</r>\r\n",
        "<p:r xmlns:p='urn:1'><p:w><p:e a='&gt;/>' b=\"'>\"><x y=\"</p:e>\"/></p:e><q:e xmlns:q='urn:1'/><p:e xmlns:p='urn:2'>no</p:e><e/></p:w></p:r>",
        "<r xmlns='urn:1'><w><!-- <e> --><e><!-- </e> -- ></e> --><![CDATA[</e>]]]]><?p </e> ??></e></w></r>",
        "<r xmlns='urn:1'><w><!-- <e> --><e><!-- </e> - - ></e> --><![CDATA[</e>]]]]><?p </e> ??></e><![CDATA[<e>]]><?p <e>?></w></r>",
        "<r xmlns='urn:1'><h><e>not</e><w><e>here</e></w></h><w><n>5</n><e><e><e/></e>&#x1F600;é</e>\t<e\n/><m><e/></m><e ></e ></w ><w><e>&amp;</e></w></r>",
        "<r xmlns='urn:1'><w>a]]<e/>&gt;b<e>c</e>\r<e/>\n<!-- x --><e/><?y?> <e/></w>\u{20AC}</r>",
        "<r xmlns='urn:1'><w><e>1</e><e a='1' a='2'>2</e><e>3</e></w></r>",
        "<r xmlns='urn:1'><w><e>1</e>&bogus;<e>3</e></w></r>",
        "<r xmlns='urn:1'><w><e>1<a></b></e><e>3</e></w></r>",
        "<r xmlns='urn:1'><w><e>1<a></e><e>3</e></w></r>",
        "<r xmlns='urn:1'><w><e>1</e><e>]]></e><e b='<'/></w></r>",
        "<r xmlns='urn:1'><w><e>1</e></v><e>3</e></w></r>",
        "<r xmlns='urn:1'><w><p:e>1</p:e><e>2</e></w></r>",
        "<r xmlns='urn:1'><w><e>2</e><e p:a='1'/></w></r>",
        "<!DOCTYPE r><r xmlns='urn:1'><w><e>2</e></w></r>",
        "<r xmlns='urn:1'><w><e>2</e><!DOCTYPE e></w></r>",
        "<r xmlns='urn:1'><w><e>2</e><![CDAT[]]></w></r>",
        "<r xmlns='urn:1'><w><e>2</e></w></r><r/>",
        "<r xmlns='urn:1'><w><e>2</e></w></r>text",
        "<r xmlns='urn:1'><w><e>2</e></w></r><!-- c --><?p?> \n",
        "<r xmlns='urn:1'><w><e>\u{1}</e><e>]]></e></w></r>",
        "<r xmlns='urn:1'><w><e>&bogus;</e><e>\u{1}</e></w></r>",
        "<r xmlns='urn:1'><w><e>1</e><e x=1'>2</e><e>'</e></w></r>",
        "<r xmlns='urn:1'><w><e>1</e><e a='b\">2</e></w></r>",
        "<r xmlns='urn:1'><f>no</f></r>",
        "<r xmlns='urn:2'><w><e>1</e></w></r>",
        "<e xmlns='urn:1'/>",
        "<?xml version='1.0' encoding='x-none'?><r xmlns='urn:1'/>",
        " <?xml version='1.0'?><r xmlns='urn:1'/>",
        "<r xmlns='urn:1'><w><e>1</e><!é></w></r>", "", " ", "<", "x",
        "<q:r xmlns:q='urn:1'><q:w><e xmlns='urn:1'>1</e><e>no</e><e xmlns='urn:1'>2</e><e a='1'/></q:w></q:r>",
        "<r xmlns='urn:1' xmlns:p='urn:2'><w><p:e xmlns:p='urn:1'>1</p:e><p:e>no</p:e><e>2</e></w></r>",
        "<r xmlns='urn:1'><w><e xmlns:é='urn:é' é:ä='ö'/><ns:e xmlns:ns='urn:1'><ns:é/></ns:e></w></r>",
    ]

    @Test func everySplitGivesTheSameEvents() {
        for text in Self.tricky {
            let document = Array(text.utf8)
            let expected = XMLFramer.events(of: document, splits: [], path: framedPath)
            for split in 0..<document.count {
                #expect(
                    XMLFramer.events(of: document, splits: [split], path: framedPath) == expected, "\(text) \(split)")
            }
            #expect(
                XMLFramer.events(of: document, splits: Array(0..<document.count), path: framedPath) == expected,
                "\(text)")
        }
    }

    @Test func everyTruncationIsReadAsTheWholeReaderReadsIt() {
        for text in Self.tricky {
            let document = Array(text.utf8)
            for length in 0...document.count {
                let start = Array(document[..<length])
                let difference = FramingTrace.difference(start, path: framedPath)
                #expect(difference == nil, "\(String(decoding: start, as: UTF8.self))\n\(difference ?? "")")
                #expect(
                    XMLFramer.events(of: start, splits: Array(0..<length), path: framedPath)
                        == XMLFramer.events(of: start, splits: [], path: framedPath), "\(text) \(length)")
            }
        }
    }
}

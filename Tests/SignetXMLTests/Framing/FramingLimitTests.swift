import SignetXML
import Testing

/// What a framer holds, and what it refuses.
@Suite struct FramingLimitTests {
    private func events(_ text: String, limits: XMLLimits = .init(), elementBytes: Int = 1 << 20) -> [String] {
        let document = Array(text.utf8)
        let whole = XMLFramer.events(
            of: document, splits: [], path: framedPath, limits: limits, elementBytes: elementBytes)
        for splits in [Array(0..<document.count), [document.count / 2], [document.count / 3, document.count - 2]] {
            #expect(
                XMLFramer.events(
                    of: document, splits: splits, path: framedPath, limits: limits, elementBytes: elementBytes) == whole
            )
        }
        return whole
    }

    @Test func anElementThatIsTooLargeIsRefusedWhereItBegins() {
        for size in 5...12 {
            let text = "<r xmlns='urn:1'><w>\n<e/>\n<e>\(String(repeating: "x", count: size))</e></w></r>"
            let last = events(text, elementBytes: 17).last
            if size <= 10 {
                #expect(last?.hasPrefix("remainder") == true, "\(size)")
            } else {
                #expect(
                    last?.hasPrefix("elementTooLarge line 3, column 1 (byte 26), in r/w: ") == true, "\(last ?? "")")
            }
        }
        #expect(events("<r xmlns='urn:1'><w><e>", elementBytes: 2).last?.hasPrefix("elementTooLarge") == true)
    }

    @Test func bytesKeptOutsideOfElementsAreLimited() {
        var limits = XMLLimits()
        limits.documentBytes = 100
        let before = "<r xmlns='urn:1'><w>"
        let elements = String(repeating: "\n <e>1</e><!-- c -->", count: 50)
        #expect(events("\(before)\(elements)\n</w></r>", limits: limits).last?.hasPrefix("remainder") == true)
        for text in [
            "\(before)\(elements)<!--\(String(repeating: " ", count: 100))--></w></r>",
            "\(before)\(String(repeating: "<f/><e/>", count: 20))</w></r>",
            "\(before)<e/><f a='\(String(repeating: "x", count: 60))'/></w></r>",
            String(repeating: " ", count: 101), "<\(String(repeating: "a", count: 101))",
        ] {
            #expect(events(text, limits: limits).last?.hasPrefix("documentTooLarge") == true, "\(text)")
        }
        // A defect before the limit comes first.
        #expect(
            events("\(before)<f>&x;</f>\(String(repeating: " ", count: 100))<e/>", limits: limits).last?.hasPrefix(
                "malformed")
                == true)
    }

    @Test func otherLimitsEqualThoseOfTheReader() {
        var limits = XMLLimits()
        (limits.depth, limits.attributes, limits.namespaces) = (4, 2, 2)
        (limits.nameBytes, limits.textBytes) = (8, 9)
        let codes = [
            "<r xmlns='urn:1'><w><f><f><f/></f></f></w></r>": "tooDeep",
            "<r xmlns='urn:1'><w><f a='' b='' c=''/></w></r>": "tooManyAttributes",
            "<r xmlns='urn:1'><w xmlns:a='1' xmlns:b='2'/></r>": "tooManyNamespaces",
            "<r xmlns='urn:1'><w><fffffffff/></w></r>": "nameTooLong",
            "<r xmlns='urn:1'><w><e/>          <e/></w></r>": "textTooLong",
        ]
        for (text, code) in codes {
            #expect(events(text, limits: limits).last?.hasPrefix(code) == true, "\(text)")
        }
    }

    /// Endless streams of every kind, in pieces of changing sizes.
    @Test(arguments: [
        ("<r xmlns='urn:1'><w>", "\r\n  <e a='1'>text</e> <!-- c --><?p?>", false),
        ("<r xmlns='urn:1'><w><e>", "<a>", true), ("<r xmlns='urn:1'><w>", "<e><a></e>", true),
        ("<r xmlns='urn:1'><w>", "<e/><f/>", true), ("<r xmlns='urn:1'><w>", " x <e/>", true),
        ("<!--", " - ", true), ("<r a='", "&amp;", true), ("<", "é", true), ("", "\n", true),
        ("<r xmlns='urn:1'><w><e><![CDATA[", "]] >", true), ("<r xmlns='urn:1'>", "<w/>", true),
    ])
    func memoryIsBounded(start: String, more: String, isRefused: Bool) {
        var limits = XMLLimits()
        limits.documentBytes = 20_000
        var framer = XMLFramer(path: framedPath, limits: limits, elementBytes: 10_000)
        var (held, pushed, refused) = (0, 0, false)
        framer.push(Array(start.utf8))
        let unit = Array(more.utf8)
        while pushed < 400_000, !refused {
            let piece = Array(repeating: unit, count: 1 + pushed % 37).joined()
            pushed += piece.count
            framer.push(Array(piece))
            do throws(XMLError) {
                while try framer.next() != nil { held = max(held, framer.heldBytes) }
            } catch {
                refused = true
                #expect(error.code.isLimit)
            }
            held = max(held, framer.heldBytes)
        }
        #expect(refused == isRefused)
        #expect(held <= 30_100, "\(held)")
        #expect(isRefused || held < 1000)
    }

    @Test func theFirstDefectIsFinal() throws {
        var framer = XMLFramer(path: framedPath)
        framer.push(Array("<r>&x;</r>".utf8))
        let first = #expect(throws: XMLError.self) { try framer.next() }
        framer.push(Array("<a>".utf8))
        framer.finish()
        let second = #expect(throws: XMLError.self) { try framer.next() }
        #expect(try #require(first).description == #require(second).description)
        #expect(first?.offset == 3)
    }

    @Test func otherEncodingsAreRefusedWithAdvice() {
        let documents: [([UInt8], String?)] = [
            (Array("<?xml version='1.0' encoding='iso-8859-1'?><r/>".utf8), nil),
            (Array("<?xml version='1.0' encoding='us-ascii'?><r/>".utf8), nil), ([0xFF, 0xFE, 0x3C, 0x00], nil),
            ([0x00, 0x3C, 0x00, 0x72], nil), ([0x3C, 0, 0, 0], nil), (Array("<r/>".utf8), "iso-8859-1"),
        ]
        for (document, charset) in documents {
            for size in [1, 3, document.count] {
                var framer = XMLFramer(path: framedPath, charset: charset)
                let error = #expect(throws: XMLError.self) {
                    for begin in stride(from: 0, to: document.count, by: size) {
                        framer.push(Array(document[begin..<min(begin + size, document.count)]))
                        while try framer.next() != nil {}
                    }
                    framer.finish()
                    while try framer.next() != nil {}
                }
                #expect(error?.code == .unsupportedEncoding)
                #expect(error?.message.contains("UTF-8") == true)
            }
        }
        // What the transport says counts more than the declaration.
        var framer = XMLFramer(path: framedPath, charset: "utf-8")
        framer.push(Array("<?xml version='1.0' encoding='iso-8859-1'?><r/>".utf8))
        framer.finish()
        #expect(throws: Never.self) { while try framer.next() != nil {} }
        #expect(framer.isComplete)
    }
}

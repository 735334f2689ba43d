import SignetXML

/// Documents made to exhaust time or memory.
extension HostileDocument {
    /// Documents of nearly `kilobytes` (a few are larger), the most that their limits allow; half of it for one text.
    ///
    /// - Parameter kilobytes: 65,536 for the default limits of a reader.
    public static func large(kilobytes: Int) -> [HostileDocument] {
        let size = Size(bytes: kilobytes << 10)
        return tooMany + tooLong + size.beyondLimits + size.endless + size.wrongAtTheEnd + size.repeated + size.accepted
    }

    /// Counts that no limit on the size would stop.
    private static let tooMany: [HostileDocument] = [
        count("100,000 levels", "<a>", .tooDeep, at: 256, plus: 0),
        count("100,000 levels with attributes", "<a b='c'>", .tooDeep, at: 256, plus: 0),
        count("100,000 levels of two names", "<a><b>", .tooDeep, at: 128, plus: 0),
        count("100,000 levels of namespaces", in: "", { "<a xmlns='\($0)'>" }, "", .tooManyNamespaces, at: 64, plus: 3),
        count("100,000 levels of a prefix", "<p:a xmlns:p='urn:1'>", .tooManyNamespaces, at: 64, plus: 5),
        count("100,000 attributes", in: "<a", { " b\($0)=''" }, "/>", .tooManyAttributes, at: 256, plus: 1),
        count(
            "100,000 times the same attribute", in: "<a", { _ in " b=''" }, "/>", .tooManyAttributes, at: 256, plus: 1),
        count(
            "100,000 attributes of colliding names", in: "<a", { " \(colliding($0))=''" }, "/>", .tooManyAttributes,
            at: 256, plus: 1),
        count(
            "100,000 attributes without an end", in: "<a", { " b\($0)=''" }, "", .tooManyAttributes, at: 256, plus: 1),
        count("100,000 namespaces", in: "<a", { " xmlns:n\($0)='u'" }, "/>", .tooManyNamespaces, at: 64, plus: 1),
        count(
            "100,000 times the same prefix", in: "<a", { _ in " xmlns:p='u'" }, "/>", .tooManyNamespaces, at: 64,
            plus: 1),
    ]

    private static func count(
        _ name: String, in start: String, _ unit: @escaping @Sendable (Int) -> String, _ rest: String,
        _ code: XMLError.Code, at index: Int, plus: Int
    ) -> HostileDocument {
        // From 100,000 on, so that all numbers are of one length.
        let offset = start.utf8.count + index * unit(100_000).utf8.count + plus
        return HostileDocument(name, .refused(code, offset: offset)) {
            (100_000..<200_000).reduce(into: Array(start.utf8)) { $0 += Array(unit($1).utf8) } + Array(rest.utf8)
        }
    }

    private static func count(
        _ name: String, _ unit: String, _ code: XMLError.Code, at index: Int, plus: Int
    ) -> HostileDocument {
        count(name, in: "", { _ in unit }, "", code, at: index, plus: plus)
    }

    /// Names that multiplicative hash functions of the usual kind (31 and 33) put into one place.
    static func colliding(_ number: Int) -> String {
        (0..<17).map { number >> $0 & 1 == 0 ? "Aa" : "BB" }.joined()
    }

    private static let tooLong: [HostileDocument] = [1025, 1 << 20].flatMap { (length: Int) -> [HostileDocument] in
        let name = String(repeating: "n", count: length)
        let text: [Line] = [
            ("an element's name", .nameTooLong, "<a><☠\(name)/></a>"),
            ("an element's name without an end", .nameTooLong, "<a><☠\(name)"),
            ("a name beyond ASCII", .nameTooLong, "<a><☠\(String(repeating: "é", count: length / 2 + 1))/></a>"),
            ("an attribute's name", .nameTooLong, "<a ☠\(name)='1'/>"),
            ("an attribute's name without an end", .nameTooLong, "<a ☠\(name)"),
            ("a prefix", .nameTooLong, "<a ☠xmlns:\(name)='u'/>"),
            ("a prefix that nothing declares", .nameTooLong, "<a><☠\(name):b/></a>"),
            ("a local name", .nameTooLong, "<a xmlns:p='u'><☠p:\(name)/></a>"),
            ("a target", .nameTooLong, "<a><?☠\(name)?></a>"),
            ("a namespace name", .nameTooLong, "<a ☠xmlns='\(name)'/>"),
            ("a namespace name of references", .nameTooLong, "<a ☠xmlns='\(name.replacing("n", with: "&#110;"))'/>"),
            ("a name in an end tag", .malformed, "<a>☠</\(name)></a>"),
            ("a reference's name", .malformed, "<a>☠&\(name);</a>"),
        ]
        return text.map { HostileDocument("\($0.name) of \(length) bytes", $0.code, $0.text, isElement: false) }
    }

    /// Documents up to a size.
    private struct Size {
        var bytes: Int
        var limits: XMLLimits

        init(bytes: Int) {
            self.bytes = bytes
            limits = XMLLimits()
            limits.documentBytes = bytes
            limits.textBytes = bytes / 2
        }

        /// `unit` as often as it fits into `size` bytes, the size of the document unless it is given.
        func fill(
            _ name: String, _ verdict: Verdict, _ start: String, _ unit: String, _ end: String = "", size: Int? = nil,
            doctype: XMLDoctype = .refused
        ) -> HostileDocument {
            let room = (size ?? bytes) - start.utf8.count - end.utf8.count
            return HostileDocument(name, verdict, limits: limits, doctype: doctype) {
                var result = Array(start.utf8)
                result.reserveCapacity(start.utf8.count + room + end.utf8.count)
                let unit = Array(unit.utf8)
                for _ in 0..<(room / unit.count) { result += unit }
                return result + Array(end.utf8)
            }
        }

        var half: Int { bytes / 2 }
        /// Enough to show work that grows with the square, and little enough to be passed within the time that a
        /// refusal may take.
        var some: Int { bytes / 16 }

        var beyondLimits: [HostileDocument] {
            let more = bytes + bytes / 10
            let around: [(String, String, String)] = [
                ("text", "<a>", "</a>"), ("value", "<a b='", "'/>"), ("CDATA section", "<a><![CDATA[", "]]></a>"),
                ("comment", "<a><!--", "--></a>"), ("instruction", "<a><?p ", "?></a>"), ("name", "<a", "/>"),
            ]
            return around.map { name, start, end in
                fill(
                    "a document too large by a \(name)", .refused(.documentTooLarge, offset: 0), start, "x", end,
                    size: more)
            } + [
                fill("a text too long", .refused(.textTooLong, offset: 3), "<a>", "x", "</a>", size: half + 8),
                fill(
                    "a text of references too long", .refused(.textTooLong, offset: 3), "<a>", "&#65;", "</a>",
                    size: half + 13),
                fill("a value too long", .refused(.textTooLong, offset: 6), "<a b='", "x", "'/>", size: half + 10),
                fill(
                    "a value of references too long", .refused(.textTooLong, offset: 6), "<a b='", "&lt;", "'/>",
                    size: half + 17),
                fill(
                    "a CDATA section too long", .refused(.textTooLong, offset: 3), "<a><![CDATA[", "x", "]]></a>",
                    size: half + 20),
                fill(
                    "a namespace name beyond all", .refused(.nameTooLong, offset: 3), "<a xmlns='", "x", "'/>",
                    size: half),
            ]
        }

        var endless: [HostileDocument] {
            func end(_ name: String, _ start: String, _ unit: String, at offset: Int) -> HostileDocument {
                fill(
                    "much of \(name) without an end", .refused(.unexpectedEnd, offset: offset), start, unit, size: some)
            }
            return [
                end("a comment", "<a><!--", "x", at: 3), end("a comment of hyphens and spaces", "<a><!--", "- ", at: 3),
                end("a CDATA section", "<a><![CDATA[", "x", at: 3),
                end("a CDATA section of brackets", "<a><![CDATA[", "]", at: 3),
                end("a CDATA section of starts", "<a>", "<![CDATA[", at: 3),
                end("an instruction", "<a><?p ", "x", at: 3),
                end("an instruction of question marks", "<a><?p ", "?", at: 3), end("a value", "<a b='", "x", at: 6),
                end("a value of references", "<a b='", "&lt;", at: 6), end("an XML declaration", "<?xml ", "x", at: 0),
                end("a tag of spaces", "<a ", "\n", at: some), end("a text", "<a>", "x", at: some),
                end("an end tag of spaces", "<a></a", " ", at: some), end("a document of spaces", "", " ", at: some),
            ]
        }

        /// As much work as there can be before the defect is met.
        var wrongAtTheEnd: [HostileDocument] {
            func wrong(
                _ name: String, _ code: XMLError.Code, _ start: String, _ unit: String, _ end: String,
                size: Int? = nil, doctype: XMLDoctype = .refused
            ) -> HostileDocument {
                let (start, (tail, mark)) = (start, HostileDocument.bytes(of: end))
                let size = size ?? some
                let filled = (size - start.utf8.count - tail.count) / unit.utf8.count * unit.utf8.count
                let text = String(decoding: tail, as: UTF8.self)
                let verdict = Verdict.refused(code, offset: start.utf8.count + filled + (mark ?? 0))
                return fill("\(name) behind much", verdict, start, unit, text, size: size, doctype: doctype)
            }
            // Less of them: a declaration is carried out before the document is read.
            func declared(_ name: String, _ subset: String, _ unit: String) -> HostileDocument {
                wrong(
                    name, .malformed, "<!DOCTYPE a [\(subset)]><a>", unit, "<a>☠</b></a>",
                    size: subset.utf8.count + some / 4, doctype: .internalEntities)
            }
            let attributes = (0..<1000).map { "<!ATTLIST b c\($0) CDATA #IMPLIED>" }.joined()
            return [
                wrong("a wrong end tag", .malformed, "<a>", "<b/>\n", "☠</c>"),
                wrong("a bad reference", .malformed, "<a>", "<b/>\r\n", "☠&bad;</a>"),
                wrong("a forbidden character", .invalidCharacter, "<a>", "<b>é</b>\n", "☠\u{1}</a>"),
                wrong("a non-character", .invalidCharacter, "<a>", "xéx\n<b/>", "☠\u{FFFF}</a>"),
                wrong("]]>", .malformed, "<a>]", "<b>x]]</b>", "☠]]></a>"),
                wrong("a second root", .malformed, "<a/>", "<!---->", "☠<b/>"),
                wrong("text behind the root", .malformed, "<a/>", "\n", "☠x"),
                // Half as much, because most of the time goes into the texts that the test asks for, three an
                // attribute.
                wrong("an attribute twice", .malformed, "<a>", "<b c='' d=''/>", "<b c='' ☠c=''/></a>", size: some / 2),
                wrong("a prefix that nothing declares", .namespace, "<p:a xmlns:p='u'>", "<p:b/>", "<☠q:b/></p:a>"),
                wrong("hyphens in a comment", .malformed, "<a><!--", "- ", "☠-- --></a>"),
                wrong("the end", .unexpectedEnd, "<a>", "<b>\n</b>", "☠"),
                wrong("no root", .unexpectedEnd, "", "<?p?>\n", "☠"),
                declared("elements, and a declaration,", "", "<b/>"),
                declared("elements with 1,000 attributes declared", attributes, "<b/>"),
                declared("values that are tokens", "<!ATTLIST b c NMTOKEN #IMPLIED>", "<b c='1'/>"),
                declared("a text, and a declaration,", "", "x"),
                declared("references, and a declaration,", "", "&lt;"),
            ]
        }

        var repeated: [HostileDocument] {
            func again(
                _ unit: String, _ code: XMLError.Code, at offset: Int, behind start: String = ""
            ) -> HostileDocument {
                fill(
                    "“\(start)” and again and again “\(unit)”", .refused(code, offset: offset), start, unit, size: some)
            }
            return [
                again("<", .malformed, at: 1), again(">", .malformed, at: 0), again("&", .malformed, at: 0),
                again("<!", .malformed, at: 0), again("<!--", .malformed, at: 6), again("<?", .malformed, at: 2),
                again("<a ", .malformed, at: 3), again("<a b='", .malformed, at: 6), again("</", .malformed, at: 0),
                again("</a>", .malformed, at: 0), again("<a/>", .malformed, at: 4), again("<a></a>", .malformed, at: 7),
                again("<![CDATA[]]>", .malformed, at: 0), again("<!DOCTYPE", .doctypeRefused, at: 0),
                again("<?xml ", .unexpectedEnd, at: 0), again("&", .malformed, at: 3, behind: "<a>"),
                again("]]>", .malformed, at: 3, behind: "<a>"), again(" b", .malformed, at: 5, behind: "<a"),
                again("=", .malformed, at: 3, behind: "<a "), again("'", .malformed, at: 7, behind: "<a b="),
                again(":", .namespace, at: 1, behind: "<"), again("/", .malformed, at: 2, behind: "<a"),
                again("\u{FEFF}", .malformed, at: 3), again("&#", .malformed, at: 3, behind: "<a>"),
                again("9", .unexpectedEnd, at: 3, behind: "<a>&#"),
                again("\u{1}", .invalidCharacter, at: 3, behind: "<a>"),
            ]
        }

        /// Well-formed, and much work.
        var accepted: [HostileDocument] {
            func fine(_ name: String, _ start: String, _ unit: String, _ end: String) -> HostileDocument {
                fill(name, .accepted, start, unit, end, size: some)
            }
            let many = "<a" + (0..<256).map { " \(HostileDocument.colliding($0))=''" }.joined()
            let scope = (0..<64).map { " xmlns:n\($0)='u\($0)'" }.joined()
            return [
                fine("siblings", "<a>", "<b/>", "</a>"), fine("siblings with texts", "<a>]", "<b>x</b>", "</a>"),
                fine("comments", "<a>", "<!---->", "</a>"), fine("instructions", "<a>", "<?p?>", "</a>"),
                fine("CDATA sections", "<a>", "<![CDATA[]]>", "</a>"),
                fine("references", "<a>", "&lt;", "</a>"),
                fine("a text", "<a>", "x", "</a>"), fine("a value", "<a b='", "x", "'/>"),
                fine("a value of line ends", "<a b='", "\r\n", "'/>"),
                fine("a text of carriage returns", "<a>", "\r", "</a>"),
                fine("a text of brackets", "<a>", "]", "</a>"),
                fine("a comment", "<a><!--", "- ", "--></a>"),
                fine("an instruction", "<a><?p ", "?", "?></a>"), fine("spaces around the root", "<a/>", " ", ""),
                fine("comments around the root", "", "<!---->", "<a/>"), fine("a tag of spaces", "<a ", " ", "/>"),
                fine("digits of a reference", "<a>&#", "0", "65;</a>"),
                fine("characters of four bytes", "<a>", "😀", "</a>"),
                fine(
                    "levels", "<a>", String(repeating: "<b>", count: 255) + String(repeating: "</b>", count: 255),
                    "</a>"),
                fine("attributes of colliding names", "<a>", "\(many)/>", "</a>"),
                fine("prefixes with many in scope", "<a\(scope)>", "<n0:b/>", "</a>"),
                fine(
                    "prefixes of attributes with many in scope", "<a\(scope)>", "<b n0:c='' n1:c='' n2:c=''/>", "</a>"),
                fine("declarations of one namespace", "<a>", "<b xmlns='u'/>", "</a>"),
                distinctNamespaces,
            ]
        }

        /// A namespace of its own for each child.
        private var distinctNamespaces: HostileDocument {
            let count = some / 24
            return HostileDocument("declarations of many namespaces", .accepted, limits: limits) {
                (0..<count).reduce(into: Array("<a>".utf8)) {
                    $0 += Array("<b xmlns='\(String($1, radix: 36))'/>".utf8)
                }
                    + Array("</a>".utf8)
            }
        }
    }
}

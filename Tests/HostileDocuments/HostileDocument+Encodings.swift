import SignetXML

// XML 1.0 §4.3.3 and appendix F, RFC 7303 §3, RFC 2781: encodings that are read, are not read, or contradict each
// other.
extension HostileDocument {
    /// A document in an encoding; bytes between `«` and `»` are taken as they are.
    private static func encoded(
        _ name: String, _ code: XMLError.Code?, _ text: String, _ encoding: Encoding = .single,
        charset: String? = nil
    ) -> HostileDocument {
        let parts = text.split(separator: "☠", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let before = encoding.bytes(of: parts[0])
        let whole = before + (parts.count > 1 ? encoding.bytes(of: parts[1]) : [])
        let shown = parts[0].split(separator: "»", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        let position = place(of: shown.utf8.count, in: Array((shown + " ").utf8))
        return HostileDocument(
            name, code.map { .refused($0, offset: before.count) } ?? .accepted, charset: charset,
            position: position
        ) { whole }
    }

    private enum Encoding: String, CaseIterable {
        /// One byte a character, U+00FF the last.
        case single
        case utf16BE = "UTF-16BE"
        case utf16LE = "UTF-16LE"
        case utf32BE = "UTF-32BE"
        case utf32LE = "UTF-32LE"

        func bytes(of text: String) -> [UInt8] {
            var bytes: [UInt8] = []
            for (index, part) in text.split(separator: "«", omittingEmptySubsequences: false).enumerated() {
                var plain = part
                if index > 0, let end = part.firstIndex(of: "»") {
                    bytes += part[..<end].split(separator: " ").compactMap { UInt8($0, radix: 16) }
                    plain = part[part.index(after: end)...]
                }
                switch self {
                case .single: bytes += plain.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
                case .utf16BE: bytes += plain.utf16.flatMap { Self.bytes(UInt32($0), 2) }
                case .utf16LE: bytes += plain.utf16.flatMap { Self.bytes(UInt32($0), 2).reversed() }
                case .utf32BE: bytes += plain.unicodeScalars.flatMap { Self.bytes($0.value, 4) }
                case .utf32LE: bytes += plain.unicodeScalars.flatMap { Self.bytes($0.value, 4).reversed() }
                }
            }
            return bytes
        }

        private static func bytes(_ value: UInt32, _ count: UInt32) -> [UInt8] {
            (0..<count).reversed().map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
        }
    }

    static let encodings: [HostileDocument] =
        [Encoding.utf16BE, .utf16LE].flatMap(inUTF16) + [Encoding.utf32BE, .utf32LE].flatMap(inUTF32) + singleBytes

    private static func inUTF16(_ encoding: Encoding) -> [HostileDocument] {
        let name = encoding.rawValue
        let other = encoding == .utf16BE ? "UTF-16LE" : "UTF-16BE"
        // Code units that cannot be written as text.
        func unit(_ bytes: String) -> String {
            encoding == .utf16BE ? "«\(bytes)»" : "«\(bytes.split(separator: " ").reversed().joined(separator: " "))»"
        }
        let mark = unit("FE FF")
        let half = "«00»"
        let documents: [(String, XMLError.Code?, String, String?)] = [
            ("with a mark", nil, "\(mark)<a é='ж'>😀\r\n</a>", nil),
            ("without a mark", nil, "<a/>", nil),
            ("without a mark, behind a line end", nil, "\n<a/>", nil),
            ("with a declaration", nil, "\(mark)<?xml version='1.0' encoding='UTF-16'?><a/>", nil),
            ("with its own declaration", nil, "\(mark)<?xml version='1.0' encoding='\(name)'?><a/>", nil),
            ("with a mark and a charset that is wrong", nil, "\(mark)<a/>", "iso-8859-1"),
            ("without a mark but with a charset", nil, "<a/>", "utf-16"),
            ("with a mark in a text", nil, "\(mark)<a>\(mark)</a>", nil),
            ("declared as UTF-8", .unsupportedEncoding, "\(mark)<?xml version='1.0' encoding='☠UTF-8'?><a/>", nil),
            ("declared as ISO-8859-1", .unsupportedEncoding, "<?xml version='1.0' encoding='☠iso-8859-1'?><a/>", nil),
            (
                "declared in the other order", .unsupportedEncoding,
                "\(mark)<?xml version='1.0' encoding='☠\(other)'?><a/>", nil
            ),
            ("declared as UTF-32", .unsupportedEncoding, "\(mark)<?xml version='1.0' encoding='☠UTF-32'?><a/>", nil),
            (
                "declared as nothing known", .unsupportedEncoding, "\(mark)<?xml version='1.0' encoding='☠x-y'?><a/>",
                nil
            ),
            ("sent as UTF-8", .unsupportedEncoding, "☠<a/>", "utf-8"),
            ("sent as US-ASCII", .unsupportedEncoding, "☠<a/>", "us-ascii"),
            ("sent in the other order", .unsupportedEncoding, "☠<a/>", other),
            ("with the wrong version", .malformed, "\(mark)<?xml version='☠2.0'?><a/>", nil),
            ("with a lone high surrogate", .invalidCharacter, "\(mark)<a>é☠\(unit("D8 00"))</a>", nil),
            ("with a lone low surrogate", .invalidCharacter, "\(mark)<a>é☠\(unit("DC 00"))</a>", nil),
            ("with two high surrogates", .invalidCharacter, "\(mark)<a>é☠\(unit("D8 3D"))\(unit("D8 3D"))</a>", nil),
            (
                "with surrogates the wrong way round", .invalidCharacter,
                "\(mark)<a>é☠\(unit("DE 00"))\(unit("D8 3D"))</a>", nil
            ),
            ("that ends in a pair", .invalidCharacter, "\(mark)<a>é☠\(unit("D8 3D"))", nil),
            ("that ends in a character", .invalidCharacter, "\(mark)<a></a>☠\(half)", nil),
            ("with a NUL", .invalidCharacter, "\(mark)<a>é☠\(unit("00 00"))</a>", nil),
            ("with a control character", .invalidCharacter, "\(mark)<a b='é☠\(unit("00 01"))'/>", nil),
            ("with U+FFFE", .invalidCharacter, "\(mark)<a>é☠\(unit("FF FE"))</a>", nil),
            ("with U+FFFF", .invalidCharacter, "\(mark)<a>é☠\(unit("FF FF"))</a>", nil),
            ("with two marks", .malformed, "\(mark)☠\(mark)<a/>", nil),
            ("of a mark only", .unexpectedEnd, "\(mark)☠", nil),
            ("with a wrong end tag", .malformed, "\(mark)<a>é😀\r\nж<b>☠</c></a>", nil),
            ("with a bad reference", .malformed, "\(mark)<a b='😀\n☠&b;'/>", nil),
            ("with ]]>", .malformed, "\(mark)<a>日本\r☠]]></a>", nil),
            ("with a prefix that nothing declares", .namespace, "<é>日<☠b:c/></é>", nil),
            ("with a document type declaration", .doctypeRefused, "\(mark)☠<!DOCTYPE a><a/>", nil),
            ("without an end", .unexpectedEnd, "\(mark)<a>日😀☠", nil),
            ("turned over", .malformed, "\(encoding == .utf16BE ? "«FF FE»" : "«FE FF»")☠<a/>", nil),
        ]
        return documents.map { encoded("\(name) \($0.0)", $0.1, $0.2, encoding, charset: $0.3) }
    }

    private static func inUTF32(_ encoding: Encoding) -> [HostileDocument] {
        let mark = encoding == .utf32BE ? "«00 00 FE FF»" : "«FF FE 00 00»"
        return [
            encoded("\(encoding.rawValue) with a mark", .unsupportedEncoding, "☠\(mark)<a/>", encoding),
            encoded("\(encoding.rawValue) without a mark", .unsupportedEncoding, "☠<a/>", encoding),
            encoded("\(encoding.rawValue) sent as that", .unsupportedEncoding, "☠<a/>", encoding, charset: "utf-32"),
        ]
    }

    private static let singleBytes: [HostileDocument] =
        [
            encoded("ISO-8859-1", nil, "<?xml version='1.0' encoding='ISO-8859-1'?><é>ÿ</é>"),
            encoded("ISO-8859-1 by the transport", nil, "<é>ÿ</é>", charset: "ISO-8859-1"),
            encoded("windows-1252", nil, "<?xml version='1.0' encoding='windows-1252'?><a>«80 99 9C»</a>"),
            encoded("US-ASCII", nil, "<?xml version='1.0' encoding='us-ascii'?><a/>"),
            encoded(
                "UTF-8 by the transport, declared as ISO-8859-1", nil,
                "<?xml version='1.0' encoding='ISO-8859-1'?><a>«C3 A9»</a>", charset: "utf-8"),
            encoded("UTF-8 with a mark, sent as ISO-8859-1", nil, "«EF BB BF»<a>«C3 A9»</a>", charset: "iso-8859-1"),
            encoded("a bad reference in ISO-8859-1", .malformed, "<a>é\nüß☠&b;</a>", charset: "ISO-8859-1"),
            encoded("a forbidden character in ISO-8859-1", .invalidCharacter, "<a>éü☠«01»</a>", charset: "ISO-8859-1"),
            encoded("a bad reference in windows-1252", .malformed, "<a>éü☠&b;</a>", charset: "windows-1252"),
            encoded("UTF-8 sent as US-ASCII", .invalidCharacter, "<a>x☠«C3 A9»</a>", charset: "us-ascii"),
            encoded(
                "UTF-8 declared as US-ASCII", .invalidCharacter,
                "<?xml version='1.0' encoding='us-ascii'?><a>x☠«C3 A9»</a>"),
            encoded(
                "ISO-8859-1 declared as UTF-8", .invalidCharacter, "<?xml version='1.0' encoding='utf-8'?><a>x☠«E9»</a>"
            ),
            encoded(
                "UTF-8 with a mark declared as ISO-8859-1", .unsupportedEncoding,
                "«EF BB BF»<?xml version='1.0' encoding='☠iso-8859-1'?><a/>"),
            encoded(
                "UTF-8 with a mark declared as UTF-16", .unsupportedEncoding,
                "«EF BB BF»<?xml version='1.0' encoding='☠utf-16'?><a/>"),
            encoded("UTF-8 declared as UTF-16", .unsupportedEncoding, "<?xml version='1.0' encoding='☠UTF-16'?><a/>"),
            encoded(
                "UTF-8 declared as UTF-16LE", .unsupportedEncoding, "<?xml version='1.0' encoding='☠UTF-16LE'?><a/>"),
            encoded("UTF-8 sent as UTF-16", .unsupportedEncoding, "☠<a/>", charset: "utf-16"),
            encoded("UTF-8 sent as UTF-32", .unsupportedEncoding, "☠<a/>", charset: "utf-32"),
            encoded("an unknown charset", .unsupportedEncoding, "☠<a/>", charset: "x-unknown"),
            encoded("a charset that is none", .unsupportedEncoding, "☠<a/>", charset: "utf-8; version=1"),
            encoded(
                "a charset of a megabyte", .unsupportedEncoding, "☠<a/>",
                charset: String(repeating: "x", count: 1 << 20)),
            encoded(
                "EBCDIC", .unsupportedEncoding,
                "☠«4C 6F A7 94 93 40 A5 85 99 A2 89 96 95 7E 7D F1 4B F0 7D 6F 6E 4C 81 61 6E»"),
            encoded("UTF-7 with a mark", .malformed, "☠«2B 2F 76 38 2D»<a/>"),
            encoded("half of a mark", .invalidCharacter, "☠«EF BB»<a/>"),
            encoded("a byte of a mark", .invalidCharacter, "☠«EF»"),
            encoded("NULs", .invalidCharacter, "☠«00 00 00 00 00 00 00 00»"),
            // Bytes 00 3C begin a document in UTF-16.
            HostileDocument("a NUL before the root", .refused(.invalidCharacter, offset: 4), position: (1, 3)) {
                [0x00, 0x3C, 0x61, 0x2F, 0x3E]
            },
            encoded("FF", .invalidCharacter, "☠«FF»"),
            encoded("a mark of UTF-16 and a byte", .invalidCharacter, "«FF FE»☠«3C»"),
        ]
        + ["81", "8D", "8F", "90", "9D"].map {
            encoded("the byte \($0) of windows-1252", .invalidCharacter, "<a>é☠«\($0)»</a>", charset: "windows-1252")
        }
}

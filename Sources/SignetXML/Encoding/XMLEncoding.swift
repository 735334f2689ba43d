/// The encodings of documents that are read (XML 1.0 §4.3.3).
enum XMLEncoding: Sendable, Hashable {
    case utf8, ascii, latin1, utf16BigEndian, utf16LittleEndian
    /// The page with this number in ``XMLCodePage/all``.
    case page(Int)
    /// UTF-16 by a name that does not state the byte order.
    case utf16
    /// Recognized only to be refused by its name.
    case utf32

    /// The encoding that a declaration or a transport names; nil for an unknown one.
    init?(named name: String) {
        // No name is longer, and an overlong name from outside is not copied to compare it.
        guard name.utf8.count <= Self.longestName else { return nil }
        guard let encoding = name == "utf-8" ? .utf8 : Self.names[name.lowercased()] else { return nil }
        self = encoding
    }

    /// The length in bytes beyond which no name is looked up; the names that IANA registers are far shorter.
    static let longestName = 64

    /// The names that IANA registers with their aliases, and a few more in common use.
    private static let names: [String: XMLEncoding] = {
        let lists: [(XMLEncoding, String)] = [
            (.utf8, "utf-8 utf8 csutf8"),
            (
                .ascii,
                "us-ascii ascii us iso646-us iso_646.irv:1991 iso-ir-6 ansi_x3.4-1968 ansi_x3.4-1986 ibm367 cp367 csascii"
            ),
            (
                .latin1,
                "iso-8859-1 iso8859-1 iso_8859-1 iso_8859-1:1987 iso-ir-100 latin1 l1 ibm819 cp819 csisolatin1"
            ),
            (.utf16, "utf-16 utf16 csutf16 iso-10646-ucs-2 csunicode"),
            (.utf16BigEndian, "utf-16be csutf16be"),
            (.utf16LittleEndian, "utf-16le csutf16le"),
            (.utf32, "utf-32 utf-32be utf-32le csutf32 csutf32be csutf32le iso-10646-ucs-4 csucs4 ucs-4"),
        ]
        let pages = XMLCodePage.all.enumerated().map { (XMLEncoding.page($0.offset), $0.element.names) }
        return (lists + pages).reduce(into: [:]) { names, list in
            for name in list.1.split(separator: " ") { names[String(name)] = list.0 }
        }
    }()

    /// The name for error messages.
    var name: String {
        switch self {
        case .utf8: "UTF-8"
        case .ascii: "US-ASCII"
        case .latin1: "ISO-8859-1"
        case .page: codePage?.name ?? ""
        case .utf16: "UTF-16"
        case .utf16BigEndian: "UTF-16BE"
        case .utf16LittleEndian: "UTF-16LE"
        case .utf32: "UTF-32"
        }
    }

    /// The table of an encoding with one byte for each character; nil for encodings without a table.
    var codePage: XMLCodePage? {
        guard case .page(let number) = self, XMLCodePage.all.indices.contains(number) else { return nil }
        return XMLCodePage.all[number]
    }

    /// Whether characters take two or four bytes, so that none of the other encodings is possible.
    var isUTF16: Bool { self == .utf16 || self == .utf16BigEndian || self == .utf16LittleEndian }

    /// Whether a document in this encoding may declare `declared`.
    func agrees(with declared: XMLEncoding) -> Bool { self == declared || (declared == .utf16 && isUTF16) }
}

extension XMLEncoding {
    /// What the first bytes of a document reveal about its encoding (XML 1.0 appendix F.1).
    struct Signature {
        /// The encoding; nil when the bytes do not determine it: UTF-8, or one of the encodings that extend ASCII.
        var encoding: XMLEncoding?
        /// The length of the byte-order mark.
        var markLength = 0
        /// The name of the encoding family for the error message, if that family is never read.
        var refused: String?
    }

    static func signature(of bytes: UnsafeBufferPointer<UInt8>) -> Signature {
        func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0xAA }
        // Nearly every document begins so.
        if byte(0) == 0x3C && byte(1) != 0 { return Signature() }
        switch (byte(0), byte(1), byte(2), byte(3)) {
        case (0x00, 0x00, 0xFE, 0xFF), (0xFF, 0xFE, 0x00, 0x00), (0x00, 0x00, 0xFF, 0xFE), (0xFE, 0xFF, 0x00, 0x00),
            (0x00, 0x00, 0x00, 0x3C), (0x3C, 0x00, 0x00, 0x00), (0x00, 0x00, 0x3C, 0x00), (0x00, 0x3C, 0x00, 0x00):
            return Signature(refused: "UTF-32")
        case (0x4C, 0x6F, 0xA7, 0x94): return Signature(refused: "EBCDIC")
        case (0xEF, 0xBB, 0xBF, _): return Signature(encoding: .utf8, markLength: 3)
        case (0xFE, 0xFF, _, _): return Signature(encoding: .utf16BigEndian, markLength: 2)
        case (0xFF, 0xFE, _, _): return Signature(encoding: .utf16LittleEndian, markLength: 2)
        // Without a mark: “<”, or white space before it.
        case (0x00, 0x3C, _, _), (0x00, 0x20, _, _), (0x00, 0x0A, _, _), (0x00, 0x0D, _, _), (0x00, 0x09, _, _):
            return Signature(encoding: .utf16BigEndian)
        case (0x3C, 0x00, _, _), (0x20, 0x00, _, _), (0x0A, 0x00, _, _), (0x0D, 0x00, _, _), (0x09, 0x00, _, _):
            return Signature(encoding: .utf16LittleEndian)
        default: return Signature()
        }
    }
}

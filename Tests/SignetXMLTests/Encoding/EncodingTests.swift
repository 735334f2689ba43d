import Foundation
import Testing

@testable import SignetXML

/// A document in one of the orders of UTF-16.
func utf16(_ text: String, bigEndian: Bool = true) -> [UInt8] {
    text.utf16.flatMap {
        let bytes = [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)]
        return bigEndian ? bytes : bytes.reversed()
    }
}

@Suite struct EncodingTests {
    private static let text = "<a b='é€'>ä\u{10FFFF}😀\u{FFFD}x\u{800}\u{7FF}</a>"
    private static let expected = "<a b=é€>ä\u{10FFFF}😀\u{FFFD}x\u{800}\u{7FF}</>"

    @Test(arguments: [true, false])
    func utf16IsRead(bigEndian: Bool) throws {
        let order = bigEndian ? "utf-16be" : "utf-16le"
        for start in ["", "<?xml version='1.0' encoding='UTF-16'?>", "<?xml version='1.0' encoding='\(order)'?>", "\n"]
        {
            for mark in ["", "\u{FEFF}"] {
                let document = utf16(mark + start + Self.text, bigEndian: bigEndian)
                for charset in [nil, "", "utf-16", order.uppercased()] {
                    #expect(try trace(document, charset: charset) == Self.expected)
                }
            }
        }
    }

    /// A mark is right whatever the transport says: the document can be nothing else (RFC 7303 §3.3).
    @Test func aMarkWinsOverTheTransport() throws {
        let documents = [
            utf16("\u{FEFF}" + Self.text), utf16("\u{FEFF}" + Self.text, bigEndian: false),
            Array("\u{FEFF}\(Self.text)".utf8),
        ]
        for document in documents {
            for charset in ["utf-8", "iso-8859-1", "utf-16le", "utf-16be", "x-unknown"] {
                #expect(try trace(document, charset: charset) == Self.expected)
            }
        }
    }

    /// No name of an encoding is so long: it is refused without being copied.
    @Test func aNameWithoutEndIsNotCopied() throws {
        let name = String(repeating: "x", count: 100_000)
        let document = Array("<?xml version='1.0' encoding='\(name)'?><a/>".utf8)
        let prolog = try document.withUnsafeBufferPointer { (bytes) throws(XMLError) in try XMLProlog(bytes) }
        #expect(prolog.encoding?.name.utf8.count == XMLEncoding.longestName + 1)
        let declared = #expect(throws: XMLError.self) { try trace(document) }
        #expect(declared?.code == .unsupportedEncoding)
        #expect(declared?.offset == 30)
        let sent = #expect(throws: XMLError.self) { try trace(Array("<a/>".utf8), charset: name) }
        #expect(sent?.code == .unsupportedEncoding)
        #expect(XMLEncoding(named: "ISO_8859-1:1987") == .latin1)
    }

    @Test(arguments: [
        ("ISO-8859-1", String.Encoding.isoLatin1), ("windows-1252", .windowsCP1252), ("latin1", .isoLatin1),
        ("Cp1252", .windowsCP1252),
    ])
    func everyByteIsTheCharacterThatFoundationSays(name: String, encoding: String.Encoding) throws {
        let start = Array("<?xml version='1.0' encoding='\(name)'?><a>".utf8)
        var refused: [UInt8] = []
        for byte in UInt8(0x80)...0xFF {
            let document = start + [byte] + Array("</a>".utf8)
            // CoreFoundation gives the five bytes that windows-1252 leaves out a meaning of its own.
            if encoding == .windowsCP1252, [0x81, 0x8D, 0x8F, 0x90, 0x9D].contains(byte) {
                let error = #expect(throws: XMLError.self) { try trace(document) }
                #expect(error?.code == .invalidCharacter)
                #expect(error?.offset == start.count)
                refused.append(byte)
            } else {
                let character = try #require(String(data: Data([byte]), encoding: encoding))
                #expect(try trace(document) == "<a>\(character)</>", "\(byte)")
            }
        }
        #expect(refused.count == (encoding == .windowsCP1252 ? 5 : 0))
    }

    @Test func theTransportWinsOverTheDeclaration() throws {
        let document = Array("<?xml version='1.0' encoding='shift_jis'?><a>\u{E9}</a>".unicodeScalars).map {
            UInt8(truncatingIfNeeded: $0.value)
        }
        #expect(try trace(document, charset: "iso-8859-1") == "<a>é</>")
        #expect(throws: XMLError(.unsupportedEncoding, "")) { try trace(document) }
        #expect(try trace(Array("<?xml version='1.0' encoding='utf-16'?><a/>".utf8), charset: "UTF-8") == "<a></>")
    }

    @Test func theEncodingDeclarationOfAStringIsIgnored() throws {
        let fragment = try XMLFragment(parsing: "<?xml version='1.0' encoding='iso-8859-1'?><a>é</a>")
        #expect(fragment.text == "é")
    }

    private static let refused: [(document: [UInt8], charset: String?, words: String)] = [
        // Other families.
        ([0x00, 0x00, 0xFE, 0xFF], nil, "UTF-32"), ([0xFF, 0xFE, 0x00, 0x00], nil, "UTF-32"),
        ([0x3C, 0x00, 0x00, 0x00], nil, "UTF-32"), ([0x00, 0x00, 0x00, 0x3C], "utf-32", "UTF-32"),
        ([0x4C, 0x6F, 0xA7, 0x94], nil, "EBCDIC"),
        // What the declaration says against what the bytes show.
        (utf16("<?xml version='1.0' encoding='utf-8'?><a/>"), nil, "UTF-16BE"),
        (utf16("\u{FEFF}<?xml version='1.0' encoding='utf-8'?><a/>"), "utf-16", "byte-order mark"),
        (utf16("\u{FEFF}<?xml version='1.0' encoding='utf-16le'?><a/>"), nil, "byte-order mark"),
        (utf16("<?xml version='1.0' encoding='iso-8859-1'?><a/>", bigEndian: false), nil, "UTF-16LE"),
        (Array("\u{FEFF}<?xml version='1.0' encoding='iso-8859-1'?><a/>".utf8), nil, "byte-order mark"),
        (Array("\u{FEFF}<?xml version='1.0' encoding='us-ascii'?><a/>".utf8), "utf-8", "byte-order mark"),
        (Array("\u{FEFF}<?xml version='1.0' encoding='utf-16'?><a/>".utf8), nil, "byte-order mark"),
        (Array("<?xml version='1.0' encoding='utf-16'?><a/>".utf8), nil, "one byte each"),
        // What the transport says against what the bytes show.
        (Array("<a/>".utf8), "utf-16", "does not begin as UTF-16"), (Array("<a/>".utf8), "utf-16le", "does not begin"),
        (utf16("<a/>"), "utf-8", "begins as UTF-16BE"), (utf16("<a/>"), "utf-16le", "begins as UTF-16BE"),
        (utf16("<a/>", bigEndian: false), "windows-1252", "begins as UTF-16LE"),
        // Unknown names.
        (Array("<a/>".utf8), "shift_jis", "send UTF-8"), (Array("<a/>".utf8), "utf-32", "send UTF-8"),
        (Array("<?xml version='1.0' encoding='shift_jis'?><a/>".utf8), nil, "send UTF-8"),
        (Array("\u{FEFF}<?xml version='1.0' encoding='UTF-7'?><a/>".utf8), nil, "send UTF-8"),
    ]

    @Test(arguments: refused.indices)
    func refuses(index: Int) {
        let (document, charset, words) = Self.refused[index]
        let error = #expect(throws: XMLError.self) { try trace(document, charset: charset) }
        #expect(error?.code == .unsupportedEncoding)
        #expect(error?.message.contains(words) == true, "\(String(describing: error))")
    }

    private static let misplaced:
        [(document: String, charset: String?, code: XMLError.Code, offset: Int, column: Int)] = [
            ("<a>\u{E9}</a>", "us-ascii", .invalidCharacter, 3, 4),
            ("<?xml version='1.0' encoding='us-ascii'?>\n<a>\u{E9}</a>", nil, .invalidCharacter, 45, 4),
            ("<a>\u{E9}\u{E9}&x;</a>", "latin1", .malformed, 5, 6),
            ("<a>\u{80}\u{E9}&x;</a>", "windows-1252", .malformed, 5, 6),
            ("<a>\u{E9}\u{1}</a>", "iso-8859-1", .invalidCharacter, 4, 5),
            ("<a>\u{E9}</a>", nil, .invalidCharacter, 3, 4),
        ]

    @Test(arguments: misplaced.indices)
    func placesReferToTheGivenBytes(index: Int) {
        let (document, charset, code, offset, column) = Self.misplaced[index]
        let bytes = document.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
        let error = #expect(throws: XMLError.self) { try trace(bytes, charset: charset) }
        #expect(error?.code == code, "\(String(describing: error))")
        #expect(error?.offset == offset)
        #expect(error?.column == column)
    }

    @Test(arguments: [true, false])
    func placesInUTF16ReferToTheGivenBytes(bigEndian: Bool) {
        func error(_ text: String, then units: [UInt16] = [], cut: Int = 0) -> XMLError? {
            var bytes = utf16(text, bigEndian: bigEndian)
            for unit in units {
                let pair = [UInt8(unit >> 8), UInt8(unit & 0xFF)]
                bytes += bigEndian ? pair : pair.reversed()
            }
            return #expect(throws: XMLError.self) { try trace(bytes.dropLast(cut)) }
        }
        let reference = error("\u{FEFF}<a>\n😀é€&x;</a>")
        #expect(reference == XMLError(.malformed, ""))
        #expect(reference?.offset == 2 + 2 * 8)
        #expect(reference?.line == 2)
        #expect(reference?.column == 4)
        let surrogates: [[UInt16]] = [
            [0xD800, 0x61], [0xDC00], [0xD800], [0xD800, 0xD800, 0xDC00], [0xDFFF, 0xD800],
        ]
        for units in surrogates {
            for padding in 0..<9 {
                let lone = error("<a>" + String(repeating: "x", count: padding), then: units)
                #expect(lone?.code == .invalidCharacter)
                #expect(lone?.offset == 6 + 2 * padding)
                #expect(lone?.column == 4 + padding)
            }
        }
        let odd = error("<a>x</a>", cut: 1)
        #expect(odd == XMLError(.invalidCharacter, ""))
        #expect(odd?.offset == 14)
        let control = error("<a>é\u{1}</a>")
        #expect(control == XMLError(.invalidCharacter, ""))
        #expect(control?.offset == 8)
        #expect(control?.message.contains("U+0001") == true)
    }

    @Test func readerOffsetsReferToTheGivenBytes() throws {
        try XMLReader.read(utf16("\u{FEFF}<a>é<b/></a>")) { reader in
            try reader.root()
            #expect(reader.offset == 8)
            #expect(try reader.next() == .text)
            #expect(reader.offset == 10)
            #expect(try reader.next() == .startElement)
            #expect(reader.startTagPlace() == (1, 5))
        }
    }

    @Test func theLimitHoldsBeforeAndAfterTheDocumentIsConverted() throws {
        var limits = XMLLimits()
        let latin1 = Array("<a>".utf8) + [UInt8](repeating: 0xE9, count: 10) + Array("</a>".utf8)
        limits.documentBytes = 27
        #expect(try trace(latin1, limits: limits, charset: "latin1") == "<a>éééééééééé</>")
        limits.documentBytes = 26
        #expect(throws: XMLError(.documentTooLarge, "")) { try trace(latin1, limits: limits, charset: "latin1") }
        #expect(throws: XMLError(.documentTooLarge, "")) { try trace(utf16("<a>0123456789</a>"), limits: limits) }
    }

    /// Every document that was cut anywhere is refused, and so is every document of which any byte was lost.
    @Test func everyTruncationIsAnError() throws {
        for document in [utf16("\u{FEFF}" + Self.text), utf16(Self.text, bigEndian: false)] {
            for length in 0..<document.count {
                #expect(throws: XMLError.self, "\(length)") { try trace(Array(document[..<length])) }
            }
        }
    }

    @Test func conversionInPiecesGivesTheSameText() throws {
        let text = "aaaaaaaaaaaaaaaaé€😀\u{10FFFF}bbbbbbbb😀"
        let documents: [(XMLEncoding, [UInt8])] = [
            (.utf16BigEndian, utf16(text)), (.utf16LittleEndian, utf16(text, bigEndian: false)),
        ]
        for (encoding, document) in documents {
            for first in 0...document.count {
                for second in stride(from: first, through: document.count, by: 3) {
                    var transcoder = XMLTranscoder(encoding)
                    var utf8: [UInt8] = []
                    for piece in [document[..<first], document[first..<second], document[second...]] {
                        let problem = piece.withUnsafeBufferPointer { transcoder.append($0, to: &utf8) }
                        #expect(problem == nil)
                    }
                    #expect(transcoder.finish() == nil)
                    #expect(utf8 == Array(text.utf8))
                }
            }
        }
    }
}

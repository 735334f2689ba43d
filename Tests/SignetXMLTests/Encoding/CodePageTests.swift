import Testing

@testable import SignetXML

#if canImport(Glibc)
import Glibc
#endif

@Suite struct CodePageTests {
    @Test func aDocumentInRussianIsRead() throws {
        let bytes =
            Array("<?xml version='1.0' encoding='windows-1251'?><a>".utf8) + [0xCF, 0xF0, 0xE8, 0xE2, 0xE5, 0xF2]
        #expect(try trace(bytes + Array("</a>".utf8)) == "<a>Привет</>")
        #expect(try trace(Array("<a>".utf8) + [0xD0, 0xD2] + Array("</a>".utf8), charset: "KOI8-R") == "<a>пр</>")
    }

    @Test func namesOfCodePagesAreUnique() {
        let names = XMLCodePage.all.flatMap { $0.names.split(separator: " ").map(String.init) }
        #expect(Set(names).count == names.count)
        for (number, page) in XMLCodePage.all.enumerated() {
            #expect(XMLEncoding(named: page.name) == .page(number))
            #expect(XMLEncoding(named: page.name)?.name == page.name)
        }
        for name in names { #expect(name.utf8.count <= XMLEncoding.longestName && name == name.lowercased()) }
    }

    #if canImport(Glibc)
    @Test(arguments: XMLCodePage.all.map(\.name))
    func everyByteIsTheCharacterThatTheSystemSays(name: String) throws {
        let page = try #require(XMLCodePage.all.first { $0.name == name })
        var known = 0
        for byte in UInt8(0x80)...0xFF {
            let expected = try #require(Self.character(byte, name))
            if expected != 0 { known += 1 }
            #expect(page.scalar(byte) == expected, "0x\(String(byte, radix: 16)) of \(name)")
        }
        #expect(known > 75)
        #expect(page.scalar(0x41) == 0)
    }

    /// What the system's library makes of one byte: zero where it stands for nothing, nil when the encoding is not
    /// known.
    private static func character(_ byte: UInt8, _ encoding: String) -> UInt32? {
        let converter = iconv_open("UTF-32LE", encoding)
        guard converter != iconv_t(bitPattern: -1) else { return nil }
        defer { iconv_close(converter) }
        var input = [CChar(bitPattern: byte)]
        var output = [CChar](repeating: 0, count: 16)
        return input.withUnsafeMutableBufferPointer { input in
            output.withUnsafeMutableBufferPointer { output in
                var (from, to) = (input.baseAddress, output.baseAddress)
                var (left, room) = (input.count, output.count)
                // Vietnamese and Hebrew are held back until it is known that nothing joins them.
                if iconv(converter, &from, &left, &to, &room) == Int(bitPattern: UInt.max) { return 0 }
                _ = iconv(converter, nil, nil, &to, &room)
                return output.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32(UInt8(bitPattern: $1)) }
            }
        }
    }
    #endif
}

import SignetXML
import Testing

/// XML Schema Part 2 §3.2.15, §3.2.16.
@Suite struct BinaryTests {
    /// RFC 4648 §10.
    @Test(arguments: [
        ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
        ("foobar", "Zm9vYmFy"),
    ])
    func base64(plain: String, encoded: String) {
        #expect(XSDBase64Binary(Array(plain.utf8)).lexicalForm == encoded)
        #expect(parse(encoded, as: XSDBase64Binary.self)?.bytes == Array(plain.utf8))
        #expect(parse(" \(encoded.map { "\($0)\n" }.joined())", as: XSDBase64Binary.self)?.bytes == Array(plain.utf8))
    }

    @Test(arguments: ["Z", "Zg", "Zg=", "Zh==", "Zm9=", "Zg==Zg==", "Zm8=x", "Z===", "====", "Zm-_", "=Zg="])
    func badBase64(text: String) {
        #expect(parse(text, as: XSDBase64Binary.self) == nil)
    }

    @Test func spaceInBase64() {
        #expect(parse("Z m 9 v", as: XSDBase64Binary.self)?.bytes == Array("foo".utf8))
        #expect(parse("\n\tZm8 =\r\n", as: XSDBase64Binary.self)?.bytes == Array("fo".utf8))
        #expect(parse("Zg = =", as: XSDBase64Binary.self)?.canonicalForm == "Zg==")
        #expect(parse("", as: XSDBase64Binary.self)?.bytes == [])
    }

    /// The last character before one `=` is one of sixteen, before two one of four.
    @Test func unusedBitsAreZero() {
        let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
        #expect(alphabet.filter { parse("AA\($0)=", as: XSDBase64Binary.self) != nil } == "AEIMQUYcgkosw048")
        #expect(alphabet.filter { parse("A\($0)==", as: XSDBase64Binary.self) != nil } == "AQgw")
    }

    @Test func hexadecimal() {
        #expect(parse("0fb7", as: XSDHexBinary.self)?.canonicalForm == "0FB7")
        #expect(parse(" 0FB7\n", as: XSDHexBinary.self)?.bytes == [0x0F, 0xB7])
        #expect(parse("", as: XSDHexBinary.self)?.bytes == [])
        for bad in ["0", "0f b7", "0x0f", "0g", "é0", "１１"] {
            #expect(parse(bad, as: XSDHexBinary.self) == nil, "\(bad)")
        }
    }

    @Test func randomBytesComeBack() {
        var numbers = SystemRandomNumberGenerator()
        for count in 0..<200 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &numbers) }
            #expect(parse(XSDBase64Binary(bytes).lexicalForm, as: XSDBase64Binary.self)?.bytes == bytes)
            #expect(parse(XSDHexBinary(bytes).lexicalForm, as: XSDHexBinary.self)?.bytes == bytes)
        }
    }
}

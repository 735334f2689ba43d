import Crypto
import Testing

@testable import SignetTLS

@Suite struct KeyDerivationTests {
    /// FIPS 180-4 examples, and RFC 4231 §4.2 to §4.4.
    @Test func sha224() {
        #expect(Self.sha224("") == "d14a028c2a3a2bc9476102bb288234c415a2b01f828ea62ac5b3e42f")
        #expect(Self.sha224("abc") == "23097d223405d8228642a477bda255b32aadbce4bda0b3f7e36c9da7")
        #expect(
            Self.sha224("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")
                == "75388b16512776cc5dba5da1fd890150b0c6455cb4f58b1952522525")
        #expect(
            Self.sha224(String(repeating: "a", count: 1_000_0))
                == "00568fba93e8718c2f7dcd82fa94501d59bb1bbcba2c7dc2ba5882db")
        let keys: [([UInt8], String, String)] = [
            (.init(repeating: 0x0B, count: 20), "Hi There", "896fb1128abbdf196832107cd49df33f47b4b1169912ba4f53684b22"),
            (
                Array("Jefe".utf8), "what do ya want for nothing?",
                "a30e01098bc6dbbf45690f3a7e9e6d0f8bbea2a39e6148008fd05e44"
            ),
        ]
        for (key, text, code) in keys {
            let result = HMAC<SHA224>.authenticationCode(for: Array(text.utf8), using: SymmetricKey(data: key))
            #expect(Text.hexadecimal(Array(result)) == code)
        }
    }

    private static func sha224(_ text: String) -> String { Text.hexadecimal(SHA224.hash(data: Array(text.utf8))) }

    /// The vectors that S. Henson published with his implementation of PKCS#12.
    @Test(arguments: [
        ("smeg", "0a58cf64530d823f", 1, 1, "8aaae6297b6cb04642ab5b077851284eb7128f1a2a7fbca3"),
        ("smeg", "0a58cf64530d823f", 1, 2, "79993dfe048d3b76"),
        ("smeg", "642b99ab44fb4b1f", 1, 1, "f3a95fec48d7711e985cfe67908c5ab79fa3d7c5caa5d966"),
        ("smeg", "3d83c0e4546ac140", 1, 3, "8d967d88f6caa9d714800ab3d48051d63f73a312"),
        ("queeg", "05dec959acff72f7", 1000, 1, "ed2034e36328830ff09df1e1a07dd357185dac0d4f9eb3d4"),
        ("queeg", "05dec959acff72f7", 1000, 2, "11dedad7758d4860"),
        ("queeg", "1682c0fc5b3f7ec5", 1000, 1, "483dd6e919d7de2e8e648ba8f862f3fbfbdc2bcb2c02957f"),
        ("queeg", "263216fcc2fab31c", 1000, 3, "5ec4c7a80df652294c3925b6489a7ab857c83476"),
    ]) func appendixB(password: String, salt: String, iterations: Int, purpose: UInt8, expected: String) throws {
        let form = try #require(FilePassword(password, file: .pfx).wideForms.first)
        let derived = PFXKeyDerivation.derive(
            Insecure.SHA1.self, try #require(.init(rawValue: purpose)), password: form,
            salt: try #require(Text.bytes(hexadecimal: salt)), iterations: iterations, byteCount: expected.count / 2)
        #expect(Text.hexadecimal(derived) == expected)
    }

    @Test func passwordsHaveTheFormsOfTheStandards() {
        func forms(_ text: String?) -> (wide: [[UInt8]], narrow: [[UInt8]]) {
            let password = FilePassword(text, file: .pfx)
            return (password.wideForms, password.narrowForms)
        }
        #expect(forms("").wide == [[0, 0], []])
        #expect(forms(nil).wide == [[0, 0], []])
        #expect(forms("").narrow == [[]])
        #expect(forms("ab").wide == [[0, 0x61, 0, 0x62, 0, 0]])
        #expect(forms("ab").narrow == [[0x61, 0x62], [0, 0x61, 0, 0x62, 0, 0]])
        // RFC 7292 §B.1 covers only the basic plane; beyond it all implementations write surrogates.
        #expect(forms("é🔑").wide.first == [0, 0xE9, 0xD8, 0x3D, 0xDD, 0x11, 0, 0])
        #expect(forms("é").wide.last == [0, 0xC3, 0, 0xA9, 0, 0])
        #expect(forms("é🔑").narrow.first == [0xC3, 0xA9, 0xF0, 0x9F, 0x94, 0x91])
    }

    @Test func theWorkOfAFileIsCountedTogether() throws {
        var password = FilePassword("x", file: .pfx)
        try password.spend(2_000_000, hashes: 3)
        try password.spend(4_000_000)
        #expect(throws: IdentityError(.tooLarge, "")) { try password.spend(1) }
        for iterations in [0, -1, .min] {
            #expect(throws: IdentityError(.damaged, "")) { try password.spend(iterations) }
        }
        #expect(throws: IdentityError(.tooLarge, "")) { try password.spend(.max, hashes: 2) }
    }
}

import SignetTLS
import SignetXML
import Testing

@testable import SignetSignature

@Suite struct ContentEncryptionTests {
    private static func bytes(_ text: String) -> [UInt8] {
        Text.bytes(hexadecimal: text.filter { !$0.isWhitespace }) ?? []
    }

    /// Test case 14 of McGrew and Viega, “The Galois/Counter Mode of Operation”, Appendix B.
    @Test func aes256GCM() {
        let sealed = Self.bytes(
            "000000000000000000000000 cea7403d4d606b6e074ec5d3baf39d18 d0d1c8a799996bf0265b98b5d48ab919")
        let key = [UInt8](repeating: 0, count: 32)
        #expect(ContentEncryption.aes256GCM.decrypted(sealed, key: key) == [UInt8](repeating: 0, count: 16))
        for count in 0..<sealed.count {
            #expect(ContentEncryption.aes256GCM.decrypted(Array(sealed.prefix(count)), key: key) == nil)
        }
        for position in sealed.indices {
            var changed = sealed
            changed[position] ^= 1
            #expect(ContentEncryption.aes256GCM.decrypted(changed, key: key) == nil)
        }
        #expect(ContentEncryption.aes128GCM.decrypted(sealed, key: key) == nil, "a key of another size")
    }

    /// NIST SP 800-38A, F.2.5: four blocks, of which the last one ends with 0x10, so that it counts as padding.
    @Test func aes256CBC() {
        let key = Self.bytes("603deb1015ca71be2b73aef0857d7781 1f352c073b6108d72d9810a30914dff4")
        let sealed = Self.bytes(
            """
            000102030405060708090a0b0c0d0e0f f58c4c04d6e5f1ba779eabfb5f7bfbd6 9cfc4e967edb808d679f777bc6702c7d
            39f23369a9d9bacfa530e26304231461 b2eb05e2c39be9fcda6c19078c6a9d1b
            """)
        let plain = Self.bytes(
            """
            6bc1bee22e409f96e93d7e117393172a ae2d8a571e03ac9c9eb76fac45af8e51
            30c81c46a35ce411e5fbc1191a0a52ef f69f2445df4f9b17ad2b417be66c3710
            """)
        // Only the last byte of the padding has a meaning.
        #expect(ContentEncryption.aes256CBC.decrypted(sealed, key: key) == Array(plain.dropLast(16)))
        #expect(ContentEncryption.aes256CBC.decrypted(Array(sealed.dropLast(16)), key: key) == nil)
        #expect(ContentEncryption.aes256CBC.decrypted(Array(sealed.dropLast()), key: key) == nil)
        #expect(ContentEncryption.aes256CBC.decrypted(Array(sealed.prefix(16)), key: key) == nil)
    }

    @Test(arguments: ContentEncryption.allCases) func whatIsEncryptedComesBack(_ method: ContentEncryption) throws {
        let key = [UInt8](repeating: 7, count: method.keySize)
        for count in [0, 1, 15, 16, 17, 1000] {
            let plain = [UInt8](repeating: 0x41, count: count)
            let sealed = try method.encrypted(plain, key: key)
            #expect(method.decrypted(sealed, key: key) == plain)
            #expect(try method.encrypted(plain, key: key) != sealed, "the vector is new each time")
            #expect((count...count + 16).contains(method.decoy(for: sealed).count))
        }
    }

    /// XML Encryption 1.1 has no vector; this is the derivation of RFC 7518, Appendix C, which is the same one.
    @Test func concatenationKDF() {
        let secret: [UInt8] = [
            158, 86, 217, 29, 129, 113, 53, 211, 114, 131, 66, 131, 191, 132, 38, 156, 251, 49, 110, 163, 218, 128, 106,
            72,
            246, 218, 167, 121, 140, 254, 144, 196,
        ]
        let information: [UInt8] = [
            0, 0, 0, 7, 65, 49, 50, 56, 71, 67, 77, 0, 0, 0, 5, 65, 108, 105, 99, 101, 0, 0, 0, 3, 66, 111, 98, 0, 0, 0,
            128,
        ]
        let key: [UInt8] = [86, 170, 141, 234, 248, 35, 109, 32, 92, 34, 40, 205, 113, 167, 16, 26]
        #expect(ConcatenationKDF.key(secret, information, .sha256, size: 16) == key)
        let long = ConcatenationKDF.key(secret, information, .sha256, size: 40)
        #expect(long.count == 40 && long.starts(with: key))
    }

    /// A key that could not be decrypted is replaced, and nothing prints one.
    @Test func keysStayHidden() throws {
        let key = ContentKey(for: .aes256GCM)
        #expect("\(key)" == "ContentKey(hidden)")
        #expect(String(reflecting: key) == "ContentKey(hidden)" && Mirror(reflecting: key).children.isEmpty)
        #expect(key.bytes(for: .aes256GCM) == key.bytes(for: .aes256GCM))
        #expect(key.bytes(for: .aes128GCM) != key.bytes(for: .aes128GCM))
    }
}

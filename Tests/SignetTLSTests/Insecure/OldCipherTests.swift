import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// The ciphers of old files against the vectors of their standards, and against openssl.
@Suite struct OldCipherTests {
    static func bytes(_ hexadecimal: String) throws -> [UInt8] {
        try #require(Text.bytes(hexadecimal: hexadecimal))
    }

    /// NIST SP 800-67 appendix B.1, and FIPS PUB 81 appendix B, where three equal keys make single DES.
    @Test(arguments: [
        ("0123456789abcdef23456789abcdef01456789abcdef0123", "5468652071756663", "a826fd8ce53b855f"),
        ("0123456789abcdef23456789abcdef01456789abcdef0123", "6b2062726f776e20", "cce21c8112256fe6"),
        ("0123456789abcdef23456789abcdef01456789abcdef0123", "666f78206a756d70", "68d5c05dd9b6b900"),
        ("0123456789abcdef0123456789abcdef", "4e6f772069732074", "3fa40e8a984d4815"),
        ("0123456789abcdef0123456789abcdef", "68652074696d6520", "6a271787ab8883f9"),
        ("0123456789abcdef0123456789abcdef", "666f7220616c6c20", "893d51ec4b563b53"),
    ]) func tripleDES(key: String, plain: String, cipher: String) throws {
        let des = try #require(TripleDES(key: Self.bytes(key)))
        let (plain, cipher) = (UInt64(plain, radix: 16), UInt64(cipher, radix: 16))
        #expect(des.encrypted(try #require(plain)) == cipher)
        #expect(des.decrypted(try #require(cipher)) == plain)
    }

    /// RFC 2268 §5.
    @Test(arguments: [
        ("0000000000000000", 63, "0000000000000000", "ebb773f993278eff"),
        ("ffffffffffffffff", 64, "ffffffffffffffff", "278b27e42e2f0d49"),
        ("3000000000000000", 64, "1000000000000001", "30649edf9be7d2c2"),
        ("88", 64, "0000000000000000", "61a8a244adacccf0"),
        ("88bca90e90875a", 64, "0000000000000000", "6ccf4308974c267f"),
        ("88bca90e90875a7f0f79c384627bafb2", 64, "0000000000000000", "1a807d272bbe5db1"),
        ("88bca90e90875a7f0f79c384627bafb2", 128, "0000000000000000", "2269552ab0f85ca6"),
        (
            "88bca90e90875a7f0f79c384627bafb216f80a6f85920584c42fceb0be255daf1e", 129, "0000000000000000",
            "5b78d3a43dfff1f1"
        ),
    ]) func rc2(key: String, bits: Int, plain: String, cipher: String) throws {
        let rc2 = try #require(RC2(key: Self.bytes(key), effectiveBits: bits))
        let (plain, cipher) = (UInt64(plain, radix: 16), UInt64(cipher, radix: 16))
        #expect(rc2.encrypted(try #require(plain)) == cipher)
        #expect(rc2.decrypted(try #require(cipher)) == plain)
    }

    /// RFC 6229 §2, the first sixteen bytes of each stream.
    @Test(arguments: [
        ("0102030405", "b2396305f03dc027ccc3524a0a1118a8"),
        ("0102030405060708090a0b0c0d0e0f10", "9ac7cc9a609d1ef7b2932899cde41b97"),
        ("833222772a", "80ad97bdc973df8a2e879e92a497efda"),
        ("ebb46227c6cc8b37641910833222772a", "720c94b63edf44e131d950ca211a5a30"),
    ]) func rc4(key: String, stream: String) throws {
        var rc4 = try #require(RC4(key: Self.bytes(key)))
        #expect(Text.hexadecimal(rc4.applied(to: [UInt8](repeating: 0, count: 16)[...])) == stream)
    }

    @Test(arguments: [
        ("des-ede3-cbc", 24), ("des-ede-cbc", 16), ("rc2-40-cbc", 5), ("rc2-cbc", 16),
    ]) func opensslAgreesInCBCMode(cipher: String, keySize: Int) throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        for count in [0, 1, 7, 8, 9, 1000] {
            let (key, vector, plain) = ([UInt8].random(keySize), [UInt8].random(8), [UInt8].random(count))
            try openssl.write(plain, "plain")
            try openssl(
                """
                enc -e -\(cipher) -provider legacy -provider default -K \(Text.hexadecimal(key)) \
                -iv \(Text.hexadecimal(vector)) -in plain -out sealed
                """)
            let sealed = try openssl.bytes("sealed")
            let isRC2 = cipher.hasPrefix("rc2")
            let made: (any BlockCipher64)? =
                if isRC2 {
                    RC2(key: key, effectiveBits: 8 * keySize)
                } else {
                    TripleDES(key: key)
                }
            let block = try #require(made)
            #expect(block.encryptedCBC(plain, vector: vector) == sealed)
            #expect(block.decryptedCBC(sealed[...], vector: vector[...]) == plain)
        }
    }

    @Test func invalidKeysAndPaddingsAreRefused() throws {
        for count in [0, 8, 15, 17, 25] { #expect(TripleDES(key: [UInt8](repeating: 1, count: count)) == nil) }
        #expect(RC2(key: [], effectiveBits: 40) == nil)
        #expect(RC2(key: [1], effectiveBits: 1025) == nil)
        #expect(RC4(key: []) == nil)
        let des = try #require(TripleDES(key: [UInt8](repeating: 1, count: 16)))
        let vector = [UInt8](repeating: 0, count: 8)
        #expect(des.decryptedCBC([], vector: vector[...]) == nil)
        #expect(des.decryptedCBC([1, 2, 3], vector: vector[...]) == nil)
        #expect(des.decryptedCBC(vector[...], vector: []) == nil)
        // The last block decrypts to zeros, then to nines: neither is a padding.
        for value in [0, 9] as [UInt8] {
            let plain = UInt64(bigEndian: [UInt8](repeating: value, count: 8)[...])
            var bytes: [UInt8] = []
            bytes.append(bigEndian: des.encrypted(plain))
            #expect(des.decryptedCBC(bytes[...], vector: vector[...]) == nil)
        }
    }
}

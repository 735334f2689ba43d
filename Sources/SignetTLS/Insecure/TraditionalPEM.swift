import Crypto
import CryptoExtras
import SwiftASN1

/// The encryption of PEM before PKCS#8 (RFC 1421 headers, as OpenSSL writes them): the key comes from one round of MD5.
enum TraditionalPEM {
    private static let ciphers: [String: (isAES: Bool, keySize: Int)] = [
        "DES-EDE3-CBC": (false, 24), "AES-128-CBC": (true, 16), "AES-192-CBC": (true, 24), "AES-256-CBC": (true, 32),
    ]

    /// The content of a block, decrypted when its headers say that it is encrypted.
    static func plain(_ block: PEMBlock, _ reader: inout KeyFileReader) throws -> [UInt8] {
        guard let information = block.headers["DEK-Info"] else { return block.der }
        let words = information.split(separator: ",", maxSplits: 1)
        guard words.count == 2, let vector = Text.bytes(hexadecimal: String(words[1])), vector.count >= 8 else {
            throw EncodingError("a malformed DEK-Info")
        }
        guard let (isAES, keySize) = ciphers[String(words[0])] else {
            throw IdentityError(
                .unsupportedAlgorithm,
                """
                The private key in the PEM file is encrypted with \(DistinguishedName.printable(String(words[0]))), \
                which is not supported. \(FileAdvice.encodeAnew(.pem, besideCertificates: reader.holdsCertificates))
                """)
        }
        reader.note("PEM: MD5 (1 round), \(words[0])")
        let key = key(reader.password.narrowForms.first ?? [], salt: vector.prefix(8), byteCount: keySize)
        let plain: [UInt8]?
        if isAES {
            guard vector.count == 16 else { throw EncodingError("a vector that does not fit its cipher") }
            plain = try? Array(
                AES._CBC.decrypt(block.der, using: SymmetricKey(data: key), iv: try AES._CBC.IV(ivBytes: vector)))
        } else {
            plain = TripleDES(key: key)?.decryptedCBC(block.der[...], vector: vector[...])
        }
        guard let plain, (try? BoundedBER.parse(plain[...]))?.identifier == .sequence else {
            throw reader.password.refused("the private key in the PEM file")
        }
        return plain
    }

    /// EVP_BytesToKey with a count of one.
    private static func key(_ password: [UInt8], salt: ArraySlice<UInt8>, byteCount: Int) -> [UInt8] {
        var (key, last): ([UInt8], [UInt8]) = ([], [])
        while key.count < byteCount {
            last = Array(Insecure.MD5.hash(data: last + password + salt))
            key += last
        }
        return Array(key.prefix(byteCount))
    }
}

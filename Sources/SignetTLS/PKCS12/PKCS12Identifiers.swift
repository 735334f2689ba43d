import SwiftASN1

/// Object identifiers of RFC 7292, RFC 8018 and RFC 2985.
extension ASN1ObjectIdentifier {
    enum PKCS12 {
        static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
        static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
        static let keyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 1]
        static let shroudedKeyBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 2]
        static let certificateBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 3]
        static let safeContentsBag: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 10, 1, 6]
        static let x509Certificate: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 22, 1]
        static let friendlyName: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 20]
        static let localKeyID: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 21]
    }

    enum PBES2 {
        static let scheme: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 13]
        static let pbkdf2: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 12]
        static let hmacSHA256: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 9]
        static let aes256CBC: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 1, 42]
    }

    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]

    /// Names of algorithms that files in circulation use and that are not read here.
    private static let legacyNames: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113_549, 1, 12, 1, 1]: "128-bit RC4", [1, 2, 840, 113_549, 1, 12, 1, 2]: "40-bit RC4",
        [1, 2, 840, 113_549, 1, 12, 1, 3]: "3-key Triple DES", [1, 2, 840, 113_549, 1, 12, 1, 4]: "2-key Triple DES",
        [1, 2, 840, 113_549, 1, 12, 1, 5]: "128-bit RC2", [1, 2, 840, 113_549, 1, 12, 1, 6]: "40-bit RC2",
        [1, 2, 840, 113_549, 3, 7]: "Triple DES in PBES2", [1, 2, 840, 113_549, 1, 5, 14]: "PBMAC1",
        [1, 3, 6, 1, 4, 1, 11591, 4, 11]: "scrypt", [1, 2, 840, 113_549, 2, 5]: "MD5",
    ]

    /// The error for an algorithm that is not read here, with the way out.
    var unsupportedInPFX: IdentityError {
        let name = Self.legacyNames[self].map { "\($0) (\(self))" } ?? "\(self)"
        return IdentityError(
            .unsupportedAlgorithm,
            """
            The PKCS#12 file uses \(name), which is not supported. Encode it anew: openssl pkcs12 -legacy -in old.p12 \
            -noenc -out all.pem && openssl pkcs12 -export -in all.pem -out new.p12; then delete all.pem.
            """)
    }
}

import SwiftASN1

/// Object identifiers of RFC 7292, RFC 8018 and RFC 2985.
extension ASN1ObjectIdentifier {
    enum PKCS12 {
        static let data: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 1]
        static let signedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 2]
        static let encryptedData: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 7, 6]
        static let tripleDES: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 12, 1, 3]
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
        static let pbmac1: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 5, 14]
    }

    enum HMAC {
        static let sha1: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 7]
        static let sha224: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 8]
        static let sha256: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 9]
        static let sha384: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 10]
        static let sha512: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 2, 11]
    }

    static let sha1: ASN1ObjectIdentifier = [1, 3, 14, 3, 2, 26]
    static let sha256: ASN1ObjectIdentifier = [2, 16, 840, 1, 101, 3, 4, 2, 1]
}

/// An algorithm of a key file that Signet does not read.
struct UnsupportedAlgorithm: Error {
    let identifier: ASN1ObjectIdentifier

    init(_ identifier: ASN1ObjectIdentifier) { self.identifier = identifier }

    /// The names of algorithms that existing files use.
    private static let names: [ASN1ObjectIdentifier: String] = [
        [1, 2, 840, 113_549, 3, 2]: "RC2 in PBES2", [1, 3, 14, 3, 2, 7]: "single DES",
        [1, 2, 840, 113_549, 1, 5, 3]: "MD5 with DES", [1, 2, 840, 113_549, 1, 5, 10]: "SHA-1 with DES",
        [1, 2, 840, 113_549, 1, 5, 6]: "MD5 with RC2", [1, 2, 840, 113_549, 1, 5, 11]: "SHA-1 with RC2",
        [1, 2, 840, 113_549, 2, 5]: "MD5",
        [2, 16, 840, 1, 101, 3, 4, 1, 6]: "AES-128-GCM", [2, 16, 840, 1, 101, 3, 4, 1, 46]: "AES-256-GCM",
        [1, 2, 840, 113_549, 2, 12]: "HMAC-SHA-512/224", [1, 2, 840, 113_549, 2, 13]: "HMAC-SHA-512/256",
    ]

    /// The error for a user, with what to do about it.
    ///
    /// - Parameter besideCertificates: whether the file holds certificates as well as the key, which the user must not
    ///   lose.
    func identityError(_ file: KeyFile.Format, besideCertificates: Bool) -> IdentityError {
        let name = Self.names[identifier].map { "\($0) (\(identifier))" } ?? "\(identifier)"
        let advice = FileAdvice.encodeAnew(file, besideCertificates: besideCertificates)
        return IdentityError(.unsupportedAlgorithm, "The \(file) file uses \(name), which is not supported. \(advice)")
    }
}

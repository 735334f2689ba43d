/// How a user converts a file that Signet does not read, with OpenSSL 3. A test runs each of these commands.
enum FileAdvice {
    /// OpenSSL 3 keeps old algorithms in a separate provider; a file that Signet does not read may use one of them.
    private static let legacy = "-provider legacy -provider default"

    /// - Parameter besideCertificates: whether a PEM file holds certificates as well as the key.
    static func encodeAnew(_ file: KeyFile.Format, besideCertificates: Bool = false) -> String {
        switch file {
        case .pfx:
            "Encode it anew: openssl pkcs12 -legacy -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -in all.pem -out new.p12; then delete all.pem."
        case .privateKey:
            "Encode the key anew: openssl pkcs8 -topk8 \(legacy) -v2 aes-256-cbc -inform DER -in old.der -out new.pem."
        case _ where besideCertificates:
            "Encode key and certificates anew: openssl pkcs12 -export \(legacy) -in old.pem -out new.p12."
        default: "Encode the key anew: openssl pkcs8 -topk8 \(legacy) -v2 aes-256-cbc -in old.pem -out new.pem."
        }
    }

    /// The advice for a file of another kind; nil when its first bytes are not known.
    static func foreign(_ bytes: [UInt8]) -> String? {
        if bytes.starts(with: [0xFE, 0xED, 0xFE, 0xED]) || bytes.starts(with: [0xCE, 0xCE, 0xCE, 0xCE]) {
            return
                "The file is a key store of Java (JKS or JCEKS). Convert it: keytool -importkeystore -srckeystore old.jks -destkeystore new.p12 -deststoretype pkcs12."
        }
        let text = bytes.prefix(PFX.maximumBytes * 2).filter { $0 > 0x20 }
        if let inner = Text.bytes(base64: text), inner.first == 0x30 {
            return "The file is Base64 of what it should be. Decode it: base64 -d old.txt > new.p12."
        }
        return nil
    }

    static let fewerIterations =
        "Encode it anew with fewer: openssl pkcs12 -legacy -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -iter 600000 -in all.pem -out new.p12; then delete all.pem."

    static let addMac =
        "Write it anew with one, if it comes from a place that only you can write to: openssl pkcs12 -nomacver -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -in all.pem -out new.p12; then delete all.pem. Or read it all the same: integrity: .optional for KeyFile and Identity in Swift, --without-mac for signet identity show and convert."
}

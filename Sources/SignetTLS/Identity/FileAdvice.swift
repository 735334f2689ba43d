/// How files that are not read are written anew, with OpenSSL 3. A test runs each of these commands.
enum FileAdvice {
    /// Whatever is not read here may be one of the algorithms that OpenSSL 3 keeps apart as well.
    private static let legacy = "-provider legacy -provider default"

    /// - Parameter besideCertificates: of PEM, whether it holds more than the key.
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

    static let fewerIterations =
        "Encode it anew with fewer: openssl pkcs12 -legacy -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -iter 600000 -in all.pem -out new.p12; then delete all.pem."

    static let addMac =
        "Write it anew with one, if it comes from a place that only you can write to: openssl pkcs12 -nomacver -in old.p12 -noenc -out all.pem && openssl pkcs12 -export -in all.pem -out new.p12; then delete all.pem. Or read it all the same: integrity: .optional in Swift, signet identity convert old.p12 new.p12 --to pfx --without-mac."
}

import Support

@testable import SignetTLS

/// A PEM file: a second reading gives the same result, and so does reading the file after it was written again.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let bytes = input.rest()
    let bundle = try? CertificateBundle(pem: bytes)
    if let bundle {
        let text = bundle.certificates.map { block("CERTIFICATE", $0.der) }.joined()
        if !bundle.certificates.isEmpty {
            require((try? CertificateBundle(pem: Array(text.utf8))) == bundle, "other certificates when written anew")
        }
    }
    do {
        let file = try KeyFile(bytes, password: "canary")
        let again = try KeyFile(bytes, password: "canary")
        require("\(file)" == "\(again)" && file.protections == again.protections, "another file the second time")
        guard file.format == .pem, let identity = try? file.identities().first else { return 0 }
        require(identity.chain.first == identity.leaf, "a chain begins elsewhere")
        let written = try identity.pem(password: nil)
        let back = try KeyFile(written).identities()
        require(back == [identity], "another identity was written")
        require(back.first?.privateKey?.pkcs8 == identity.privateKey?.pkcs8, "another key was written")
    } catch {
        if String(decoding: bytes, as: UTF8.self).contains("canary") { return 0 }
        require(!"\(error) \(error.cause.map { "\($0)" } ?? "")".contains("canary"), "a password is shown: \(error)")
    }
    return 0
}

func block(_ label: String, _ der: [UInt8]) -> String {
    "-----BEGIN \(label)-----\n\(Text.base64(der))\n-----END \(label)-----\n"
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

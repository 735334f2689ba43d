import Support

@testable import SignetTLS

/// Any bytes can be described and compared; bytes that are read as a certificate are read with the same result again,
/// and every part of the certificate lies inside them.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let bytes = input.rest()
    let certificate = EncodedCertificate(der: bytes)
    require(!certificate.subject.isEmpty, "a certificate is called nothing")
    require(certificate == EncodedCertificate(der: bytes), "a certificate is not itself")
    for text in [certificate.subject, certificate.issuer ?? ""] {
        require(
            text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F },
            "a control character is shown: \(text)")
        require(text.utf8.count <= 16_384, "a name of \(text.utf8.count) bytes is shown")
    }
    guard let content = certificate.content else { return 0 }
    require(content.extensions.count <= CertificateContent.maximumExtensions, "too many extensions")
    require(content.notBefore == certificate.notBefore, "another validity")
    _ = try? content.subjectAltNames()
    _ = try? content.basicConstraints()
    _ = try? content.isSigned(by: content)
    for role in [PeerRole.client, .server(ReferenceIdentifier(host: "a.example"))] {
        let now = content.notBefore
        let trusted = TrustPolicy.anchors(CertificateBundle([certificate]))
        let first = trusted.evaluate([certificate], as: role, at: now)
        if case .success(let path) = first {
            require(path.certificates == [certificate], "another path than the only one")
        }
        require(first == trusted.evaluate([certificate], as: role, at: now), "another answer the second time")
    }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

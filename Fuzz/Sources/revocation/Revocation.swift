import Support

@testable import SignetTLS

/// An OCSP answer or a revocation list: whatever its bytes are, it is read the same way twice, and only one that the
/// authority signed says something about a certificate.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isList = input.number(below: 2) == 1
    let bytes = input.rest()
    let first = isList ? statusInList(bytes) : statusInAnswer(bytes)
    require(first == (isList ? statusInList(bytes) : statusInAnswer(bytes)), "another status the second time")
    return 0
}

/// A time at which the seeds are valid: 2 January 2030.
private let now: Int64 = 1_893_542_400

private func statusInAnswer(_ bytes: [UInt8]) -> String {
    do throws(RevocationProblem) {
        let response = try OCSPResponse(der: bytes)
        let (status, until) = try response.status(of: leaf, issuedBy: root, nonce: nil, at: now)
        require(until >= now, "an outdated answer counts")
        return "\(status)"
    } catch {
        require(error.message.hasSuffix("."), "not a sentence: \(error.message)")
        return "\(error)"
    }
}

private func statusInList(_ bytes: [UInt8]) -> String {
    do throws(RevocationProblem) {
        let list = try CertificateRevocationList(der: bytes)
        guard let point = try? leaf.content?.listDistributionPoints().first else { return "no point" }
        // A damaged list has no right signature; its entries are looked through all the same.
        let status = try list.status(of: leaf, from: point, at: now)
        try list.verify(issuedBy: root)
        return "\(status)"
    } catch {
        require(error.message.hasSuffix("."), "not a sentence: \(error.message)")
        return "\(error)"
    }
}

private let root = certificate(
    """
    MIIBdTCCARugAwIBAgIUQ71lqkz6xW3pL1K6KnQOoH3V74gwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjYy\
    MDExMTdaGA8yMTI2MTEwMjIwMTExN1owDzENMAsGA1UEAwwEcm9vdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABP/Xih9Jwnbv\
    E+MNphxCWOEF5IKCmRfZQSFm4Tdga/gT4/jvDfP5EjFySCezeIa8cydEwjk4uiQW7RH6pRgRk3ijUzBRMB0GA1UdDgQWBBRCCGHK\
    kNs0I2aCz+Q+dKtPGdSW3TAfBgNVHSMEGDAWgBRCCGHKkNs0I2aCz+Q+dKtPGdSW3TAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49\
    BAMCA0gAMEUCIEam/cCpmqTtuykxXvSGhor2t3fquu2ntE6a6lKvRPMLAiEAmpu8q9jOnpuUf6fk+2Fz/VLLK8qAYeAjHN9WuDdw\
    s2c=
    """)
private let leaf = certificate(
    """
    MIIBrTCCAVOgAwIBAgICEAEwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEcm9vdDAgFw0yNjExMjYyMDExMTdaGA8yMTI1MDYyMDIw\
    MTExN1owDzENMAsGA1UEAwwEbGVhZjBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABMdcWt4Z1bm7lRS1cvmMf7gNLsJ7meU/oZIh\
    lSdT+i8TBy0InKERlCNNXb5k/C8Ol94kl7OqbXDCL1IXtgWKe3qjgZwwgZkwLgYIKwYBBQUHAQEEIjAgMB4GCCsGAQUFBzABhhJo\
    dHRwOi8vYS5leGFtcGxlL28wJwYDVR0fBCAwHjAcoBqgGIYWaHR0cDovL2EuZXhhbXBsZS9sLmNybDAdBgNVHQ4EFgQUzLN9JWhl\
    Fl/12GohDYboVsGB6ZkwHwYDVR0jBBgwFoAUQghhypDbNCNmgs/kPnSrTxnUlt0wCgYIKoZIzj0EAwIDSAAwRQIgNvH/t/9a9idt\
    kl2UZ6PeZCTuvf9YDgobcHYitKEdwLgCIQDPyhjSCndUfogcvv39JwU+gThncVKwC8K1/UPQtT1X3Q==
    """)

private func certificate(_ base64: String) -> EncodedCertificate {
    EncodedCertificate(der: Text.bytes(base64: base64.utf8) ?? [])
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

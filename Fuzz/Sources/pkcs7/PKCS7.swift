import Support

@testable import SignetTLS

/// PKCS#7 with certificates: each certificate that is read lies in the file, and can be read alone.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isInside = input.number(below: 2) == 1
    let rest = input.rest()
    // The input is either the whole file, or its certificates and the bytes after them.
    let bytes =
        isInside
        ? sequence([
            signedData,
            tagged(
                0xA0,
                sequence([[0x02, 1, 1], [0x31, 0], sequence([data]), tagged(0xA0, rest), [0x31, 0]])),
        ]) : rest
    let certificates = try? PKCS7.certificates(in: bytes)
    require(certificates == (try? PKCS7.certificates(in: bytes)), "other certificates the second time")
    for certificate in certificates ?? [] {
        require(certificate.issuer != nil, "what is no certificate was read as one")
        require(certificate.der.count <= bytes.count, "a certificate is larger than its file")
    }
    do {
        let file = try KeyFile(bytes)
        if file.format == .pkcs7 {
            // The reader of key files ignores bytes after the value; the reader of PKCS#7 refuses them.
            let trimmed = KeyFile.trimmed(bytes)
            let expected = trimmed == bytes ? certificates : try? PKCS7.certificates(in: trimmed)
            require(file.certificates.map(\.certificate) == expected, "a key file has other certificates")
            require(file.keys.isEmpty, "PKCS#7 has keys")
        }
    } catch { require(!error.message.isEmpty, "an error says nothing") }
    return 0
}

/// The identifiers of RFC 5652 §4 and §5.
let data: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 1]
let signedData: [UInt8] = [0x06, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 7, 2]

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

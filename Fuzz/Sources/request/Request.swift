import Support

@testable import SignetTLS

/// What clients send to an authority: a request for a certificate (PKCS#10), or a question of OCSP.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let isQuestion = input.number(below: 2) == 1
    let bytes = input.rest()
    if isQuestion {
        if let question = try? OCSPQuestion(bytes) {
            require(!question.certificates.isEmpty, "a question about nothing")
            require((question.nonce?.count ?? 0) <= 128, "a long nonce")
        }
        return 0
    }
    do {
        let request = try ReceivedRequest(der: bytes)
        require(!request.alternativeNames.contains { $0.hasSuffix("…") }, "a name without its end")
        require(
            request.extensions.reduce(0) { $0 + $1.value.count } <= bytes.count,
            "extensions are larger than the request")
    } catch { require(!error.message.isEmpty, "an error says nothing") }
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

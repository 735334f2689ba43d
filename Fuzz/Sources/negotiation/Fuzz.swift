import Support

@testable import SignetAuthentication

/// The messages of servers in NTLM and SPNEGO: alone, and nested.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.byte()
    var bytes = input.rest()
    let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "")
    if kind & 1 == 1 {
        guard let answer = try? SPNEGO.ServerToken(bytes, space: space) else { return 0 }
        require((answer.token?.count ?? 0) < bytes.count, "more than there is")
        guard let token = answer.token else { return 0 }
        bytes = token
    }
    guard let challenge = try? NTLMChallenge(bytes, space: space) else { return 0 }
    let account = NTLMClient.Account(user: "user", domain: "", password: "canary-password")
    let (message, session) = NTLMClient.authentication(
        account, for: challenge, service: "HTTP/h", channelBinding: kind & 2 == 2 ? Array("b".utf8) : nil,
        .init(nonce: [1, 2, 3, 4, 5, 6, 7, 8], time: 9))
    require(message.starts(with: NTLMChallenge.signature), "a message without its signature")
    require(message.count < bytes.count + 1_024, "a message without end")
    for spelling in [Array("canary".utf8), "canary".utf16LittleEndian] {
        require(!message.indices.contains { message[$0...].starts(with: spelling) }, "a password is shown")
    }
    require(!"\(account) \(session)".contains("canary"), "a password is shown")
    return 0
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

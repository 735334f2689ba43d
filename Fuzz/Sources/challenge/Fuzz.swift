import Support

@testable import SignetAuthentication

/// The authentication fields of servers and proxies: the first byte chooses the field. The client's answers can be read
/// by the same rules, and hold no character that could end a field.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let kind = input.byte()
    let text = String(decoding: input.rest(), as: UTF8.self)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let space = ProtectionSpace(scheme: "https", host: "h", port: 443, realm: "", isProxy: kind & 1 == 1)
    if kind & 2 == 2 {
        guard let information = try? AuthenticationInformation(lines) else { return 0 }
        _ = information["nextnonce"]
        return 0
    }
    if kind & 4 == 4 {
        readAsServer(lines)
        return 0
    }
    guard let challenges = try? Challenge.read(lines) else { return 0 }
    require(challenges.count <= Challenge.Limit.challenges, "more challenges than allowed")
    let account = Credentials.Account(user: "a\"b\\ü", password: "canary-password", domain: "")
    for challenge in challenges {
        require(challenge.parameters.count <= Challenge.Limit.parameters, "more parameters than allowed")
        guard challenge.isScheme("Digest"), let digest = try? DigestChallenge(challenge, space: space) else { continue }
        var key = DigestKey(account, for: digest, cnonce: "c")
        let field = key.authorization(for: .init(method: "POST", target: "/", content: [1])).field
        require(!field.contains("canary") && !field.utf8.contains { $0 == 10 || $0 == 13 }, "a broken field")
        require((try? Challenge.read([field]))?.count == 1, "an answer that cannot be read")
    }
    let policy = AuthenticationPolicy(credentials: .asking { _ in nil })
    let all: [AuthenticationScheme] = [.negotiate, .ntlm, .bearer, .oauth1, .digest, .basic]
    do {
        _ = try AuthenticationMethod.strongest(of: challenges, among: all, by: policy, in: space, isLocal: false)
    } catch {
        require(!error.message.unicodeScalars.contains { $0.value < 0x20 }, "a message that breaks a line")
    }
    return 0
}

/// What a client presents to a server.
private func readAsServer(_ lines: [String]) {
    guard let digest = try? DigestAuthenticator(realm: "R", algorithms: [.sha256, .md5]),
        let basic = try? BasicAuthenticator(realm: "R")
    else { return require(false, "no authenticator") }
    if case .value(let account) = basic.read(lines) {
        require(!account.user.contains(":"), "a user with a colon")
    }
    guard case .value(let proof) = digest.read(lines, method: "POST", target: "/") else { return }
    require(!proof.isRight("no hash"), "a proof without a password")
    require(
        DigestNonces(secret: [1], realm: "R", seconds: 300).find(proof.nonce, now: 0) == .unknown, "a foreign nonce")
    let field = proof.information("no hash", next: nil)
    require((try? AuthenticationInformation([field])) != nil, "an Authentication-Info that cannot be read")
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

import Dispatch
import SignetCredentials
import SignetSOAP
import Support
import Synchronization

@testable import SignetWSSecurity

/// The header of a message to a service that requires a UsernameToken: no error holds a secret, no caller is admitted
/// without the password, and a nonce is accepted once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    var input = Input(start, count)
    let header = input.rest()
    let message =
        Array(
            "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Header>".utf8) + header
        + Array("</s:Header><s:Body><Echo xmlns=\"urn:echo\"/></s:Body></s:Envelope>".utf8)
    var verifier = UsernameTokenVerifier { ["ada": "canary-password", "bob": "open"][$0] }
    verifier.now = { .seconds(1_795_378_560) }  // 2026-11-22T20:16:00Z
    let cache = MemoryReplayCache(capacity: 4)
    verifier.replayCache = cache
    let dispatcher = Echo.dispatcher.verified(by: verifier)
    let first = wait { await dispatcher.respond(to: message, from: .init()) }
    let second = wait { await dispatcher.respond(to: message, from: .init()) }
    for answer in [first, second] {
        let text = String(decoding: answer.body.bytes ?? [], as: UTF8.self)
        require(
            !text.contains("canary") || String(decoding: header, as: UTF8.self).contains("canary"),
            "a password is shown"
        )
        require((try? XMLFragment(parsing: answer.body.bytes ?? [])) != nil, "an answer that is no XML")
        require(answer.status == 200 || text.contains("Fault"), "neither an answer nor a fault")
    }
    // A password that no input can know.
    let strict = UsernameTokenVerifier(replayCache: MemoryReplayCache(capacity: 4)) { _ in unknown }
    let refused = wait { await Echo.dispatcher.verified(by: strict).respond(to: message, from: .init()) }
    require(refused.status != 200, "let in without the password")
    require(first.status == 200 || second.status != 200, "let in when it came again")
    require(cache.count <= 1 && (cache.count == 0 || second.status != 200), "a nonce that counts twice")
    // No input can sign an assertion.
    let issued = SAMLVerifier(
        SAMLPolicy(issuers: ["urn:i": []], audiences: []), replayCache: MemoryReplayCache(capacity: 4))
    let assertion = wait { await Echo.dispatcher.verified(by: issued).respond(to: message, from: .init()) }
    require(assertion.status != 200, "let in by an assertion that is not signed")
    if let token = try? IssuedToken(importing: header), let exported = try? token.exported() {
        let again = try? IssuedToken(importing: exported)
        require(again?.content == token.content, "a token that does not survive")
        require(again?.expires == token.expires || again?.expires != nil, "a token without an end")
    }
    return 0
}

private let unknown = "\(UInt64.random(in: .min ... .max))"

/// A minimal service.
private enum Echo {
    static let name = XMLName("urn:echo", "Echo")
    static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11],
        routes: [
            ServiceOperation<XMLAny, XMLAny>(name: "Echo", soapAction: "", version: .soap11, input: name, output: name)
                .route { input, _ in input }
        ])
}

/// Waits for a task that no other thread can block.
private func wait(
    _ work: @escaping @Sendable () async -> ServiceDispatcher.Response
) -> ServiceDispatcher.Response {
    let (done, result) = (DispatchSemaphore(value: 0), Result())
    Task {
        let answer = await work()
        result.answer.withLock { $0 = answer }
        done.signal()
    }
    done.wait()
    guard let answer = result.answer.withLock({ $0 }) else { fatalError("no answer") }
    return answer
}

private final class Result: Sendable {
    let answer = Mutex<ServiceDispatcher.Response?>(nil)
}

@main enum Fuzzer {
    static func main() { run(fuzz) }
}

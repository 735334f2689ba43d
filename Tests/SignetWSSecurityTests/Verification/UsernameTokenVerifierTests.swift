import Logging
import SignetCredentials
import SignetSOAP
import Synchronization
import Testing

@testable import SignetWSSecurity

@Suite struct UsernameTokenVerifierTests {
    private static let now = "2026-11-22T20:16:00Z"

    private struct Answer {
        var text: String
        var log: String

        /// The code of a fault, without its prefix.
        var code: String? {
            text.firstMatch(of: #/<(?:soap:Subcode><soap:Value|faultcode)[^>]*>\w+:(\w+)</#).map { String($0.output.1) }
        }
    }

    private func respond(
        _ header: String, _ verifier: UsernameTokenVerifier = Echo.verifier(at: now), version: SOAPVersion = .soap11
    ) async -> Answer {
        let recorder = Recorder()
        var dispatcher = Echo.dispatcher.verified(by: verifier)
        dispatcher.logger = Logger(label: "test") { _ in recorder }
        let answer = await dispatcher.respond(to: Array(envelope(header, version).utf8), from: .init())
        return Answer(text: String(decoding: answer.body.bytes ?? [], as: UTF8.self), log: recorder.text)
    }

    // MARK: Accepted messages

    @Test(arguments: [SOAPVersion.soap11, .soap12], [UsernameTokenForm.digest, .text, .textWithNonce])
    func tokensOfTheClientAreAccepted(version: SOAPVersion, form: UsernameTokenForm) async throws {
        let token = UsernameToken(form, user: "üñï", password: "pässwörd €😀")
        let header = SecurityHeader(token, lifetime: .seconds(60))
        let caller = try Echo.caller(Echo.dispatcher.verified(by: Echo.verifier()), header, version: version)
        #expect(try await caller.call(Echo.operation, XMLAny()).text == "üñï")
        #expect(try await caller.call(Echo.operation, XMLAny()).text == "üñï")
        let strict = try Echo.caller(Echo.dispatcher, header, version: version)
        let fault = await #expect(throws: SOAPFault.self) { try await strict.call(Echo.operation, XMLAny()) }
        #expect(fault?.code == .mustUnderstand)
    }

    @Test func wrongPasswordsComeBackAsTheStandardsFault() async throws {
        for version in [SOAPVersion.soap11, .soap12] {
            let header = SecurityHeader(.init(.digest, user: "ada", password: "wrong"))
            let caller = try Echo.caller(Echo.dispatcher.verified(by: Echo.verifier()), header, version: version)
            let fault = try #require(
                await #expect(throws: SOAPFault.self) { try await caller.call(Echo.operation, XMLAny()) })
            #expect(([fault.code] + fault.subcodes).contains(.failedAuthentication))
        }
    }

    @Test(arguments: [
        token(), token(type: UsernameTokenForm.text.uri),
        token(nonce: nil, created: nil, type: UsernameTokenForm.text.uri),
        token(created: "2026-11-22T21:15:00+01:00"), token(created: "2026-11-22T20:15:00"),
        token(created: "2026-11-22T20:11:00Z"), token(created: "2026-11-22T20:17:00Z"),
        token(more: "<x:Extra xmlns:x='urn:x'><x:y/></x:Extra>"),
        token().replacing("<wsu:Created>", with: "<wsu:Created>\n  "),
        token().replacing(">ada<", with: ">a<!-- -->da<"),
        token() + "<wsu:Timestamp><wsu:Created>2026-11-22T20:15:00Z</wsu:Created></wsu:Timestamp>",
    ])
    func validVariantsOfATokenAreAccepted(content: String) async {
        let answer = await respond(security(content))
        #expect(answer.text.contains(">ada<"), "\(answer.text) \(answer.log)")
    }

    // MARK: Refused messages

    @Test(arguments: [
        (security(token(password: "wrong")), "FailedAuthentication", "wrong password"),
        (security(token(user: "eve")), "FailedAuthentication", "there is no user"),
        (security(token(user: "eve", password: "")), "FailedAuthentication", "there is no user"),
        (
            security(token(password: "wrong", type: UsernameTokenForm.text.uri)), "FailedAuthentication",
            "wrong password"
        ),
        (security(token(user: "")), "FailedAuthentication", "there is no user"),
        // An account with an empty password counts as an unknown user.
        (security(token(user: "locked", password: "")), "FailedAuthentication", "there is no user"),
        (
            security(token(user: "locked", password: "", type: UsernameTokenForm.text.uri)), "FailedAuthentication",
            "there is no user"
        ),
        (security(token(user: " ada")), "InvalidSecurityToken", "white space"),
        (security(token(user: "ada\u{200B}")), "InvalidSecurityToken", "unprintable"),
        (security(token(created: nil, type: UsernameTokenForm.text.uri)), "InvalidSecurityToken", "without Created"),
        (security(token(created: "2026-11-22T20:10:59Z")), "MessageExpired", "301 s old"),
        (security(token(created: "2026-11-22T20:17:01Z")), "MessageExpired", "61 s in the future"),
        (security(token(created: "9999-12-31T23:59:59Z")), "MessageExpired", "in the future"),
        (security(token(created: "0001-01-01T00:00:00Z")), "MessageExpired", "old"),
        (security(token(created: "-2026-11-22T20:15:00Z")), "InvalidSecurity", "a time"),
        (security(token(created: "12026-11-22T20:15:00Z")), "InvalidSecurity", "a time"),
        (security(token(created: "now")), "InvalidSecurity", "a time"),
        (security(token(nonce: nil)), "InvalidSecurityToken", "without Nonce"),
        (security(token(created: nil)), "InvalidSecurityToken", "without Nonce"),
        (security(token(nonce: "")), "InvalidSecurityToken", "Base64"),
        (security(token(nonce: "?")), "InvalidSecurityToken", "Base64"),
        (security(token(user: nil)), "InvalidSecurityToken", "no Username"),
        (
            security("<wsse:UsernameToken><wsse:Username>ada</wsse:Username></wsse:UsernameToken>"),
            "InvalidSecurityToken", "no Password"
        ),
        (security(token(type: "wsse:PasswordDigest")), "UnsupportedSecurityToken", "Type"),
        (security(token() + token()), "InvalidSecurity", "second UsernameToken"),
        (security(token(more: "<wsse:Username>bob</wsse:Username>")), "InvalidSecurity", "second Username"),
        (security(token(more: "<wsse:Password>x</wsse:Password>")), "InvalidSecurity", "second Password"),
        (security(token(more: "<wsse:Nonce>AAAA</wsse:Nonce>")), "InvalidSecurity", "second Nonce"),
        (security(token(more: "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created>")), "InvalidSecurity", "second Created"),
        (security(token(user: "<b>ada</b>")), "InvalidSecurity", "cannot be read (unexpected)"),
        (security(token(user: String(repeating: "a", count: 1025))), "InvalidSecurity", "longer than 1024"),
        (security("text"), "InvalidSecurity", "cannot be read"),
        (security(token() + "<d:Signature xmlns:d='urn:d'/>"), "UnsupportedSecurityToken", "“Signature”"),
        (security(""), "InvalidSecurity", "no UsernameToken"),
        ("", "InvalidSecurity", "no Security"),
        (security(token()) + security(""), "InvalidSecurity", "several"),
        (
            security(token()) + "<wsse:Security s:actor='http://schemas.xmlsoap.org/soap/actor/next'/>",
            "InvalidSecurity", "several"
        ),
        ("<wsse:Security s:actor='urn:other'>\(token())</wsse:Security>", "InvalidSecurity", "no Security"),
        (
            "<o:Security xmlns:o='http://schemas.xmlsoap.org/ws/2002/07/secext' s:mustUnderstand='1'/>",
            "MustUnderstand", ""
        ),
    ])
    func refusals(header: String, code: String, reason: String) async {
        let answer = await respond(header)
        #expect(answer.code == code, "\(answer.text)")
        #expect(reason.isEmpty || answer.log.contains(reason), "\(answer.log)")
        #expect(!answer.log.contains("secret") && !answer.text.contains("secret"))
    }

    @Test(arguments: [
        (
            "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><wsu:Expires>2026-11-22T20:16:00Z</wsu:Expires>",
            "MessageExpired"
        ),
        (
            "<wsu:Created>2026-11-22T20:10:00Z</wsu:Created><wsu:Expires>2026-11-22T21:00:00Z</wsu:Expires>",
            "MessageExpired"
        ),
        ("<wsu:Created>2026-11-22T20:18:00Z</wsu:Created>", "MessageExpired"),
        (
            "<wsu:Created>2026-11-22T20:15:30Z</wsu:Created><wsu:Expires>2026-11-22T20:15:20Z</wsu:Expires>",
            "InvalidSecurity"
        ),
        (
            "<wsu:Expires>2026-11-22T20:20:00Z</wsu:Expires><wsu:Created>2026-11-22T20:15:00Z</wsu:Created>",
            "InvalidSecurity"
        ),
        (
            "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><wsu:Created>2026-11-22T20:15:00Z</wsu:Created>",
            "InvalidSecurity"
        ),
        ("<wsu:Expires>2026-11-22T20:20:00Z</wsu:Expires>", "InvalidSecurity"), ("", "InvalidSecurity"),
        ("<wsu:Created>2026-11-22T20:15:00Z</wsu:Created><x/>", "InvalidSecurity"),
        (
            "<wsu:Created>2026-11-22T20:15:00Z</wsu:Created></wsu:Timestamp><wsu:Timestamp><wsu:Created>2026-11-22T20:15:00Z</wsu:Created>",
            "InvalidSecurity"
        ),
    ])
    func timestampsThatAreWrong(content: String, code: String) async {
        let answer = await respond(security("<wsu:Timestamp>\(content)</wsu:Timestamp>" + token()))
        #expect(answer.code == code, "\(answer.text)")
    }

    @Test func aTimestampMayBeDemanded() async {
        var verifier = Echo.verifier(at: Self.now)
        verifier.requiresTimestamp = true
        #expect(await respond(security(token()), verifier).code == "InvalidSecurity")
    }

    /// The client must not learn whether a user exists.
    @Test func noUserAndAWrongPasswordLookTheSame() async {
        for version in [SOAPVersion.soap11, .soap12] {
            let unknown = await respond(security(token(user: "eve")), version: version)
            let wrong = await respond(security(token(password: "wrong")), version: version)
            #expect(unknown.text == wrong.text)
            #expect(unknown.log != wrong.log)
        }
    }

    @Test func strangeNamesDoNotBreakTheLog() async {
        let answer = await respond(security(token(user: "eve\n\u{202E}forged")))
        #expect(answer.log.contains("“eve\u{FFFD}\u{FFFD}forged”"))
    }

    @Test func unknownContentIsIgnoredWithoutMustUnderstand() async {
        let content = token() + "<d:Signature xmlns:d='urn:d'/>"
        #expect(await respond(security(content, mustUnderstand: false)).text.contains(">ada<"))
    }

    // MARK: Replay

    @Test func aTokenIsAcceptedOnce() async {
        let verifier = Echo.verifier(at: Self.now)
        #expect(await respond(security(token()), verifier).text.contains(">ada<"))
        let again = await respond(security(token()), verifier)
        #expect(again.code == "InvalidSecurityToken")
        #expect(again.log.contains("sent before"))
        // Another user may have the same password, and the name is not digested.
        #expect(await respond(security(token(user: "bob")), verifier).code == "InvalidSecurityToken")
        #expect(await respond(security(token(nonce: "AQECAwQFBgcICQoLDA0ODw==")), verifier).text.contains(">ada<"))
    }

    /// The border between nonce and time is not digested: “nonce ␣” and “time” make the digest of “nonce” and “␣ time”.
    @Test func theBorderOfTheNonceCannotBeMoved() async {
        let verifier = Echo.verifier(at: Self.now)
        let created = "2026-11-22T20:15:00Z"
        let first = token(nonce: XSDBase64Binary(Array("nonce ".utf8)).lexicalForm, created: created)
        #expect(await respond(security(first), verifier).text.contains(">ada<"))
        let moved = first.replacing(
            XSDBase64Binary(Array("nonce ".utf8)).lexicalForm, with: XSDBase64Binary(Array("nonce".utf8)).lexicalForm
        )
        .replacing(">\(created)<", with: "> \(created)<")
        #expect(await respond(security(moved), verifier).code == "FailedAuthentication")
    }

    @Test func onlyOneOfManySimultaneousTokensPasses() async {
        let verifier = Echo.verifier(at: Self.now)
        let passed = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<50 { group.addTask { await respond(security(token()), verifier).text.contains(">ada<") } }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(passed == 1)
    }

    @Test func wrongTokensTakeNoPlaceAndAFullCacheRefuses() async {
        let cache = MemoryReplayCache(capacity: 1)
        let verifier = Echo.verifier(at: Self.now, cache: cache)
        _ = await respond(security(token(password: "wrong")), verifier)
        #expect(cache.count == 0)
        #expect(await respond(security(token()), verifier).text.contains(">ada<"))
        let refused = await respond(security(token(nonce: "AQECAwQFBgcICQoLDA0ODw==")), verifier)
        #expect(refused.code == "Server")
        #expect(refused.log.contains("full"))
    }

    /// A digest does not say which service it is for: those with the same accounts have one cache, unless they are told
    /// otherwise.
    @Test func servicesShareOneReplayCacheByDefault() async throws {
        let nonce = XSDBase64Binary((0..<16).map { _ in UInt8.random(in: 0...255) }).lexicalForm
        let created = try #require(XSDDateTime.text(of: .systemTime, milliseconds: true))
        for isFirst in [true, false] {
            let answer = await respond(
                security(token(nonce: nonce, created: created)), UsernameTokenVerifier { Echo.accounts($0) })
            #expect(isFirst ? answer.text.contains(">ada<") : answer.code == "InvalidSecurityToken")
        }
    }

    /// A replay whose time was looked at when it was fresh is still one when its password is found much later.
    @Test func slowPasswordsMakeNoGap() async throws {
        let cache = MemoryReplayCache()
        let late = Echo.verifier(at: "2026-11-22T20:20:00Z", cache: cache)
        #expect(await respond(security(token()), late).text.contains(">ada<"))
        let later = try #require(XSDDateTime.init("2026-11-22T20:20:50Z")).moment.wholeSeconds
        #expect(cache.remember([1], until: later, now: later) == .new)
        #expect(await respond(security(token()), late).code == "InvalidSecurityToken")
    }

    /// What is forgotten must be too old to be accepted.
    @Test func freshTokensStayInTheReplayCache() async {
        let cache = MemoryReplayCache()
        let created = "2026-11-22T20:17:00Z"
        #expect(
            await respond(security(token(created: created)), Echo.verifier(at: Self.now, cache: cache)).text.contains(
                ">ada<"))
        for (now, code) in [
            ("2026-11-22T20:22:00Z", "InvalidSecurityToken"), ("2026-11-22T20:22:00.001Z", "MessageExpired"),
        ] {
            #expect(await respond(security(token(created: created)), Echo.verifier(at: now, cache: cache)).code == code)
        }
    }

    @Test func unlimitedFreshnessDoesNotOverflow() async {
        var verifier = Echo.verifier(at: Self.now)
        verifier.freshness = Freshness(maximumAge: .seconds(Int64.max), maximumClockLead: .seconds(Int64.max))
        #expect(await respond(security(token(created: "9999-12-31T23:59:59Z")), verifier).text.contains(">ada<"))
        #expect(await respond(security(token(created: "0001-01-01T00:00:00Z")), verifier).text.contains(">ada<"))
    }

    // MARK: Where passwords come from

    @Test func aVerifierOfHashesAcceptsPasswordsInText() async {
        var verifier = UsernameTokenVerifier { (user: String, password: String) in user == "ada" && password == "secret"
        }
        verifier.now = Echo.verifier(at: Self.now).now
        let text = token(nonce: nil, created: nil, type: UsernameTokenForm.text.uri)
        #expect(await respond(security(text), verifier).text.contains(">ada<"))
        #expect(
            await respond(security(text.replacing("secret", with: "Secret")), verifier).code == "FailedAuthentication")
        #expect(await respond(security(token()), verifier).code == "UnsupportedSecurityToken")
        verifier.forms = [.digest]
        #expect(await respond(security(token()), verifier).code == "FailedAuthentication")
    }

    @Test func formsMayBeLimited() async {
        var verifier = Echo.verifier(at: Self.now)
        let text = token(type: UsernameTokenForm.text.uri)
        let withoutNonce = token(nonce: nil, created: nil, type: UsernameTokenForm.text.uri)
        verifier.forms = [.digest]
        #expect(await respond(security(text), verifier).code == "UnsupportedSecurityToken")
        verifier.forms = [.textWithNonce]
        #expect(await respond(security(withoutNonce), verifier).code == "UnsupportedSecurityToken")
        #expect(await respond(security(text), verifier).text.contains(">ada<"))
        verifier.forms = [.text, .noPassword]
        #expect(!(await respond(security(withoutNonce), verifier).text.contains(">ada<")))
    }

    @Test func aDatabaseThatIsDownIsNotTheCallersBusiness() async {
        struct Down: Error, CustomStringConvertible {
            var description: String { "host db7 is down" }
        }
        var verifier = UsernameTokenVerifier { _ in throw Down() }
        verifier.now = Echo.verifier(at: Self.now).now
        let answer = await respond(security(token()), verifier)
        #expect(answer.text.contains("Internal error."))
        #expect(!answer.text.contains("db7"))
        #expect(answer.log.contains("db7"))
    }
}

/// Keeps what was logged.
final class Recorder: LogHandler {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }
    var metadata: Logger.Metadata {
        get { [:] }
        set {}
    }
    var logLevel: Logger.Level {
        get { .trace }
        set {}
    }
    subscript(metadataKey _: String) -> Logger.Metadata.Value? {
        get { nil }
        set {}
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message) \(event.metadata ?? [:])") }
    }
}

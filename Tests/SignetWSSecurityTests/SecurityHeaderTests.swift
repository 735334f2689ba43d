import HTTPTypes
import Logging
import SignetSOAP
import Synchronization
import Testing

@testable import SignetWSSecurity

@Suite struct SecurityHeaderTests {
    private static let canary = "canary-7c1e"
    private let moment = Duration.milliseconds(1_795_378_500_125)

    private func clock(_ sources: ServerClock.Sources = []) -> ServerClock {
        ServerClock(learningFrom: sources, maximumOffset: .seconds(86_400)) { [moment] in moment }
    }

    /// The block as it stands in a message.
    private func block(_ header: SecurityHeader, _ version: SOAPVersion = .soap11) async throws -> XMLFragment {
        let blocks = Mutex<[ReceivedHeaderBlock]>([])
        var dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11, .soap12],
            routes: [
                Echo.operation.route { input, context in
                    blocks.withLock { $0 = context.headerBlocks }
                    return input
                }
            ])
        dispatcher.understoodHeaderBlocks = [SecurityName.security]
        _ = try await Echo.caller(dispatcher, header, version: version).call(Echo.operation, XMLAny())
        return try #require(blocks.withLock { $0.first }).fragment
    }

    private func child(_ name: String, of fragment: XMLFragment?) throws -> XMLFragment {
        try #require(fragment?.children.first(named: name))
    }

    /// An assertion that is written anew would break its signature.
    @Test func tokensAreCarriedByteForByte() async throws {
        let assertion = """
            <saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" xmlns:unused="urn:u"   Version='2.0' ID="_a">\
            <saml:Subject  ><saml:NameID>a<!-- x -->b&#x41;</saml:NameID></saml:Subject><saml:Advice/>
            <wsse:Mine xmlns:wsse="urn:mine"><![CDATA[<]]></wsse:Mine></saml:Assertion>
            """
        var header = SecurityHeader(lifetime: .seconds(60))
        header.tokens = [try XMLFragment(parsing: assertion)]
        let caller = try Echo.caller(Echo.dispatcher, header)
        var attempt = CallAttempt(operation: "Echo", endpoint: try Endpoint("https://h/"), version: .soap11)
        let blocks = try await header.headerBlocks(for: attempt)
        let envelope = try caller.envelope(for: Echo.operation, XMLAny(), headerBlocks: blocks)
        #expect(String(decoding: envelope, as: UTF8.self).contains(assertion))
        attempt.endpoint = try Endpoint("http://h/")
        let plain = attempt
        let wary = header
        await #expect(throws: WSSecurityError(.plaintextRefused, "")) { try await wary.headerBlocks(for: plain) }
        header.allowsPlaintext = true
        #expect(try await header.headerBlocks(for: plain).count == 1)
    }

    @Test func aDigestCoversTheNonceAndTheCreationTime() async throws {
        let header = SecurityHeader(.init(.digest, user: "a<b", password: "pässwörd €😀"), clock: clock())
        let token = try child("UsernameToken", of: try await block(header))
        let nonce = try child("Nonce", of: token)
        let created = try child("Created", of: token)
        let password = try child("Password", of: token)
        #expect(try child("Username", of: token).text == "a<b")
        #expect(created.text == "2026-11-22T20:15:00.125Z")
        #expect(created.namespaceURI == SecurityName.utility.uri)
        #expect(nonce.attribute("EncodingType") == SecurityName.base64Binary)
        #expect(password.attribute("Type") == UsernameTokenForm.digest.uri)
        #expect(token.attribute("Id", namespace: SecurityName.utility)?.hasPrefix("UsernameToken-") == true)
        let bytes = try #require(ReceivedUsernameToken.base64(nonce.text))
        #expect(bytes.count == 16)
        let digest = PasswordDigest.bytes(nonce: bytes, created: created.text, password: "pässwörd €😀")
        #expect(password.text == XSDBase64Binary(digest).lexicalForm)
    }

    @Test func aPasswordInTextNeedsNoNonce() async throws {
        let alone = try child(
            "UsernameToken", of: try await block(SecurityHeader(.init(.text, user: "ada", password: "s&c"))))
        #expect(alone.children.map(\.localName) == ["Username", "Password"])
        #expect(try child("Password", of: alone).text == "s&c")
        #expect(try child("Password", of: alone).attribute("Type") == UsernameTokenForm.text.uri)
        let timed = try child(
            "UsernameToken", of: try await block(SecurityHeader(.init(.textWithNonce, user: "ada", password: "s&c"))))
        #expect(timed.children.map(\.localName) == ["Username", "Password", "Nonce", "Created"])
    }

    @Test func aTimestampEnds() async throws {
        var header = SecurityHeader(lifetime: .seconds(90), clock: clock())
        let timestamp = try child("Timestamp", of: try await block(header))
        #expect(timestamp.children.map(\.text) == ["2026-11-22T20:15:00.125Z", "2026-11-22T20:16:30.125Z"])
        #expect(timestamp.children.map(\.localName) == ["Created", "Expires"])
        header.writesMilliseconds = false
        let short = try child("Timestamp", of: try await block(header))
        #expect(short.children.map(\.text) == ["2026-11-22T20:15:00Z", "2026-11-22T20:16:30Z"])
    }

    @Test(arguments: [SOAPVersion.soap11, .soap12]) func attributesAreThoseOfTheVersion(version: SOAPVersion)
        async throws
    {
        var header = SecurityHeader(.init(.digest, user: "u", password: "p"))
        header.role = .next
        let block = try await block(header, version)
        #expect(block.isElement(SecurityName.security))
        #expect(block.attribute("mustUnderstand", namespace: version.namespace) == (version == .soap11 ? "1" : "true"))
        let role = block.attribute(version == .soap11 ? "actor" : "role", namespace: version.namespace)
        #expect(role == (version == .soap11 ? "http://schemas.xmlsoap.org/soap/actor/next" : SOAPRole.next.uri))
        header.mustUnderstand = false
        #expect(try await self.block(header, version).attribute("mustUnderstand", namespace: version.namespace) == nil)
    }

    private struct Again: CallMiddleware {
        func intercept<Input: XMLStructure, Output: Sendable>(
            _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
        ) async throws -> ServiceAnswer<Output> {
            do { return try await next(call) } catch is SOAPFault { return try await next(call) }
        }
    }

    @Test func eachAttemptHasANonceOfItsOwn() async throws {
        let seen = Mutex<[String]>([])
        var dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Echo.operation.route { input, context in
                    let token = context.headerBlocks.first?.fragment.children.first
                    let count = seen.withLock {
                        $0.append(token?.children.first(named: "Nonce")?.text ?? "")
                        return $0.count
                    }
                    if count == 1 { throw SOAPFault.server("later") }
                    return input
                }
            ])
        dispatcher.understoodHeaderBlocks = [SecurityName.security]
        var caller = try Echo.caller(dispatcher, SecurityHeader(.init(.digest, user: "u", password: "p")))
        caller.middlewares = [Again()]
        _ = try await caller.call(Echo.operation, XMLAny())
        #expect(Set(seen.withLock { $0 }).count == 2)
    }

    @Test func passwordsInTextDoNotTravelInTheOpen() async throws {
        let attempt = CallAttempt(operation: "o", endpoint: try Endpoint("http://h/"), version: .soap11)
        var header = SecurityHeader(.init(.text, user: "u", password: Self.canary))
        let error = await #expect(throws: WSSecurityError.self) { try await header.headerBlocks(for: attempt) }
        #expect(error?.code == .plaintextRefused)
        header.allowsPlaintext = true
        #expect(try await header.headerBlocks(for: attempt).count == 1)
    }

    /// A reader of a digest can try passwords against it; on this machine there is no reader.
    @Test func digestsDoNotTravelInTheOpen() async throws {
        var attempt = CallAttempt(operation: "o", endpoint: try Endpoint("http://h/"), version: .soap11)
        var header = SecurityHeader(.init(.digest, user: "u", password: Self.canary))
        let error = await #expect(throws: WSSecurityError.self) { try await header.headerBlocks(for: attempt) }
        #expect(error?.code == .plaintextRefused)
        #expect(error?.message.contains("--wss-allow-plaintext") == true)
        attempt.isLocal = true
        #expect(try await header.headerBlocks(for: attempt).count == 1)
        header.usernameToken = UsernameToken(.text, user: "u", password: Self.canary)
        await #expect(throws: WSSecurityError.self) { try await header.headerBlocks(for: attempt) }
        attempt.isLocal = false
        header = SecurityHeader(.init(.digest, user: "u", password: Self.canary))
        header.allowsPlaintext = true
        #expect(try await header.headerBlocks(for: attempt).count == 1)
        #expect("\(header)".contains("plain HTTP"))
        // Without a password there is nothing to guess.
        #expect(try await SecurityHeader(.init(user: "u")).headerBlocks(for: attempt).count == 1)
    }

    @Test func charactersThatXMLForbidsAreNotSent() async throws {
        let attempt = CallAttempt(operation: "o", endpoint: try Endpoint("https://h/"), version: .soap11)
        let header = SecurityHeader(.init(.text, user: "u", password: "\(Self.canary)\u{1}"))
        let error = await #expect(throws: WSSecurityError.self) { try await header.headerBlocks(for: attempt) }
        #expect(error?.code == .unwritable)
        #expect(error?.message.contains(Self.canary) == false)
        let late = SecurityHeader(lifetime: .seconds(1 << 50))
        await #expect(throws: WSSecurityError.self) { try await late.headerBlocks(for: attempt) }
    }

    @Test func passwordsAreAskedForWhenTheyAreNeeded() async throws {
        struct NoPassword: Error {}
        let attempt = CallAttempt(operation: "o", endpoint: try Endpoint("https://h/"), version: .soap11)
        let header = SecurityHeader(UsernameToken(.digest) { _ in throw NoPassword() })
        await #expect(throws: NoPassword.self) { try await header.headerBlocks(for: attempt) }
        #expect(try await SecurityHeader().headerBlocks(for: attempt).isEmpty)
    }

    @Test func secretsStandInNoDescription() async throws {
        let token = UsernameToken(.digest, user: "u", password: Self.canary)
        let header = SecurityHeader(token, clock: clock())
        let attempt = CallAttempt(operation: "o", endpoint: try Endpoint("https://h/"), version: .soap11)
        let blocks = try await header.headerBlocks(for: attempt)
        let received = try ReceivedSecurity(
            XMLFragment(
                parsing: """
                    <wsse:Security xmlns:wsse="\(SecurityName.extensions)"><wsse:UsernameToken><wsse:Username>u</wsse:Username>\
                    <wsse:Password>\(Self.canary)</wsse:Password></wsse:UsernameToken></wsse:Security>
                    """))
        for value in [token, header, blocks, received, Echo.verifier()] as [Any] {
            var text = String(describing: value) + String(reflecting: value)
            dump(value, to: &text)
            #expect(!text.contains(Self.canary))
        }
    }

    @Test func tracesShowNoToken() async throws {
        let recorder = Recorder()
        for form in [UsernameTokenForm.text, .textWithNonce, .digest] {
            let dispatcher = Echo.dispatcher.verified(by: UsernameTokenVerifier { _ in Self.canary })
            var caller = try Echo.caller(dispatcher, SecurityHeader(.init(form, user: "u", password: Self.canary)))
            caller.logger = Logger(label: "test") { _ in recorder }
            caller.logger.logLevel = .trace
            _ = try await caller.call(Echo.operation, XMLAny())
        }
        #expect(recorder.text.contains("<wsse:UsernameToken"))
        #expect(!recorder.text.contains(Self.canary) && !recorder.text.contains("Nonce"))
    }

    // MARK: Answers

    private func receive(_ header: SecurityHeader, _ content: String, mustUnderstand: Bool = true) async throws {
        let message = envelope(security(content, mustUnderstand: mustUnderstand))
        let transport = CannedAnswer(message)
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.headerProviders = [header]
        _ = try await caller.call(Echo.operation, XMLAny())
    }

    @Test func theTimestampOfAnAnswerIsChecked() async throws {
        var header = SecurityHeader(.init(.digest, user: "u", password: "p"), clock: clock())
        func timestamp(_ created: String, _ expires: String) -> String {
            "<wsu:Timestamp><wsu:Created>\(created)</wsu:Created><wsu:Expires>\(expires)</wsu:Expires></wsu:Timestamp>"
        }
        try await receive(header, timestamp("2026-11-22T20:14:00Z", "2026-11-22T20:19:00Z"))
        for content in [
            timestamp("2026-11-22T20:14:00Z", "2026-11-22T20:14:30Z"),
            timestamp("2026-11-22T20:17:00Z", "2026-11-22T20:19:00Z"),
            "<wsu:Timestamp/>", "<d:Signature xmlns:d='http://www.w3.org/2000/09/xmldsig#'/>", token(),
        ] {
            let error = await #expect(throws: WSSecurityError.self) { try await receive(header, content) }
            #expect(error?.code == .invalidAnswer)
            try await receive(header, content, mustUnderstand: false)
        }
        header.freshness = Freshness(maximumAge: .seconds(10))
        let error = await #expect(throws: WSSecurityError.self) {
            try await receive(header, timestamp("2026-11-22T20:14:00Z", "2026-11-22T20:19:00Z"))
        }
        #expect(error?.code == .invalidAnswer)
    }
}

/// Answers every request with the same envelope.
struct CannedAnswer: ClientTransport {
    private let message: String
    private let fields: HTTPFields
    private let status: HTTPResponse.Status

    init(_ message: String, status: HTTPResponse.Status = .ok, fields: HTTPFields = [:]) {
        self.message = message
        self.status = status
        self.fields = fields
    }

    func send(_ request: ClientRequest) async throws -> ClientResponse {
        var response = ClientResponse(status: status, fields: fields, body: Array(message.utf8))
        response.fields[.contentType] = "text/xml"
        return response
    }

    func shutdown() async throws {}
}

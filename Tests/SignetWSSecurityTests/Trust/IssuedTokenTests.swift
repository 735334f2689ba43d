import SignetAuthentication
import SignetSOAP
import SignetTesting
import Synchronization
import Testing

@testable import SignetWSSecurity

@Suite(.timeLimit(.minutes(5))) struct IssuedTokenTests {
    private static let trust = "http://docs.oasis-open.org/ws-sx/ws-trust/200512"
    private static let utility = SecurityName.utility.uri

    /// A token service that answers with what it is given, one after the other.
    private final class Service: ClientTransport {
        let answers: Mutex<[String]>
        let requests = Mutex<[[UInt8]]>([])

        init(_ answers: [String]) { self.answers = Mutex(answers) }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            requests.withLock { $0.append(request.body.bytes ?? []) }
            let body = answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? "" }
            var response = ClientResponse(status: .ok)
            response.fields[.contentType] = "application/soap+xml; charset=utf-8"
            response.body = Array(
                "<e:Envelope xmlns:e=\"http://www.w3.org/2003/05/soap-envelope\" xmlns:out=\"urn:out\"><e:Body>\(body)</e:Body></e:Envelope>"
                    .utf8)
            return response
        }

        func shutdown() async throws {}
    }

    private func answer(_ token: String, expires: String? = nil, more: String = "", trust: String = trust) -> String {
        let lifetime = expires.map {
            "<t:Lifetime><u:Created xmlns:u=\"\(Self.utility)\">x</u:Created><u:Expires xmlns:u=\"\(Self.utility)\">\($0)</u:Expires></t:Lifetime>"
        }
        return
            "<t:RequestSecurityTokenResponse xmlns:t=\"\(trust)\">\(more)<t:RequestedSecurityToken>\(token)</t:RequestedSecurityToken>\(lifetime ?? "")</t:RequestSecurityTokenResponse>"
    }

    private func tokens(
        _ answers: [String], _ request: TokenRequest = TokenRequest(for: "urn:s"), url: String = "https://sts.example/",
        now: @escaping @Sendable () -> Int64 = { 0 }
    ) throws -> (IssuedTokens, Service) {
        let service = Service(answers)
        let caller = ServiceCaller(endpoint: try Endpoint(url), transport: service)
        let query = TokenQuery(caller, request, allowsPlaintext: false) { .seconds(now()) }
        return (IssuedTokens(query), service)
    }

    private func error(_ tokens: IssuedTokens) async -> WSSecurityError? {
        await #expect(throws: WSSecurityError.self) { () async throws in try await tokens.token() }
    }

    @Test func theTokenIsKeptAsItWasWritten() async throws {
        let text = "<x:T  a='1'\n b=\"2\"><x:I>é &#233;</x:I >\n</x:T>"
        let (tokens, _) = try tokens([answer(text.replacing("<x:T", with: "<x:T xmlns:x=\"urn:x\""))])
        let token = try await tokens.token()
        #expect(
            String(decoding: token.content.bytes, as: UTF8.self).hasSuffix(
                "  a='1'\n b=\"2\"><x:I>é &#233;</x:I >\n</x:T>"))
        #expect(token.type == nil && token.expires == nil && token.assertion == nil)
        #expect(!"\(token)".contains("é") && !String(reflecting: token).contains("é"))
    }

    /// The prefix is declared on the envelope, and only a value uses it.
    @Test func namespacesFromOutsideComeAlong() async throws {
        let text = "<T xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:type=\"out:t\"/>"
        let (tokens, _) = try tokens([answer(text)])
        #expect(
            String(decoding: try await tokens.token().content.bytes, as: UTF8.self).contains("xmlns:out=\"urn:out\""))
    }

    @Test func aTokenIsReplacedBeforeItExpires() async throws {
        let now = Mutex<Int64>(0)
        let (tokens, service) = try tokens(
            [answer("<A/>", expires: "1970-01-01T01:00:00Z"), answer("<B/>", expires: "1970-01-01T02:00:00.25Z")],
            now: { now.withLock { $0 } })
        for (time, name) in [(0, "A"), (3539, "A"), (3541, "B"), (7100, "B")] as [(Int64, String)] {
            now.withLock { $0 = time }
            #expect(try await tokens.token().content.localName == name, "\(time)")
        }
        #expect(service.requests.withLock { $0.count } == 2)
    }

    @Test func aShortLifetimeHasAShortMargin() async throws {
        let now = Mutex<Int64>(0)
        let (tokens, _) = try tokens(
            [answer("<A/>", expires: "1970-01-01T00:00:30Z"), answer("<B/>")], now: { now.withLock { $0 } })
        #expect(try await tokens.token().content.localName == "A")
        now.withLock { $0 = 26 }
        #expect(try await tokens.token().content.localName == "A")
        now.withLock { $0 = 27 }
        #expect(try await tokens.token().content.localName == "B")
    }

    @Test func theTokenOfTheWantedTypeIsTaken() async throws {
        let other = answer("<A/>", more: "<t:TokenType>urn:other</t:TokenType>")
        let wanted = answer("<B/>", more: "<t:TokenType> urn:wanted </t:TokenType>")
        let collection =
            "<t:RequestSecurityTokenResponseCollection xmlns:t=\"\(Self.trust)\">\(other)\(wanted)</t:RequestSecurityTokenResponseCollection>"
        let request = TokenRequest(for: "urn:s", type: TokenType(rawValue: "urn:wanted"))
        let (tokens, _) = try tokens([collection], request)
        #expect(try await tokens.token().content.localName == "B")
        let (first, _) = try self.tokens([collection])
        #expect(try await first.token().type == TokenType(rawValue: "urn:other"))
    }

    @Test func answersThatCannotBeUsed() async throws {
        let cases: [(String, WSSecurityError.Code, String)] = [
            (
                answer("<A/>", more: "<t:KeyType>\(Self.trust)/SymmetricKey</t:KeyType>"), .unusableToken,
                "bearer token was asked for"
            ),
            ("", .noToken, "without a token"), ("<other/>", .unusableToken, "“other”"),
            (answer("<A/>", expires: "soon"), .unusableToken, "“soon”"),
            (answer("<A/>", expires: "1969-12-31T23:59:59Z"), .unusableToken, "expired already"),
            (answer("<A/><B/>"), .unusableToken, "2 tokens"), (answer(""), .unusableToken, "0 tokens"),
            (
                answer("<A/>", more: "<t:KeyType>\(Self.trust)/PublicKey</t:KeyType>"), .unusableToken,
                "bearer token was asked for"
            ),
            (
                answer(
                    "<A/>", more: "<t:RequestedProofToken><t:BinarySecret>AA==</t:BinarySecret></t:RequestedProofToken>"
                ),
                .unusableToken, "symmetric key"
            ),
            (
                "<t:RequestSecurityTokenResponse xmlns:t=\"\(Self.trust)\"/>", .noToken, "without a token"
            ),
        ]
        for (text, code, words) in cases {
            let found = await error(try tokens([text]).0)
            #expect(found?.code == code, "\(text)")
            #expect(found?.message.contains(words) == true, "\(found?.message ?? "")")
        }
    }

    @Test func plainHTTPNeedsPermission() async throws {
        let (tokens, service) = try tokens([answer("<A/>")], url: "http://sts.example/")
        #expect(await error(tokens)?.code == .plaintextRefused)
        #expect(service.requests.withLock { $0.isEmpty })
        // A bearer token does not go to the service over plain HTTP either.
        var security = SecurityHeader()
        security.issuedTokens = IssuedTokens(try IssuedToken(try XMLFragment(parsing: "<A/>")))
        let attempt = CallAttempt(
            operation: "Echo", endpoint: try Endpoint("http://service.example/"), version: .soap11)
        let header = security
        let refused = await #expect(throws: WSSecurityError.self) { () async throws in
            _ = try await header.headerBlocks(for: attempt)
        }
        #expect(refused?.code == .plaintextRefused)
    }

    @Test func theRequestSaysWhatIsWanted() async throws {
        let identity = try CertificateAuthority().issueClient(commonName: "holder")
        var request = TokenRequest(for: "urn:a&b", type: .saml11, key: .holder(identity))
        request.claims = [.init("urn:claim"), .init("urn:other", isOptional: true)]
        request.lifetime = .seconds(60)
        request.extensions = [try XMLFragment(XMLName(XMLNamespace(Self.trust), "TokenType"), text: "urn:own")]
        for version in WSTrustVersion.all {
            request.version = version
            let root = XMLAny(children: try request.content(now: .zero).children)
            let trust = version.namespace
            func text(_ name: String) -> String? { root.children.first(named: name, namespace: trust)?.text }
            #expect(text("RequestType") == "\(trust)/Issue")
            #expect(text("KeyType") == "\(trust)/PublicKey")
            #expect(text("Lifetime") == "1970-01-01T00:00:00.000Z1970-01-01T00:01:00.000Z")
            #expect(root.children.first(named: "AppliesTo")?.text == "urn:a&b")
            #expect(
                root.children.first(named: "Claims")?.children.map { $0.attribute("Uri") } == [
                    "urn:claim", "urn:other",
                ])
            #expect(
                root.children.filter { $0.localName == "TokenType" }.map(\.text).sorted()
                    == (version == .v13 ? ["urn:own"] : [TokenType.saml11.rawValue, "urn:own"].sorted()))
        }
    }

    @Test func tokensGoOverHTTPAsText() throws {
        let jwt = """
            <BinarySecurityToken xmlns="\(SecurityName.extensions.uri)" ValueType="urn:ietf:params:oauth:token-type:jwt">YS5iLmM=</BinarySecurityToken>
            """
        let token = try IssuedToken(try XMLFragment(parsing: jwt))
        #expect(try token.accessToken().isValue("a.b.c"))
        #expect(try IssuedToken(try XMLFragment(parsing: "<a>?</a>")).accessToken().isValue("PGE-PzwvYT4"))
    }

    /// A service that refuses every token, or those of some numbers.
    private func attempts(
        _ security: SecurityHeader, _ fault: SOAPFault?, url: String = "https://service.example/"
    ) async throws -> (sent: Int, error: (any Error)?) {
        let sent = Atomic(0)
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Echo.operation.route { input, _ in
                    sent.add(1, ordering: .relaxed)
                    if let fault { throw fault }
                    return input
                }
            ]
        ).verified(by: Understanding())
        var caller = ServiceCaller(
            endpoint: try Endpoint(url), transport: Remote(inner: InProcessTransport(dispatcher)))
        caller.version = .soap11
        caller.headerProviders = [security]
        var failure: (any Error)?
        do { _ = try await caller.call(Echo.operation, XMLAny()) } catch { failure = error }
        return (sent.load(ordering: .relaxed), failure)
    }

    /// A transport whose messages leave the machine.
    private struct Remote: ClientTransport {
        let inner: InProcessTransport
        func send(_ request: ClientRequest) async throws -> ClientResponse { try await inner.send(request) }
        func shutdown() async throws {}
    }

    private struct Understanding: RequestVerifier {
        var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }
        func verify(_ context: inout OperationContext) async throws {}
    }

    @Test func aRefusedMessageIsSentOnceMore() async throws {
        let refusal = SOAPFault(.client, "", subcodes: [.invalidSecurityToken])
        func header(_ tokens: IssuedTokens) -> SecurityHeader {
            var security = SecurityHeader()
            security.issuedTokens = tokens
            return security
        }
        let (tokens, service) = try tokens([answer("<A/>"), answer("<B/>"), answer("<C/>")])
        var outcome = try await attempts(header(tokens), refusal)
        #expect(outcome.sent == 2 && outcome.error is SOAPFault)
        // Two tokens were refused one after the other: for a while no other is asked for.
        outcome = try await attempts(header(tokens), refusal)
        #expect(outcome.sent == 1)
        #expect(service.requests.withLock { $0.count } == 2)
        // Faults of the application, with a detail or not, are none of the token.
        let (others, _) = try self.tokens([answer("<A/>")])
        for fault in [
            SOAPFault(.server, ""), SOAPFault(SOAPFault.Code(namespaceURI: "urn:app", localName: "SecurityError"), ""),
        ] {
            outcome = try await attempts(header(others), fault)
            #expect(outcome.sent == 1)
        }
    }

    @Test func aTokenOfTheProgramStays() async throws {
        var security = SecurityHeader()
        security.issuedTokens = IssuedTokens(try IssuedToken(try XMLFragment(parsing: "<A/>")))
        for _ in 0..<3 {
            let outcome = try await attempts(security, SOAPFault(.client, "", subcodes: [.invalidSecurityToken]))
            #expect(outcome.sent == 1 && outcome.error is SOAPFault)
        }
        #expect(try await attempts(security, nil).error == nil)
    }

    /// The service may mean either.
    @Test func aPasswordBesideATokenIsSentOnce() async throws {
        let (tokens, service) = try tokens([answer("<A/>"), answer("<B/>")])
        var security = SecurityHeader(.init(.text, user: "ada", password: "wrong"))
        security.issuedTokens = tokens
        let outcome = try await attempts(security, SOAPFault(.client, "", subcodes: [.failedAuthentication]))
        #expect(outcome.sent == 1)
        #expect(service.requests.withLock { $0.count } == 1)
    }

    @Test func anUnprotectedAnswerCausesNoOtherAttempt() async throws {
        let (tokens, _) = try tokens([answer("<A/>"), answer("<B/>")])
        var security = SecurityHeader()
        security.issuedTokens = tokens
        security.allowsPlaintext = true
        let refusal = SOAPFault(.client, "", subcodes: [.invalidSecurityToken])
        #expect(try await attempts(security, refusal, url: "http://service.example/").sent == 1)
    }

    @Test func aDemandedTokenIsMissed() async throws {
        let demand = ServiceRequirement.issuedToken(IssuedTokenDemand(issuer: "https://sts.example/"))
        var attempt = CallAttempt(
            operation: "Echo", endpoint: try Endpoint("https://service.example/"), version: .soap11)
        attempt.requirements = [demand]
        let plain = SecurityHeader(lifetime: .seconds(60))
        let first = attempt
        let error = await #expect(throws: WSSecurityError.self) { () async throws in
            _ = try await plain.headerBlocks(for: first)
        }
        #expect(error?.code == .missingCredentials)
        #expect(error?.message.contains("https://sts.example/") == true)
        attempt.uncheckedRequirements = [demand]
        #expect(try await plain.headerBlocks(for: attempt).count == 1)
    }

    @Test func faultsThatRefuseATokenAreKnown() {
        func refuses(_ fault: SOAPFault?) -> Bool { fault?.refusesToken == true }
        #expect(refuses(SOAPFault(.client, "", subcodes: [.invalidSecurityToken])))
        #expect(refuses(SOAPFault(.failedAuthentication, "")))
        #expect(!refuses(SOAPFault(.client, "", subcodes: [.messageExpired])))
        #expect(!refuses(SOAPFault(.server, "")))
        #expect(!refuses(nil))
    }
}

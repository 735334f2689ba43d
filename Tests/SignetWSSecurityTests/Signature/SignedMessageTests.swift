import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetTesting
import SignetXML
import Synchronization
import Testing

@testable import SignetWSSecurity

/// Calls whose messages are signed in both directions, and what becomes of messages that an attacker has changed.
@Suite struct SignedMessageTests {
    private let authority: CertificateAuthority
    private let client: Identity
    private let server: Identity

    init() throws {
        authority = try CertificateAuthority()
        client = try authority.issueClient(commonName: "Clinic")
        server = try authority.issueClient(commonName: "Registry")
    }

    private func policy(for name: String) -> SignaturePolicy {
        SignaturePolicy(trusting: .anchors(authority.bundle)) { $0.certificates.first?.subject == "CN=\(name)" }
    }

    private func verifier(_ cache: any ReplayCache = MemoryReplayCache()) throws -> SignedMessageVerifier {
        var verifier = SignedMessageVerifier(policy(for: "Clinic"), replayCache: cache)
        verifier.signature = try SignatureProfile(server)
        return verifier
    }

    private func header() throws -> SecurityHeader {
        var header = SecurityHeader(lifetime: .seconds(60))
        header.signature = try SignatureProfile(client)
        header.answers = policy(for: "Registry")
        return header
    }

    private static let dispatcher = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12],
        routes: [
            Echo.operation.route { input, context in
                if input.text == "fail" { throw SOAPFault.client("It fails.") }
                return try XMLAny(text: "\(context.peer.signerSubject ?? "nobody") says \(input.text)")
            }
        ])

    /// Carries messages to a service, and changes them on the way.
    private struct Attacker: ClientTransport {
        var service: InProcessTransport
        var request: @Sendable (String) -> String = { $0 }
        var answer: @Sendable (String) -> String = { $0 }

        init(_ dispatcher: ServiceDispatcher) { service = InProcessTransport(dispatcher) }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            var request = request
            let bytes = request.body.bytes ?? []
            request.body = HTTPBody(Array(self.request(String(decoding: bytes, as: UTF8.self)).utf8))
            var response = try await service.send(request)
            response.body = Array(answer(String(decoding: response.body, as: UTF8.self)).utf8)
            return response
        }

        func shutdown() async throws {}
    }

    private func caller(
        _ header: SecurityHeader, _ transport: some ClientTransport, _ version: SOAPVersion = .soap11
    ) throws -> ServiceCaller {
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: transport)
        caller.version = version
        caller.headerProviders = [header]
        return caller
    }

    private func answer(
        _ header: SecurityHeader, _ transport: some ClientTransport, _ version: SOAPVersion = .soap11,
        text: String = "hello"
    ) async throws -> String {
        try await caller(header, transport, version).call(Echo.operation, XMLAny(text: text)).text
    }

    // MARK: Calls

    @Test(arguments: [SOAPVersion.soap11, .soap12], [CertificateReference.certificate, .path])
    func bothEndsSign(_ version: SOAPVersion, _ token: CertificateReference) async throws {
        var header = try header()
        header.signature?.reference = token
        header.signature?.parts.insert(.signingToken)
        header.requiresConfirmation = true
        var verifier = try verifier()
        verifier.policy.signed.insert(.signingToken)
        verifier.confirmsSignatures = true
        let service = InProcessTransport(Self.dispatcher.verified(by: verifier))
        for _ in 0..<2 { #expect(try await answer(header, service, version) == "CN=Clinic says hello") }
        // A fault is signed as well.
        let fault = await #expect(throws: SOAPFault.self) {
            try await answer(header, service, version, text: "fail")
        }
        #expect(fault?.description.contains("It fails.") == true)
    }

    @Test func aTokenIsSignedInPlaceOfItsReference() async throws {
        var header = try header()
        header.signature?.parts.insert(.signingToken)
        header.signature?.usesTokenTransform = true
        var verifier = try verifier()
        verifier.policy.signed.insert(.signingToken)
        var attacker = Attacker(Self.dispatcher.verified(by: verifier))
        #expect(try await answer(header, attacker) == "CN=Clinic says hello")
        // Without the attribute that is added here, the same message is accepted above.
        for (from, to) in [
            ("EncodingType=", "Other=\"1\" EncodingType="), ("wsu:Id=\"Reference-", "wsu:Id=\"Other-"),
            ("</wsse:BinarySecurityToken>", "</wsse:BinarySecurityToken><wsse:BinarySecurityToken/>"),
        ] {
            attacker.request = { $0.replacing(from, with: to, maxReplacements: 1) }
            let service = attacker
            let isHarmless = from.hasPrefix("</")
            let text = try? await answer(header, service)
            #expect((text != nil) == isHarmless, "\(from)")
        }
        attacker.request = { request in
            // The reference leads to the Timestamp.
            let id = request.firstMatch(of: #/wsu:Id="(Timestamp-[^"]*)"/#)?.output.1 ?? ""
            return request.replacing(#/<wsse:Reference URI="#[^"]*"/#) { _ in "<wsse:Reference URI=\"#\(id)\"" }
        }
        let redirected = attacker
        await #expect(throws: (any Error).self) { try await answer(header, redirected) }
        for change in [
            { (profile: inout SignatureProfile) in profile.reference = .thumbprint },
            { (profile: inout SignatureProfile) in profile.parts.remove(.signingToken) },
        ] {
            var other = header
            var profile = try #require(other.signature)
            change(&profile)
            other.signature = profile
            let wrong = other
            let service = attacker
            await #expect(throws: WSSecurityError(.cannotSign, "")) { try await answer(wrong, service) }
        }
    }

    @Test func headerBlocksOfAddressingAreSigned() async throws {
        var security = try header()
        var addressing = AddressingHeader()
        addressing.actions = ["Echo": "urn:echo:action"]
        var verifier = try verifier()
        verifier.policy.signed.insert(.addressing)
        var caller = try caller(
            security,
            InProcessTransport(
                Self.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true))))
        caller.headerProviders = [addressing, security]
        #expect(try await caller.call(Echo.operation, XMLAny(text: "a")).text == "CN=Clinic says a")
        // The service demands them, and reads none that is not signed.
        security.signature?.parts = [.body, .timestamp]
        caller.headerProviders = [addressing, security]
        let error = await #expect(throws: ServiceError.self) {
            try await caller.call(Echo.operation, XMLAny(text: "a"))
        }
        #expect(error?.code == .unverifiedFault)
        verifier.policy.signed.remove(.addressing)
        caller.transport = InProcessTransport(
            Self.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true)))
        let fault = await #expect(throws: SOAPFault.self) {
            try await caller.call(Echo.operation, XMLAny(text: "a"))
        }
        #expect(fault?.description.contains("MessageAddressingHeaderRequired") == true, "\(String(describing: fault))")
        verifier.policy.unsigned.insert(.addressing)
        caller.transport = InProcessTransport(
            Self.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true)))
        #expect(try await caller.call(Echo.operation, XMLAny(text: "a")).text == "CN=Clinic says a")
    }

    /// A signed UsernameToken is read, an unsigned one is not.
    @Test func tokensAreReadOnlyWhenTheyAreSigned() async throws {
        var verifier = try verifier()
        verifier.policy.signed.insert(.usernameToken)
        let service = InProcessTransport(
            Self.dispatcher.verified(by: verifier).verified(by: Echo.verifier()))
        var header = try header()
        header.usernameToken = UsernameToken(.digest, user: "ada", password: "secret")
        header.signature?.parts.insert(.usernameToken)
        #expect(try await answer(header, service) == "CN=Clinic says hello")
        header.usernameToken = UsernameToken(.digest, user: "ada", password: "wrong")
        await #expect(throws: SOAPFault.self) { try await answer(header, service) }
        header.usernameToken = UsernameToken(.digest, user: "ada", password: "secret")
        header.signature?.parts.remove(.usernameToken)
        await #expect(throws: ServiceError.self) { try await answer(header, service) }
    }

    // MARK: What is sent

    /// A message after it was signed, and after it was opened.
    private func exchanged(
        _ body: String, header: String = "", in attributes: String = "",
        _ parts: Set<MessagePart> = [.body, .timestamp]
    ) async throws -> (signed: String, opened: String) {
        var profile = try SignatureProfile(client)
        profile.parts = parts
        let timestamp = "<wsu:Timestamp><wsu:Created>2026-11-22T20:15:00Z</wsu:Created></wsu:Timestamp>"
        let message = """
            <s:Envelope xmlns:s="\(SOAPVersion.soap11.namespace)" xmlns:wsse="\(SecurityName.extensions)" xmlns:wsu="\(SecurityName.utility)">\
            <s:Header>\(header)<wsse:Security>\(timestamp)</wsse:Security></s:Header>\
            <s:Body\(attributes)>\(body)</s:Body></s:Envelope>
            """
        let signed = try await profile.sign(SOAPMessage(Array(message.utf8)), role: nil).envelope
        var policy = SignaturePolicy(signers: [client.leaf])
        policy.signed = parts
        // The certificate is of today.
        policy.freshness = Freshness(maximumAge: .seconds(1 << 40), maximumClockLead: .seconds(1 << 40))
        let opened = try policy.open(SOAPMessage(signed), now: .seconds((client.leaf.notBefore ?? 0) + 60))
        return (String(decoding: signed, as: UTF8.self), String(decoding: opened.envelope, as: UTF8.self))
    }

    /// Prefixes in values keep their meaning, wherever they are declared and whatever stands before them.
    @Test(arguments: [
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x' kind='x:kind'>text</e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'>x:kind</e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'>/x:kind/x:other</e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'>count(x:kind)</e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'>a|x:kind</e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'><![CDATA[x:kind]]></e:Echo>",
        "<e:Echo xmlns:e='urn:echo' xmlns:x='urn:x'>&#10;x:kind</e:Echo>",
    ])
    func prefixesInValuesAreSigned(_ body: String) async throws {
        #expect(try await exchanged(body).opened.contains("xmlns:x=\"urn:x\""))
        let outside = body.replacing(" xmlns:x='urn:x'", with: "")
        #expect(try await exchanged(outside, in: " xmlns:x='urn:x'").opened.contains("xmlns:x=\"urn:x\""))
        let unused = body.replacing("x:kind", with: "kind").replacing("x:other", with: "other")
        #expect(try await !exchanged(unused).opened.contains("urn:x"))
    }

    @Test func theDefaultNamespaceOfATypeIsSigned() async throws {
        let type = "xmlns:i='http://www.w3.org/2001/XMLSchema-instance' i:type='Dog'"
        let opened = try await exchanged("<e:Echo xmlns:e='urn:echo' xmlns='urn:d' \(type)/>").opened
        #expect(opened.contains("xmlns=\"urn:d\""))
    }

    /// An identifier is added without a change of what the names in the element mean.
    @Test func identifiersChangeNoNames() async throws {
        let (signed, opened) = try await exchanged("<wsu:Echo/>", in: " xmlns:wsu='urn:mine' a='>'")
        #expect(signed.contains(" xmlns:wsuu=\"") && opened.contains("xmlns:wsu=\"urn:mine\""))
        let name = XMLName("urn:h", "H")
        let block = "<h:H xmlns:h='urn:h' Id='4711' wsu:a='1'/>"
        let again = try await exchanged("<x Id='4711'/>", header: block, [.body, .timestamp, .headerBlock(name)])
        #expect(again.opened.contains("<h:H ") && again.opened.contains("Id=\"4711\""))
        // An identifier that the message has twice would be ambiguous.
        await #expect(throws: WSSecurityError.cannotSign) {
            try await exchanged("<x wsu:Id='b'/>", in: " wsu:Id='b'")
        }
    }

    // MARK: Settings

    @Test func settingsThatHaveNoEffectAreErrors() async throws {
        let service = InProcessTransport(Self.dispatcher.verified(by: try verifier()))
        var header = try header()
        header.lifetime = nil
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header.lifetime = .seconds(60)
        header.signature?.parts.insert(.headerBlock(XMLName("urn:h", "None")))
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header = try self.header()
        header.answers = nil
        header.requiresConfirmation = true
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header = try self.header()
        header.freshness = Freshness(maximumAge: .seconds(10))
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header = try self.header()
        header.clock = ServerClock(learningFrom: .dateField)
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header.clock = ServerClock(learningFrom: .timestamp)
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        header = try self.header()
        header.signature?.algorithm = .ed25519
        await #expect(throws: WSSecurityError.cannotSign) { try await answer(header, service) }
        var verifier = try verifier()
        verifier.signature = nil
        verifier.confirmsSignatures = true
        let error = await #expect(throws: ServiceError.self) {
            try await answer(try self.header(), InProcessTransport(Self.dispatcher.verified(by: verifier)))
        }
        #expect(error?.code == .unverifiedFault)
    }

    /// An answer that is not signed is not used; neither is a fault.
    @Test func unsignedAnswersAreRefused() async throws {
        var verifier = try verifier()
        verifier.signature = nil
        let service = InProcessTransport(Self.dispatcher.verified(by: verifier))
        await #expect(throws: WSSecurityError.invalidAnswer) { try await answer(try self.header(), service) }
        let error = await #expect(throws: ServiceError.self) {
            try await answer(try self.header(), service, text: "fail")
        }
        #expect(error?.code == .unverifiedFault && error?.message.contains("It fails.") == true)
        #expect(error?.cause as? WSSecurityError == .invalidAnswer)
        var header = try self.header()
        header.answers = nil
        #expect(try await answer(header, service) == "CN=Clinic says hello")
        header.answers = policy(for: "Clinic")
        let signed = InProcessTransport(Self.dispatcher.verified(by: try self.verifier()))
        await #expect(throws: WSSecurityError.invalidAnswer) { try await answer(header, signed) }
    }

    /// The answer to another request has a signature that is as good.
    @Test func answersBelongToTheirRequests() async throws {
        var header = try header()
        header.requiresConfirmation = true
        var verifier = try verifier()
        await #expect(throws: WSSecurityError.invalidAnswer) {
            try await answer(header, InProcessTransport(Self.dispatcher.verified(by: verifier)))
        }
        verifier.confirmsSignatures = true
        let other = Recorder()
        var attacker = Attacker(Self.dispatcher.verified(by: verifier))
        attacker.answer = { other.exchange($0) }
        #expect(try await answer(header, attacker) == "CN=Clinic says hello")
        await #expect(throws: WSSecurityError.invalidAnswer) { try await answer(header, attacker) }
    }

    /// Gives each answer in place of the one after it.
    private final class Recorder: Sendable {
        private let earlier = Mutex<String?>(nil)

        func exchange(_ answer: String) -> String {
            earlier.withLock { earlier in
                defer { earlier = answer }
                return earlier ?? answer
            }
        }
    }

    @Test func aMessageIsAcceptedOnce() async throws {
        let earlier = Recorder()
        var attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        attacker.request = { earlier.exchange($0) }
        #expect(try await answer(try header(), attacker) == "CN=Clinic says hello")
        // The first message again, whose Timestamp is still fresh.
        await #expect(throws: ServiceError.self) { try await answer(try header(), attacker) }
    }

    // MARK: Attacks

    /// The parts of a signed request that attacks move.
    struct Parts {
        let whole: String
        let body: String
        let timestamp: String
        let security: String
        let signature: String

        fileprivate init(_ whole: String) throws {
            func part(_ name: String) throws -> String {
                let start = try #require(whole.firstMatch(of: try Regex("<\\w+:\(name)[ >]"))).range.lowerBound
                let end = try #require(whole[start...].firstMatch(of: try Regex("</\\w+:\(name)>"))).range.upperBound
                return String(whole[start..<end])
            }
            self.whole = whole
            body = try part("Body")
            timestamp = try part("Timestamp")
            security = try part("Security")
            signature = try part("Signature")
        }
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        var name: String
        fileprivate var change: @Sendable (Parts) -> String
        var testDescription: String { name }
    }

    private static func forged(_ body: String) -> String { body.replacing("hello", with: "pay") }
    private static func renamed(_ part: String) -> String { part.replacing("Id=\"", with: "Id=\"x") }

    /// Attacks after the numbers of the families in the literature on signature wrapping.
    private static let attacks: [Attack] = [
        Attack(name: "the Body changed") { $0.whole.replacing($0.body, with: forged($0.body)) },
        Attack(name: "the Body moved into an unknown header block, a forged one in its place") { parts in
            parts.whole.replacing(parts.body, with: renamed(forged(parts.body))).replacing(
                parts.security, with: parts.security + "<w:Wrapper xmlns:w=\"urn:w\">\(parts.body)</w:Wrapper>")
        },
        Attack(name: "the Body moved into Security") { parts in
            parts.whole.replacing(parts.body, with: renamed(forged(parts.body))).replacing(
                parts.signature, with: parts.signature + parts.body)
        },
        Attack(name: "the Body moved into an Object of the signature") { parts in
            parts.whole.replacing(parts.body, with: renamed(forged(parts.body))).replacing(
                "</ds:Signature>", with: "<ds:Object>\(parts.body)</ds:Object></ds:Signature>")
        },
        Attack(name: "the Body moved into KeyInfo") { parts in
            parts.whole.replacing(parts.body, with: renamed(forged(parts.body))).replacing(
                "</ds:KeyInfo>", with: parts.body + "</ds:KeyInfo>")
        },
        Attack(name: "the Body moved into the forged one") { parts in
            let forged = renamed(forged(parts.body))
            let end = forged.lastIndex(of: "<") ?? forged.endIndex
            return parts.whole.replacing(parts.body, with: forged[..<end] + parts.body + forged[end...])
        },
        Attack(name: "a second Body before") { $0.whole.replacing($0.body, with: renamed(forged($0.body)) + $0.body) },
        Attack(name: "a second Body after") { $0.whole.replacing($0.body, with: $0.body + renamed(forged($0.body))) },
        Attack(name: "the same identifier twice, the forged one first") { parts in
            parts.whole.replacing(
                parts.security, with: "<w:W xmlns:w=\"urn:w\">\(forged(parts.body))</w:W>\(parts.security)")
        },
        Attack(name: "the same identifier twice, by xml:id") { parts in
            let id = parts.body.firstMatch(of: #/Id="([^"]+)"/#)?.output.1 ?? ""
            return parts.whole.replacing(
                parts.security, with: "<w:W xmlns:w=\"urn:w\" xml:id=\"\(id)\"/>\(parts.security)")
        },
        Attack(name: "a Timestamp that is not signed") { parts in
            parts.whole.replacing(
                parts.timestamp, with: renamed(parts.timestamp).replacing("T", with: "T"))
        },
        Attack(name: "the signed Timestamp in a wrapper, another in its place") { parts in
            parts.whole.replacing(parts.timestamp, with: renamed(parts.timestamp)).replacing(
                parts.security, with: "<w:W xmlns:w=\"urn:w\">\(parts.timestamp)</w:W>\(parts.security)")
        },
        Attack(name: "a second Timestamp") {
            $0.whole.replacing($0.timestamp, with: $0.timestamp + renamed($0.timestamp))
        },
        Attack(name: "the Timestamp left out") { $0.whole.replacing($0.timestamp, with: "") },
        Attack(name: "no signature") { $0.whole.replacing($0.signature, with: "") },
        Attack(name: "no Security") { $0.whole.replacing($0.security, with: "") },
        Attack(name: "a second Security") { $0.whole.replacing($0.security, with: $0.security + renamed($0.security)) },
        Attack(name: "Security for another role") { parts in
            parts.whole.replacing(
                parts.security,
                with: parts.security.replacing(
                    "mustUnderstand=\"1\"", with: "mustUnderstand=\"1\" soap:actor=\"urn:other\""))
        },
        Attack(name: "the token of another certificate") { parts in
            let token = parts.security.firstMatch(of: #/<wsse:BinarySecurityToken[^>]*>([^<]+)</#)?.output.1 ?? ""
            return parts.whole.replacing(token, with: token.dropFirst(4) + "AAAA")
        },
        Attack(name: "a reference to a token elsewhere") { parts in
            parts.whole.replacing("<wsse:Reference URI=\"#", with: "<wsse:Reference URI=\"http://localhost/#")
        },
        Attack(name: "a reference to nothing") { parts in
            parts.whole.replacing("<wsse:Reference URI=\"#", with: "<wsse:Reference URI=\"#x")
        },
        Attack(name: "the whole document signed by an empty reference") { parts in
            parts.whole.replacing(#/<ds:Reference URI="#[^"]+"/#, with: "<ds:Reference URI=\"\"")
        },
        Attack(name: "an external reference") { parts in
            parts.whole.replacing(#/<ds:Reference URI="#[^"]+"/#, with: "<ds:Reference URI=\"file:///etc/hostname\"")
        },
        Attack(name: "HMAC in place of the signature") { parts in
            parts.whole.replacing("xmldsig-more#ecdsa-sha256", with: "xmldsig-more#hmac-sha256")
        },
        Attack(name: "HMAC of eight bits") { parts in
            parts.whole.replacing(
                "Algorithm=\"http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256\"/>",
                with:
                    "Algorithm=\"http://www.w3.org/2000/09/xmldsig#hmac-sha1\"><ds:HMACOutputLength>8</ds:HMACOutputLength></ds:SignatureMethod>"
            )
        },
        Attack(name: "a transform that chooses by XPath") { parts in
            parts.whole.replacing(
                "<ds:Transforms>",
                with:
                    "<ds:Transforms><ds:Transform Algorithm=\"http://www.w3.org/TR/1999/REC-xpath-19991116\"><ds:XPath xmlns:a=\"urn:a\">self::a:b</ds:XPath></ds:Transform>"
            )
        },
        Attack(name: "a Manifest that is not verified") { parts in
            parts.whole.replacing(parts.body, with: forged(parts.body)).replacing(
                #/<ds:Reference URI="#[^"]+"/#,
                with: "<ds:Reference Type=\"http://www.w3.org/2000/09/xmldsig#Manifest\" URI=\"#m\""
            ).replacing(
                "</ds:Signature>", with: "<ds:Object><ds:Manifest Id=\"m\"/></ds:Object></ds:Signature>")
        },
        Attack(name: "a processing instruction in a value") { $0.whole.replacing("hello", with: "hel<?x y?>lo") },
        Attack(name: "two signatures with references to nothing") { parts in
            let dangling = parts.signature.replacing("<ds:Reference URI=\"#", with: "<ds:Reference URI=\"#x")
            return parts.whole.replacing(parts.body, with: forged(parts.body))
                .replacing(parts.signature, with: dangling + dangling)
        },
        Attack(name: "a signature with references to nothing, the Body changed") { parts in
            let dangling = parts.signature.replacing("<ds:Reference URI=\"#", with: "<ds:Reference URI=\"#x")
            return parts.whole.replacing(parts.body, with: forged(parts.body))
                .replacing(parts.signature, with: dangling + parts.signature)
        },
        Attack(name: "the Timestamp changed") { parts in
            parts.whole.replacing(parts.timestamp, with: parts.timestamp.replacing("Created>2", with: "Created> 2"))
        },
        Attack(name: "the identifier of the Body in each attribute of another block") { parts in
            let id = parts.body.firstMatch(of: #/Id="([^"]+)"/#)?.output.1 ?? ""
            return parts.whole.replacing(
                parts.security, with: "<w:W xmlns:w=\"urn:w\" Id=\"\(id)\" ID=\"\(id)\" id=\"\(id)\"/>\(parts.security)"
            )
        },
        Attack(name: "a document type") { "<!DOCTYPE x []>" + $0.whole.drop { $0 != ">" }.dropFirst() },
        Attack(name: "an envelope in the envelope") { parts in
            parts.whole.replacing(
                parts.body, with: parts.body.replacing(#/^<[^>]*>/#) { "\($0.output)\(parts.whole)" })
        },
        Attack(name: "an element after the Body") {
            $0.whole.replacing($0.body, with: $0.body + "<w:W xmlns:w=\"urn:w\"/>")
        },
        Attack(name: "an element before the Header") { parts in
            parts.whole.replacing("<soap:Header>", with: "<w:W xmlns:w=\"urn:w\"/><soap:Header>")
        },
        Attack(name: "the signed Timestamp moved into the Header") { parts in
            parts.whole.replacing(parts.timestamp, with: "").replacing(
                parts.security.replacing(parts.timestamp, with: ""),
                with: parts.timestamp + parts.security.replacing(parts.timestamp, with: ""))
        },
        Attack(name: "xml:lang on the Envelope") {
            $0.whole.replacing("<soap:Envelope", with: "<soap:Envelope xml:lang=\"en\"")
        },
        Attack(name: "a header block that must be understood and is not signed") { parts in
            parts.whole.replacing(
                parts.security, with: parts.security + "<w:W xmlns:w=\"urn:w\" soap:mustUnderstand=\"1\"/>")
        },
    ]

    /// Changes that leave the message as it was signed: the same machinery accepts them.
    private static let controls: [Attack] = [
        Attack(name: "nothing") { $0.whole },
        Attack(name: "a header block beside") {
            $0.whole.replacing($0.security, with: $0.security + "<w:W xmlns:w=\"urn:w\">hello</w:W>")
        },
        Attack(name: "the identifier of the Body in a foreign attribute") { parts in
            let id = parts.body.firstMatch(of: #/Id="([^"]+)"/#)?.output.1 ?? ""
            return parts.whole.replacing(
                parts.security, with: "<w:W xmlns:w=\"urn:w\" w:Id=\"\(id)\"/>\(parts.security)")
        },
        Attack(name: "a second Security for another role") { parts in
            parts.whole.replacing(
                parts.security,
                with: parts.security
                    + "<wsse:Security xmlns:wsse=\"\(SecurityName.extensions)\" soap:actor=\"urn:other\" soap:mustUnderstand=\"1\">\(renamed(parts.timestamp).replacing("wsu:", with: "u:").replacing("<u:Timestamp", with: "<u:Timestamp xmlns:u=\"\(SecurityName.utility)\""))</wsse:Security>"
            )
        },
        Attack(name: "a second signature with references to nothing") { parts in
            let dangling = parts.signature.replacing("<ds:Reference URI=\"#", with: "<ds:Reference URI=\"#x")
            return parts.whole.replacing(parts.signature, with: dangling + parts.signature)
        },
        Attack(name: "an Object in the signature") {
            $0.whole.replacing("</ds:Signature>", with: "<ds:Object><ds:Manifest Id=\"m\"/></ds:Object></ds:Signature>")
        },
        Attack(name: "white space in tags") { $0.whole.replacing("</soap:Body>", with: "</soap:Body >") },
        Attack(name: "a comment in the Body") { $0.whole.replacing("hello", with: "hel<!-- x -->lo") },
        Attack(name: "a CDATA section") { $0.whole.replacing("hello", with: "<![CDATA[hello]]>") },
    ]

    /// An assertion of an attacker, before or after what is signed, is not read: one that must be understood is an error.
    @Test(arguments: [true, false], [true, false])
    func unsignedAssertionsAreNotRead(isFirst: Bool, mustUnderstand: Bool) async throws {
        let assertion = "<a:Assertion xmlns:a=\"urn:oasis:names:tc:SAML:2.0:assertion\" ID=\"a\"/>"
        var header = try header()
        header.mustUnderstand = mustUnderstand
        let seen = Mutex<[String]>([])
        let service = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: [
                Echo.operation.route { input, context in
                    seen.withLock {
                        $0 = context.headerBlocks.map { String(decoding: $0.fragment.bytes, as: UTF8.self) }
                    }
                    return input
                }
            ])
        var attacker = Attacker(service.verified(by: try verifier()))
        #expect(try await answer(header, attacker) == "hello")
        attacker.request = { request in
            isFirst
                ? request.replacing("<wsu:Timestamp", with: assertion + "<wsu:Timestamp", maxReplacements: 1)
                : request.replacing("</ds:Signature>", with: "</ds:Signature>" + assertion)
        }
        let attacked = attacker
        let wanted = header
        if mustUnderstand {
            await #expect(throws: ServiceError.self) { try await answer(wanted, attacked) }
        } else {
            #expect(try await answer(wanted, attacked) == "hello")
            #expect(seen.withLock { !$0.isEmpty && $0.allSatisfy { !$0.contains("Assertion") } })
        }
    }

    @Test(arguments: controls) func harmlessChangesAreAccepted(_ control: Attack) async throws {
        #expect(try await answerAfter(control) == "CN=Clinic says hello")
    }

    @Test(arguments: attacks) func attacksAreRefused(_ attack: Attack) async throws {
        let error = await #expect(throws: (any Error).self) { try await answerAfter(attack) }
        // The service refused the request with a fault that it cannot sign for a stranger.
        #expect((error as? ServiceError)?.code == .unverifiedFault, "\(String(describing: error))")
    }

    private func answerAfter(_ attack: Attack) async throws -> String {
        var attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        attacker.request = { request in
            guard let parts = try? Parts(request) else { return "" }
            let changed = attack.change(parts)
            #expect(attack.name == "nothing" || changed != request, "\(attack.name) changed nothing: \(request)")
            return changed
        }
        return try await answer(try header(), attacker)
    }

    /// Each of three signed parts, changed alone.
    @Test(arguments: ["nothing", "hello", "urn:echo:action", "<wsu:Created>"]) func eachPartIsVerified(_ part: String)
        async throws
    {
        var verifier = try verifier()
        verifier.policy.signed = [.body, .timestamp, .addressing]
        var addressing = AddressingHeader()
        addressing.actions = ["Echo": "urn:echo:action"]
        var attacker = Attacker(
            Self.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true)))
        attacker.request = { $0.replacing(part, with: part + " ") }
        var caller = try caller(try header(), attacker)
        caller.headerProviders = [addressing, try header()]
        let answer = try? await caller.call(Echo.operation, XMLAny(text: "hello")).text
        #expect((answer != nil) == (part == "nothing"), "\(part)")
    }

    /// Who has a valid certificate does not learn which accounts there are.
    @Test func allWrongAccountsGetTheSameFault() async throws {
        var verifier = try verifier()
        verifier.policy.signed.insert(.usernameToken)
        let service = Self.dispatcher.verified(by: verifier).verified(by: Echo.verifier())
        var header = try header()
        header.signature?.parts.insert(.usernameToken)
        let faults = Mutex<Set<String>>([])
        for (user, password) in [("ada", "secret"), ("ada", "wrong"), ("nobody", "secret"), ("locked", "secret")] {
            header.usernameToken = UsernameToken(.text, user: user, password: password)
            var attacker = Attacker(service)
            attacker.answer = { answer in
                _ = faults.withLock {
                    $0.insert(answer.firstMatch(of: #/<\w+:Fault>.*<\/\w+:Fault>/#).map { String($0.output) } ?? "")
                }
                return answer
            }
            let isRight = (try? await answer(header, attacker)) != nil
            #expect(isRight == (password == "secret" && user == "ada"), "\(user)")
        }
        #expect(faults.withLock { $0.count } == 2, "none for the right one, and one for all others")
    }

    /// An answer is verified like a request.
    @Test func changedAnswersAreRefused() async throws {
        var attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        attacker.answer = { $0.replacing("says hello", with: "says bye") }
        await #expect(throws: WSSecurityError.invalidAnswer) { try await answer(try header(), attacker) }
    }

    /// The HTTP request does not choose among operations that take the same element.
    @Test func theActionMustBeSigned() async throws {
        let operations = ["approve", "reject"].map { name in
            ServiceOperation<XMLAny, XMLAny>(
                name: name, soapAction: "urn:\(name)", version: .soap11, input: XMLName("urn:echo", "Echo"),
                output: XMLName("urn:echo", "Echo")
            )
        }
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: operations.map { operation in operation.route { _, _ in try XMLAny(text: operation.name) } })
        var plain = try caller(SecurityHeader(lifetime: .seconds(60)), InProcessTransport(dispatcher))
        plain.headerProviders = []
        var addressing = AddressingHeader()
        addressing.actions = ["approve": "urn:approve", "reject": "urn:reject"]
        let service = InProcessTransport(dispatcher.verified(by: try verifier()).verified(by: AddressingVerifier()))
        var signed = try caller(try header(), service)
        for operation in operations {
            #expect(try await plain.call(operation, XMLAny()).text == operation.name)
            let fault = await #expect(throws: SOAPFault.self) { try await signed.call(operation, XMLAny()) }
            #expect(fault?.description.contains("wsa:Action") == true, "\(String(describing: fault))")
        }
        signed.headerProviders = [addressing, try header()]
        for operation in operations { #expect(try await signed.call(operation, XMLAny()).text == operation.name) }
        // One that may be unsigned is read, and chooses no operation.
        var verifier = try verifier()
        verifier.policy.unsigned = [.addressing]
        var security = try header()
        security.signature?.parts.remove(.addressing)
        signed.transport = InProcessTransport(
            dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true)))
        signed.headerProviders = [addressing, security]
        for operation in operations {
            await #expect(throws: SOAPFault.self) { try await signed.call(operation, XMLAny()) }
        }
    }

    /// A signed header block counts where it is read, and not in the Security header block.
    @Test(arguments: [false, true]) func aSignedHeaderBlockCannotBeHidden(mustUnderstand: Bool) async throws {
        var addressing = AddressingHeader()
        addressing.actions = ["Echo": "urn:echo:action"]
        for isMoved in [false, true] {
            var verifier = try verifier()
            verifier.policy.signed.insert(.addressing)
            var attacker = Attacker(
                Self.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true)))
            attacker.request = { request in
                guard isMoved, let to = request.firstMatch(of: #/<(\w+):To .*?<\/\1:To>/#)?.output.0 else {
                    return request
                }
                let moved = request.replacing(to, with: "").replacing("</wsse:Security>", with: "\(to)</wsse:Security>")
                return mustUnderstand ? moved : moved.replacing("soap:mustUnderstand=\"1\"", with: "")
            }
            var caller = try caller(try header(), attacker)
            caller.headerProviders = [addressing, try header()]
            let text = try? await caller.call(Echo.operation, XMLAny(text: "a")).text
            #expect((text == nil) == isMoved)
        }
    }

    /// One operation has no action, so that a message without `wsa:Action` must not match it.
    @Test func anEmptyActionIsNoAction() async throws {
        let operations = ["urn:approve", ""].map { action in
            ServiceOperation<XMLAny, XMLAny>(
                name: "x\(action)", soapAction: action, version: .soap11, input: XMLName("urn:echo", "Echo"),
                output: XMLName("urn:echo", "Echo"))
        }
        let dispatcher = ServiceDispatcher(
            name: "Echo", versions: [.soap11],
            routes: operations.map { operation in operation.route { _, _ in try XMLAny(text: operation.name) } })
        let service = InProcessTransport(dispatcher.verified(by: try verifier()))
        for operation in operations {
            await #expect(throws: SOAPFault.self) {
                try await caller(try header(), service).call(operation, XMLAny())
            }
        }
    }

    /// Of two signatures, each alone makes the message acceptable once.
    @Test func aMessageWithTwoSignaturesIsAcceptedOnce() async throws {
        let messages = Mutex<[String]>([])
        var attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        let profile = try SignatureProfile(client)
        attacker.request = { request in
            messages.withLock { $0.append(request) }
            return request
        }
        _ = try? await answer(try header(), attacker)
        let first = try #require(messages.withLock { $0.first })
        let twice = try await profile.sign(SOAPMessage(Array(first.utf8)), role: nil).envelope
        let service = Self.dispatcher.verified(by: try verifier())
        let once = try Parts(first).signature
        for (number, message) in [
            twice, Array(first.utf8), Array(String(decoding: twice, as: UTF8.self).replacing(once, with: "").utf8),
        ].enumerated() {
            let text = String(
                decoding: await service.respond(to: message, from: .init()).body.bytes ?? [], as: UTF8.self)
            #expect(text.contains("says hello") == (number == 0), "\(text)")
        }
    }

    @Test func blocksForRolesOfTheServiceMustBeUnderstood() async throws {
        for (role, isAccepted) in [("urn:gate", false), ("urn:other", true)] {
            var dispatcher = Self.dispatcher.verified(by: try verifier())
            dispatcher.roles = ["urn:gate"]
            var attacker = Attacker(dispatcher)
            attacker.request = { request in
                request.replacing(
                    "<soap:Header>",
                    with: "<soap:Header><w:W xmlns:w=\"urn:w\" soap:actor=\"\(role)\" soap:mustUnderstand=\"1\"/>")
            }
            let text = try? await answer(try header(), attacker)
            #expect((text != nil) == isAccepted, "\(role)")
        }
    }

    /// Invoices that are signed one by one do not count.
    @Test func signaturesInTheBodyAreNotCounted() async throws {
        let signature = "<d:Signature xmlns:d='http://www.w3.org/2000/09/xmldsig#'/>"
        let opened = try await exchanged("<x>\(String(repeating: signature, count: 40))</x>").opened
        #expect(opened.contains("d:Signature"))
    }

    /// Tokens that are none, in place of the one that the client has sent.
    @Test(arguments: [
        ("X509PKIPathv1", ""), ("X509PKIPathv1", "AAAA"), ("X509PKIPathv1", "MAA="), ("X509PKIPathv1", "MIAAAA=="),
        ("X509v3", ""), ("X509v3", "not base64"), ("X509v3", "MAA="), ("X509v3", "AAAA"), ("PKCS7", "MAA="),
        ("", "MAA="),
    ])
    func badTokensAreRefused(type: String, content: String) async throws {
        var attacker = Attacker(Self.dispatcher.verified(by: try verifier()))
        attacker.request = { request in
            request.replacing(#/(<wsse:BinarySecurityToken[^>]*>)[^<]*/#) { "\($0.output.1)\(content)" }
                .replacing(#/(<wsse:BinarySecurityToken[^>]*#)X509v3/#) { "\($0.output.1)\(type)" }
        }
        let error = await #expect(throws: ServiceError.self) { try await answer(try header(), attacker) }
        #expect(error?.code == .unverifiedFault, "\(String(describing: error))")
    }

    /// What surrounds a message that is to be signed, and where its blocks go.
    @Test func envelopesOfEveryShapeAreProtected() async throws {
        let soap = SOAPVersion.soap11.namespace
        for envelope in [
            "<s:Envelope xmlns:s='\(soap)'><s:Body/></s:Envelope>",
            "<s:Envelope xmlns:s='\(soap)'><s:Header/><s:Body/></s:Envelope>",
            "<?xml version='1.0'?><!-- a --><Envelope xmlns='\(soap)'><Header></Header><Body><a xmlns=''/></Body></Envelope>",
            "\u{FEFF}<s:Envelope xmlns:s='\(soap)'><s:Header><h:H xmlns:h='urn:h'/></s:Header><s:Body>é</s:Body></s:Envelope>",
        ] {
            let request = try await SignatureProfile(client).sign(
                SOAPMessage(
                    Array(
                        "<s:Envelope xmlns:s='\(soap)'><s:Header>\(Self.security)</s:Header><s:Body/></s:Envelope>".utf8
                    )),
                role: nil)
            var verifier = try verifier()
            verifier.policy = SignaturePolicy(signers: [client.leaf])
            let moment = Duration.seconds((client.leaf.notBefore ?? 0) + 60)
            verifier.policy.freshness = Freshness(maximumAge: .seconds(1 << 40), maximumClockLead: .seconds(1 << 40))
            verifier.now = { moment }
            var peer = PeerDescription()
            let opened = try await verifier.open(SOAPMessage(request.envelope), from: &peer, roles: [])
            let answer = try #require(opened.protect)
            let signed = try await answer(SOAPMessage(Array(envelope.utf8)))
            let read = try SignaturePolicy(signers: [server.leaf]).open(signed, now: moment)
            #expect(String(decoding: read.envelope, as: UTF8.self).contains("é") == envelope.contains("é"))
        }
        for bad in ["", "<a/>", "<s:Envelope xmlns:s='\(soap)'/>", "<s:Envelope xmlns:s='\(soap)'><s:Body/>"] {
            await #expect(throws: WSSecurityError.cannotSign, "\(bad)") {
                try await SignatureProfile(client).sign(SOAPMessage(Array(bad.utf8)), role: nil)
            }
        }
    }

    private static let security = """
        <w:Security xmlns:w="\(SecurityName.extensions)" xmlns:u="\(SecurityName.utility)"><u:Timestamp>\
        <u:Created>2026-11-22T20:15:00Z</u:Created></u:Timestamp></w:Security>
        """

    /// A trusted authority is not enough.
    @Test func anotherClientIsRefused() async throws {
        var header = try header()
        header.signature = try SignatureProfile(try authority.issueClient(commonName: "Other"))
        let service = InProcessTransport(Self.dispatcher.verified(by: try verifier()))
        await #expect(throws: ServiceError.self) { try await answer(header, service) }
        header.signature = try SignatureProfile(
            try CertificateAuthority().issueClient(commonName: "Clinic"))
        await #expect(throws: ServiceError.self) { try await answer(header, service) }
    }
}

extension WSSecurityError {
    fileprivate static let cannotSign = WSSecurityError(.cannotSign, "")
    fileprivate static let invalidAnswer = WSSecurityError(.invalidAnswer, "")
}

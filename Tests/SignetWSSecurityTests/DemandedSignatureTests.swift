import SignetCredentials
import SignetHTTP
import SignetSOAP
import SignetTLS
import SignetTesting
import SignetXML
import Synchronization
import Testing

@testable import SignetWSSecurity

/// Messages that are signed and encrypted because a WSDL demands it.
@Suite struct DemandedSignatureTests {
    private let authority: CertificateAuthority
    private let client: Identity
    private let server: Identity

    init() throws {
        authority = try CertificateAuthority()
        var profile = CertificateProfile.client
        // Without keyUsage, a key also decrypts.
        profile.signsCertificates = nil
        client = try authority.issueClient(commonName: "Clinic", profile)
        server = try authority.issueClient(commonName: "Registry", profile)
    }

    /// Passes messages on to a service, and counts them.
    private final class Recorder: ClientTransport {
        private let kept = Mutex<[String]>([])
        var requests: [String] { kept.withLock { $0 } }
        private let service: InProcessTransport

        init(_ dispatcher: ServiceDispatcher) { service = InProcessTransport(dispatcher) }

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            kept.withLock { $0.append(String(decoding: request.body.bytes ?? [], as: UTF8.self)) }
            return try await service.send(request)
        }

        func shutdown() async throws {}
    }

    private static let plain = ServiceDispatcher(
        name: "Echo", versions: [.soap11, .soap12], routes: [Echo.operation.route { input, _ in input }])

    /// A service that accepts what the client signs, and signs its answers.
    private func service(
        _ signed: Set<MessagePart> = [.body, .timestamp], change: (inout SignedMessageVerifier) -> Void = { _ in }
    ) throws -> Recorder {
        var policy = SignaturePolicy(signers: [client.leaf])
        policy.signed = signed
        var verifier = SignedMessageVerifier(policy, replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(server)
        change(&verifier)
        return Recorder(Self.plain.verified(by: verifier))
    }

    private func binding(
        _ suite: AsymmetricBinding.AlgorithmSuite = .basic256Sha256, client: CertificateReference = .certificate,
        service: CertificateReference = .issuerSerial, confirms: Bool = false,
        signed: Set<MessagePart> = [.body, .timestamp], encrypted: Set<MessagePart> = [],
        answer: AsymmetricBinding.Protection? = nil
    ) -> ServiceRequirement {
        let request = AsymmetricBinding.Protection(signed: signed, encrypted: encrypted)
        return .asymmetricBinding(
            AsymmetricBinding(
                suite, client: client, service: service, confirmsSignature: confirms, request: request,
                answer: answer ?? request))
    }

    private func port(_ requirements: ServiceRequirement...) -> ServicePort {
        ServicePort(name: "P", address: "https://localhost/", version: .soap11, requires: requirements)
    }

    private var answers: SignaturePolicy { SignaturePolicy(signers: [server.leaf]) }

    private func call(
        _ port: ServicePort, _ header: SecurityHeader, _ recorder: Recorder,
        _ change: (inout ServiceCaller) -> Void = { _ in }
    ) async throws -> String {
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: recorder)
        caller.version = .soap11
        caller.requirements = port.requirements
        caller.headerProviders = [header]
        change(&caller)
        return try await caller.call(Echo.operation, XMLAny(text: "canary")).text
    }

    @Test(arguments: CertificateReference.allCases)
    func theBindingConfiguresTheSignature(_ reference: CertificateReference) async throws {
        let service = try service()
        let port = port(.timestamp, binding(client: reference, confirms: false))
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        #expect(try await call(port, header, service) == "canary")
        let request = try #require(service.requests.first)
        #expect(request.contains("rsa-sha256") || request.contains("ecdsa-sha256"))
        #expect(request.contains("BinarySecurityToken") == [.certificate, .path].contains(reference))
        let marks: [CertificateReference: String] = [
            .path: "X509PKIPathv1", .issuerSerial: "<ds:X509IssuerName>CN=Test authority</ds:X509IssuerName>",
            .subjectKeyIdentifier: "#X509SubjectKeyIdentifier\"", .thumbprint: "#ThumbprintSHA1\"",
        ]
        for (other, mark) in marks { #expect(request.contains(mark) == (other == reference), "\(mark): \(request)") }
    }

    @Test func confirmationsAreDemanded() async throws {
        let port = port(.timestamp, binding(confirms: true))
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        let without = try service()
        await #expect(throws: WSSecurityError(.invalidAnswer, "")) { try await call(port, header, without) }
        let with = try service { $0.confirmsSignatures = true }
        #expect(try await call(port, header, with) == "canary")
    }

    @Test func withoutATimestampNothingDemandsOne() async throws {
        // As the Czech registry of sales has it.
        let service = try service([.body])
        let port = port(binding(signed: [.body]))
        #expect(
            try await call(port, SecurityHeader(for: port, identity: client, answers: answers), service) == "canary")
        #expect(service.requests.allSatisfy { !$0.contains("Timestamp") })
    }

    @Test func whatIsMissingIsNamedBeforeAnythingIsSent() async throws {
        let service = try service()
        let plain = port(.timestamp, binding())
        let encrypted = port(.timestamp, binding(encrypted: [.body], answer: .init(signed: [.body, .timestamp])))
        let attached = port(.timestamp, binding(answer: .init(signed: [.attachments])))
        for (port, header, word) in [
            (plain, SecurityHeader(for: plain), "an identity"),
            (plain, SecurityHeader(for: plain, identity: client), "answers, which"),
            (attached, SecurityHeader(for: attached, identity: client), "answers, which"),
            (encrypted, SecurityHeader(for: encrypted, identity: client, answers: answers), "encryptingFor"),
            // A header block that was not made for the port does not know what it demands.
            (plain, SecurityHeader(lifetime: .seconds(60)), "an identity"),
        ] {
            let error = await #expect(throws: WSSecurityError.self) { try await call(port, header, service) }
            #expect(error?.code == .missingCredentials && error?.message.contains(word) == true, "\(error as Any)")
        }
        await #expect(throws: ServiceError.self) {
            try await call(plain, SecurityHeader(), service) { $0.headerProviders = [] }
        }
        #expect(service.requests.isEmpty)
        let open = Recorder(Self.plain.verified(by: UnderstandsSecurity()))
        let text = try await call(plain, SecurityHeader(lifetime: .seconds(60)), open) {
            $0.uncheckedRequirements = [binding()]
        }
        #expect(text == "canary")
    }

    private struct UnderstandsSecurity: RequestVerifier {
        var understoodHeaderBlocks: Set<XMLName> { [SecurityName.security] }
        func verify(_ context: inout OperationContext) async throws {}
    }

    @Test func SHA1NeedsAPermission() async throws {
        let service = try service { $0.policy.acceptsSHA1 = true }
        let port = port(.timestamp, binding(.basic256, answer: .init()))
        var header = SecurityHeader(for: port, identity: client)
        let error = await #expect(throws: WSSecurityError.self) { try await call(port, header, service) }
        #expect(error?.code == .weakAlgorithm && error?.message.contains("allowsSHA1") == true)
        header.allowsSHA1 = true
        // Only RSA keys sign with SHA-1.
        await #expect(throws: WSSecurityError(.cannotSign, "")) { try await call(port, header, service) }
        let demanding = self.port(.timestamp, binding(.basic256))
        header = SecurityHeader(for: demanding, identity: client, answers: answers)
        header.allowsSHA1 = true
        let other = await #expect(throws: WSSecurityError.self) { try await call(demanding, header, service) }
        #expect(other?.code == .weakAlgorithm && other?.message.contains("acceptsSHA1") == true)
        #expect(service.requests.isEmpty)
    }

    @Test(arguments: [
        (AsymmetricBinding.AlgorithmSuite.basic256Sha256, "aes256-cbc"), (.basic192Sha256, "aes192-cbc"),
        (.basic128Sha256, "aes128-cbc"),
    ])
    func theBindingConfiguresTheEncryption(
        _ suite: AsymmetricBinding.AlgorithmSuite, _ cipher: String
    ) async throws {
        let service = try service { verifier in
            verifier.policy.decryption = DecryptionPolicy([server])
            verifier.policy.decryption?.acceptsCBC = true
            verifier.answerEncryption = .aes256CBC
        }
        let port = port(.timestamp, binding(suite, service: .subjectKeyIdentifier, encrypted: [.body]))
        var answers = answers
        var header = SecurityHeader(for: port, identity: client, answers: answers, encryptingFor: server.leaf)
        let error = await #expect(throws: WSSecurityError.self) { try await call(port, header, service) }
        #expect(error?.code == .weakAlgorithm && error?.message.contains("acceptsCBC") == true)
        answers.decryption = DecryptionPolicy([client])
        answers.decryption?.acceptsCBC = true
        answers.decryption?.encrypted = []
        header = SecurityHeader(for: port, identity: client, answers: answers, encryptingFor: server.leaf)
        #expect(try await call(port, header, service) == "canary")
        let request = try #require(service.requests.first)
        #expect(!request.contains("canary") && request.contains(cipher))
        #expect(request.contains("X509SubjectKeyIdentifier"))
        // An answer in the clear is refused.
        let clear = try self.service { verifier in
            verifier.policy.decryption = DecryptionPolicy([server])
            verifier.policy.decryption?.acceptsCBC = true
        }
        await #expect(throws: WSSecurityError(.invalidAnswer, "")) { try await call(port, header, clear) }
    }

    /// Ed25519 belongs to none of the suites.
    @Test func aKeyThatTheSuiteDoesNotKnowIsRefused() async throws {
        let service = try service()
        let port = port(.timestamp, binding())
        let other = try await KeyPair.generate(.ed25519).selfSignedIdentity(
            subject: .init(commonName: "Ed"), notBefore: 0, notAfter: 1 << 33)
        let error = await #expect(throws: WSSecurityError.self) {
            try await call(port, SecurityHeader(for: port, identity: other, answers: answers), service)
        }
        #expect(error?.code == .cannotSign && error?.message.contains("give an identity") == true)
        #expect(service.requests.isEmpty)
    }

    @Test func theDemandOfAnOperationTakesThePlaceOfThatOfItsPort() async throws {
        let service = try service([.body])
        let port = port(.timestamp, binding())
        let operation = ServiceOperation<XMLAny, XMLAny>(
            name: "Echo", soapAction: "", version: .soap11, input: XMLName("urn:echo", "Echo"),
            output: XMLName("urn:echo", "Echo"), requires: [binding(client: .thumbprint, signed: [.body])])
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: service)
        caller.version = .soap11
        caller.requirements = port.requirements
        caller.headerProviders = [SecurityHeader(for: port, identity: client, answers: answers)]
        #expect(try await caller.call(operation, XMLAny(text: "a")).text == "a")
        let request = try #require(service.requests.first)
        #expect(request.contains("ThumbprintSHA1") && !request.contains("BinarySecurityToken"))
    }

    @Test func headerBlocksAreSignedWhenThereAreSome() async throws {
        let to = XMLName("http://www.w3.org/2005/08/addressing", "To")
        let port = port(
            .timestamp, binding(signed: [.body, .timestamp, .headerBlock(to), .headerBlocks(.init("urn:x"))]))
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        let plain = try service()
        #expect(try await call(port, header, plain) == "canary")
        let signed = try service([.body, .timestamp, .headerBlock(to)])
        await #expect(throws: (any Error).self) { try await call(port, header, signed) }
        let text = try await call(port, header, signed) { caller in
            caller.headerBlocks = [HeaderBlock(to, text: "urn:you")]
        }
        #expect(text == "canary")
    }

    @Test func operationsOfOnePortHaveTheirOwnDemand() async throws {
        let port = ServicePort(
            name: "P", address: "https://localhost/", version: .soap11,
            requires: [.timestamp, binding(signed: [.timestamp], answer: .init(signed: [.timestamp]))],
            operations: ["Echo": [binding(client: .thumbprint)]])
        let service = try service()
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        #expect(try await call(port, header, service) == "canary")
        #expect(service.requests.first?.contains("ThumbprintSHA1") == true)
        // The caller knows it from the configuration as well.
        let plain = SecurityHeader(lifetime: .seconds(60))
        await #expect(throws: WSSecurityError(.missingCredentials, "")) {
            try await call(port, plain, service) {
                $0.requirements = []
                $0.operationRequirements = port.operations
            }
        }
    }

    @Test func aDemandThatIsNotMetIsNotWeakened() async throws {
        let service = try service([.body])
        let demand = ServiceRequirement.unsupported("an element named by XPath (SignedElements)")
        let port = ServicePort(
            name: "P", address: "https://localhost/", version: .soap11,
            requires: [.timestamp, binding(signed: [.timestamp])], operations: ["Echo": [demand]])
        var header = SecurityHeader(for: port, identity: client, answers: answers)
        let error = await #expect(throws: ServiceError.self) {
            try await call(port, header, service) { $0.operationRequirements = port.operations }
        }
        #expect(error?.code == .unmetRequirement && error?.message.contains("SignedElements") == true)
        #expect(service.requests.isEmpty)
        header.signature = try SignatureProfile(client)
        header.signature?.parts = [.body]
        let text = try await call(port, header, service) {
            $0.operationRequirements = port.operations
            $0.uncheckedRequirements = [demand]
        }
        #expect(text == "canary")
    }

    /// A block for another node is not what the service demands, and an empty one is no signature.
    @Test func aHeaderBlockForAnotherRoleMeetsNoDemand() async throws {
        let service = try service()
        for role in [SOAPRole("urn:other"), .ultimateReceiver] {
            var header = SecurityHeader(lifetime: .seconds(60))
            header.role = role
            let wrong = header
            await #expect(throws: (any Error).self) { try await call(port(.timestamp, binding()), wrong, service) }
        }
        let empty = HeaderBlock(SecurityName.security, text: "")
        await #expect(throws: ServiceError.self) {
            try await call(port(binding()), SecurityHeader(), service) {
                $0.headerProviders = []
                $0.headerBlocks = [empty]
            }
        }
        #expect(service.requests.isEmpty)
    }

    /// The header block knows what the port demands, whatever the configuration says.
    @Test func aHeaderBlockForAPortRefusesWhatIsNotDone() async throws {
        let service = try service()
        let port = ServicePort(
            name: "P", address: "https://localhost/", version: .soap11, requires: [.timestamp, binding()],
            operations: ["Echo": [.unsupported("what nobody does")]])
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        await #expect(throws: WSSecurityError(.cannotSign, "")) {
            try await call(port, header, service) { $0.requirements = [] }
        }
        #expect(service.requests.isEmpty)
    }

    /// A program that signs by its own settings says itself what the answers must have.
    @Test func ownSettingsNeedNoAnswers() async throws {
        let service = try service()
        let port = port(.timestamp, binding(.basic256))
        var header = SecurityHeader(for: port)
        header.signature = try SignatureProfile(client)
        #expect(try await call(port, header, service) == "canary")
    }

    /// A token that the policies only allow is not put unsigned into a signed message.
    @Test func acceptedTokensStayOutOfSignedMessages() async throws {
        let service = try service()
        let port = ServicePort(
            name: "P", address: "https://localhost/", version: .soap11, requires: [.timestamp, binding()],
            accepts: [.usernameToken(.text)])
        let header = SecurityHeader(
            for: port, user: "ada", password: "secret", identity: client, answers: answers)
        #expect(try await call(port, header, service) == "canary")
        #expect(service.requests.allSatisfy { !$0.contains("UsernameToken") })
    }

    /// The token of another party stays as it is.
    @Test func onlyTheTokenOfTheSignerIsSigned() async throws {
        let service = try service([.body, .timestamp, .signingToken])
        let other = CertificateToken.text(server.leaf.der, CertificateToken.certificate, identifier: "other")
        for usesTransform in [false, true] {
            var header = SecurityHeader(lifetime: .seconds(60))
            header.signature = try SignatureProfile(client)
            header.signature?.parts.insert(.signingToken)
            header.signature?.usesTokenTransform = usesTransform
            header.tokens = [try XMLFragment(parsing: other)]
            #expect(try await call(port(), header, service) == "canary")
            #expect(service.requests.last?.contains(other) == true)
        }
    }

    @Test func aRequestWithNothingToProtectNeedsNoHeaderBlock() async throws {
        let open = Recorder(Self.plain)
        let port = port(binding(signed: [], answer: .init()))
        #expect(try await call(port, SecurityHeader(for: port, identity: client), open) == "canary")
        let absent = self.port(binding(signed: [.headerBlocks(.init("urn:x"))], answer: .init()))
        let service = Recorder(Self.plain.verified(by: UnderstandsSecurity()))
        #expect(try await call(absent, SecurityHeader(for: absent, identity: client), service) == "canary")
        #expect(service.requests.allSatisfy { !$0.contains("<ds:Signature") })
        var profile = try SignatureProfile(client)
        profile.parts = [.addressing]
        var header = SecurityHeader()
        header.signature = profile
        let empty = header
        await #expect(throws: WSSecurityError(.cannotSign, "")) { try await call(self.port(), empty, service) }
    }

    /// What the policies want signed in answers, an attacker cannot put in unsigned.
    @Test func unsignedHeaderBlocksOfAnswersAreRefused() async throws {
        let to = XMLName("http://www.w3.org/2005/08/addressing", "RelatesTo")
        let port = port(
            .timestamp, binding(answer: .init(signed: [.body, .timestamp, .headerBlocks(to.namespace)])))
        let header = SecurityHeader(for: port, identity: client, answers: answers)
        let plain = try service()
        #expect(try await call(port, header, plain) == "canary")
        let added = Adding(service: try service(), block: "<a:RelatesTo xmlns:a=\"\(to.namespace)\">x</a:RelatesTo>")
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: added)
        caller.version = .soap11
        caller.headerProviders = [header]
        let attacked = caller
        await #expect(throws: WSSecurityError(.invalidAnswer, "")) {
            try await attacked.call(Echo.operation, XMLAny(text: "a"))
        }
    }

    /// Puts a header block into answers.
    private struct Adding: ClientTransport {
        var service: Recorder
        var block: String

        func send(_ request: ClientRequest) async throws -> ClientResponse {
            var response = try await service.send(request)
            let text = String(decoding: response.body, as: UTF8.self)
            response.body = Array(text.replacing("</s:Header>", with: block + "</s:Header>", maxReplacements: 1).utf8)
            return response
        }

        func shutdown() async throws {}
    }

    @Test func whatTheProgramSetsIsSentInstead() async throws {
        let service = try service([.body])
        let port = port(.timestamp, binding())
        var header = SecurityHeader(for: port, answers: answers)
        header.signature = try SignatureProfile(client)
        header.signature?.parts = [.body]
        header.signature?.reference = .thumbprint
        #expect(try await call(port, header, service) == "canary")
        #expect(service.requests.allSatisfy { $0.contains("ThumbprintSHA1") })
    }
}

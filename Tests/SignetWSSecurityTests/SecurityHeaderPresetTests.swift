import SignetCredentials
import SignetSOAP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetWSSecurity

/// The forms that services demand, as far as their descriptions say them.
@Suite struct SecurityHeaderPresetTests {
    private static let identity = Task {
        try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "company"), notBefore: 0, notAfter: 1 << 32)
    }

    private struct Sent: Error {}

    /// The message that a client sends.
    private func message(_ header: SecurityHeader, _ others: any HeaderBlockProvider...) async throws -> String {
        final class Wire: ClientTransport {
            let message = Mutex("")

            func send(_ request: ClientRequest) async throws -> ClientResponse {
                message.withLock { $0 = String(decoding: request.body.bytes ?? [], as: UTF8.self) }
                throw Sent()
            }

            func shutdown() async throws {}
        }
        let wire = Wire()
        var caller = ServiceCaller(endpoint: try Endpoint("https://localhost/"), transport: wire)
        caller.headerProviders = others + [header]
        await #expect(throws: (any Error).self) { try await caller.call(Echo.operation, XMLAny(text: "hello")) }
        return wire.message.withLock { $0 }
    }

    @Test(arguments: [false, true]) func digikoppeling(encrypts: Bool) async throws {
        let identity = try await Self.identity.value
        let service = try await KeyPair.generate(.rsa(bits: 2048)).selfSignedIdentity(
            subject: .init(commonName: "service"), notBefore: 0, notAfter: 1 << 32)
        let header = try SecurityHeader.digikoppeling(
            identity, answers: SignaturePolicy(signers: [service.leaf]), encryptingFor: encrypts ? service.leaf : nil)
        var addressing = AddressingHeader()
        addressing.actions = ["Echo": "urn:echo:action"]
        let message = try await message(header, addressing)
        // The Timestamp, the Body, and To, Action, MessageID and ReplyTo.
        #expect(message.matches(of: #/<ds:Reference /#).count >= 5, "\(message)")
        #expect(message.contains("xml-exc-c14n#") && message.contains("X509v3") && message.contains("<wsu:Timestamp"))
        #expect(message.contains("hello") != encrypts && message.contains("<ds:SignatureValue>"))
        // The whole exchange, with a service in the same form.
        var policy = SignaturePolicy(signers: [identity.leaf])
        policy.signed.insert(.addressing)
        if encrypts { policy.decryption = DecryptionPolicy([service]) }
        var verifier = SignedMessageVerifier(policy, replayCache: MemoryReplayCache())
        verifier.signature = try SignatureProfile(service)
        verifier.confirmsSignatures = true
        if encrypts { verifier.answerEncryption = .aes256GCM }
        let dispatcher = Echo.dispatcher.verified(by: verifier).verified(by: AddressingVerifier(isRequired: true))
        var caller = ServiceCaller(
            endpoint: try Endpoint("https://localhost/"), transport: InProcessTransport(dispatcher))
        caller.headerProviders = [addressing, header]
        #expect(try await caller.call(Echo.operation, XMLAny(text: "hello")).text == "nobody")
    }

    @Test func satAuthentication() async throws {
        let message = try await message(try SecurityHeader.satAuthentication(try await Self.identity.value))
        let references = message.matches(of: #/<ds:Reference URI="#([^"]*)"/#).map(\.output.1)
        #expect(references.count == 1 && references.first?.hasPrefix("Timestamp") == true, "\(message)")
        #expect(message.contains("xmldsig#rsa-sha1") && message.contains("xmldsig#sha1"))
        #expect(!message.contains("sha256") && message.contains("X509v3"))
        let elliptic = try CertificateAuthority().issueClient()
        #expect(throws: WSSecurityError(.cannotSign, "")) { try SecurityHeader.satAuthentication(elliptic) }
    }
}

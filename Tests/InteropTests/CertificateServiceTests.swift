import CorpusFiles
import Foundation
import Signet
import SignetEnrollment
import TestSupport
import Testing

#if CORPUS
import CorpusServices
#endif

/// PKCS#10 in an operation of a service's own: that of a research network, which PHP serves from its WSDL, in SOAP's encoding.
@Suite(.serialized, .enabled(if: Corpus.isExpected, "SIGNET_CORPUS is not set"), .timeLimit(.minutes(15)))
struct CertificateServiceTests {
    #if CORPUS
    /// The service numbers requests, and gives the certificate for a number once a person has decided.
    private struct ServiceEnroller: Enroller {
        let client: DFN.Client
        /// SHA-1 of a secret that the client chooses.
        let pin = "da39a3ee5e6b4b0d3255bfef95601890afd80709"

        func demands(_ identity: Identity?) async throws -> EnrollmentDemands {
            var demands = EnrollmentDemands()
            demands.key = .rsa(bits: 2048)
            return demands
        }

        func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
            guard let reference = request.reference else {
                let pem = String(decoding: request.content.pem, as: UTF8.self)
                let answer = try await client.newRequest(
                    .init(raID: 7, pkcs10: pem, role: "User", pin: pin, addName: "Device 7", publish: false))
                return .pending(after: .seconds(1), reference: "\(answer.newRequestReturn)")
            }
            guard let serial = Int32(reference) else {
                throw EnrollmentError(.malformedAnswer, "“\(reference)” is no number of a request.")
            }
            let answer = try await client.getCertificateByRequestSerial(.init(raID: 7, serial: serial, pin: pin))
            guard let text = answer.getCertificateByRequestSerialReturn, !text.isEmpty else {
                return .pending(after: .seconds(1), reference: reference)
            }
            return .issued(try CertificateBundle(pem: Array(text.utf8)).certificates)
        }
    }

    @Test func theServicesOwnOperationIsAnEnroller() async throws {
        let openssl = try OpenSSL()
        defer { openssl.remove() }
        try openssl.makeRoot("ca", subject: "/O=Network/CN=users")
        let wsdl = try Corpus.file("wsdl/dfn-pki/pki.pca.dfn.de.wsdl")
        let service = PHPService(
            script: "dfn_server.php", wsdl: wsdl, environment: ["SIGNET_AUTHORITY": openssl.folder.path])
        try await service.run { port async throws in
            let client = DFN.Client(
                try ServiceConfiguration(DFN.Ports.dfncertPublic, address: "http://127.0.0.1:\(port)/"))
            let store = MemoryIdentityStore()
            var replacement = IdentityReplacement(of: "user", in: store, provedBy: .none)
            replacement.requirements.authorities = .anchors(try openssl.bundle("ca"))
            var enrollment = Enrollment(
                with: ServiceEnroller(client: client), as: try SubjectName("CN=Device 7,O=Network"), into: replacement)
            enrollment.patience = .milliseconds(1)
            let hasty = enrollment
            await #expect(throws: EnrollmentError(.pending, "")) { try await hasty.run() }
            #expect(await store.labels() == ["user.requested"])
            enrollment.patience = .seconds(300)
            let identity = try await enrollment.run()
            #expect(await store.labels() == ["user"])
            #expect(identity.leaf.subject == "CN=Device 7, O=Network" && KeyPair(of: identity).kind == .rsa(bits: 2048))
            let log = String(decoding: try openssl.bytes("log"), as: UTF8.self)
            #expect(log == "new 7 User\nget 1001\nget 1001\n")
            try await client.shutdown()
        }
    }
    #else
    @Test func theServicesOwnOperationIsAnEnroller() { Issue.record("SIGNET_CORPUS is not set") }
    #endif
}

import Foundation
import ReferenceServices
import Signet
import SignetEnrollment
import TestSupport
import Testing

/// A bank's certificate service in Python, which takes a signed document in a message of its WSDL. The library signxml verifies
/// the renewals, and signs the answers.
@Suite(.serialized, .timeLimit(.minutes(15))) struct BankEnrollmentTests {
    private struct Line: Decodable {
        let customer: String
        let known: String
        let names: [String]
        let body: String
    }

    private let openssl: OpenSSL
    private let port: Int

    init() throws {
        openssl = try OpenSSL()
        port = try Port.free()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=customers")
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1", rsa: true)
        try openssl.issue("bank", by: "ca", "keyUsage=digitalSignature", rsa: true)
    }

    private func serve<Value: Sendable>(
        _ modes: String..., during body: () async throws -> Value
    ) async throws -> Value {
        try await PeerProcess.python(
            "bank_server.py", by: Tool.python, in: openssl.folder, port: port, modes, during: body)
    }

    /// Enrolls a customer as “device”.
    private func enroll(into store: MemoryIdentityStore, transferKey: String?) async throws -> Identity {
        let trust = try TrustPolicy.anchors(openssl.bundle("ca"))
        var configuration = try ServiceConfiguration(
            CertificateService.Ports.certificateServicePort, address: "https://localhost:\(port)/")
        configuration.connection.trust = trust
        let client = CertificateService.Client(configuration)
        let enroller = BankEnroller(
            client: client, customer: "4711", transferKey: transferKey,
            bank: try openssl.bundle("bank").certificates, intermediates: try openssl.bundle("ca").certificates)
        var replacement = IdentityReplacement(of: "device", in: store, provedBy: .none)
        replacement.requirements.authorities = trust
        let enrollment = Enrollment(with: enroller, as: try SubjectName("CN=4711,O=Customer"), into: replacement)
        let result: Result<Identity, any Error>
        do { result = .success(try await enrollment.run()) } catch { result = .failure(error) }
        try await client.shutdown()
        return try result.get()
    }

    @Test func aRenewalIsSignedWithTheFormerKey() async throws {
        let store = MemoryIdentityStore()
        try await serve { () async throws in
            let first = try await enroll(into: store, transferKey: "1234567890123456")
            let second = try await enroll(into: store, transferKey: nil)
            #expect(second.leaf.publicKeySHA256 != first.leaf.publicKeySHA256)
            #expect(await store.identity(label: "device") == second && second.leaf.subject == "CN=4711, O=Customer")
            let log = try openssl.log(of: Line.self)
            try openssl.write(CertificateBundle([first.leaf]).pem, "first.pem")
            let serial = try openssl("x509 -in first.pem -noout -serial").lowercased()
            #expect(log.count == 2 && log.allSatisfy { $0.customer == "4711" })
            #expect(log[0].known == "transfer key" && log[0].names.last == "TransferKey")
            #expect(serial.contains(log[1].known) && log[1].names.last == "Content", "\(serial) \(log[1].known)")
            for (identity, line) in zip([first, second], log) {
                let body = try #require(Data(base64Encoded: line.body))
                #expect(try body.firstRange(of: identity.secretBytes) == nil)
            }
        }
    }

    @Test func aUsedTransferKeyIsRefused() async throws {
        try await serve { () async throws in
            _ = try await enroll(into: MemoryIdentityStore(), transferKey: "1234567890123456")
            let store = MemoryIdentityStore()
            let error = await #expect(throws: EnrollmentError.self) {
                try await enroll(into: store, transferKey: "1234567890123456")
            }
            #expect(error?.code == .refused && error?.message.contains("Wrong transfer key (26)") == true)
            #expect(await store.labels() == ["device.requested"])
        }
    }

    @Test(arguments: [
        ("unsigned", EnrollmentError.Code.unverifiedAnswer), ("changed", .unverifiedAnswer),
        ("other-signer", .unverifiedAnswer), ("html", .unverifiedAnswer), ("other-key", .wrongKey),
    ])
    func anAnswerThatIsNotTheBanksChangesNothing(mode: String, code: EnrollmentError.Code) async throws {
        let store = MemoryIdentityStore()
        let before = try await serve { () async throws in
            try await enroll(into: store, transferKey: "1234567890123456")
        }
        try await serve(mode) { () async throws in
            let error = await #expect(throws: EnrollmentError.self) { try await enroll(into: store, transferKey: nil) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(await store.identity(label: "device") == before)
        }
    }
}

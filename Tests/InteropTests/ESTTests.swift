import Foundation
import Signet
import SignetEnrollment
import SignetNIOTransport
import SignetTesting
import TestSupport
import Testing

/// Enrollment at a server that was written independently, in Python.
@Suite(.serialized, .timeLimit(.minutes(15))) struct ESTTests {
    private struct Line: Decodable {
        let method: String
        let path: String
        let body: String?
        let type: String?
        let encoding: String?
        let authorization: String?
    }

    private let openssl: OpenSSL
    private let port: Int

    init() throws {
        openssl = try OpenSSL()
        port = try Port.free()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices")
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try openssl.issue("distribution", by: "ca", "extendedKeyUsage=clientAuth")
    }

    private var endpoint: Endpoint { get throws { try Endpoint("https://localhost:\(port)") } }
    private var trust: TrustPolicy { get throws { .anchors(try openssl.bundle("ca")) } }

    /// Runs the server.
    private func serve<Value: Sendable>(
        _ modes: String..., during body: () async throws -> Value
    ) async throws -> Value {
        try await PeerProcess.python("est_server.py", in: openssl.folder, port: port, modes, during: body)
    }

    private func transport(password: String? = nil) throws -> IdentityTransport {
        let origin = try endpoint.origin
        return { identity, trust in
            var connection = ConnectionConfiguration()
            connection.trust = trust
            connection.identity = identity.map { .fixed($0) }
            if let password {
                connection.authentication.credentials = .fixed(.account(user: "device", password: password))
            }
            return try NIOTransport(to: origin, connection)
        }
    }

    /// A call that shows which identity the server sees.
    private var proof: IdentityProof {
        get throws {
            let address = try Endpoint("https://localhost:\(port)/.well-known/est/cacerts")
            return IdentityProof(trust: try trust, over: try transport()) { transport in
                let response = try await transport.send(ClientRequest(address, method: .get))
                guard response.status == .ok else { throw EnrollmentError(.refused, "\(response.status)") }
            }
        }
    }

    private func enrollment(
        _ store: any IdentityStore, password: String? = nil, path: String = "", retiring: String? = nil
    ) throws -> Enrollment {
        let address = try Endpoint("https://localhost:\(port)\(path)")
        var enroller = try ESTEnroller(at: address, trust: try trust, over: try transport(password: password))
        enroller.deadlines = .patient
        var replacement = IdentityReplacement(of: "device", in: store, retiring: retiring, provedBy: try proof)
        replacement.requirements.authorities = try trust
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7,O=Bank"), into: replacement)
        enrollment.alternativeNames = [.dns("device-7.bank.example")]
        return enrollment
    }

    private func distribution() throws -> MemoryIdentityStore {
        MemoryIdentityStore(["distribution": try openssl.identity("distribution")])
    }

    private var log: [Line] { get throws { try openssl.log() } }

    /// No request has the private key.
    private func expectNoKey(_ identity: Identity) throws {
        let secret = try identity.secretBytes
        let bodies = try log.compactMap(\.body).map { try #require(Data(base64Encoded: $0)) }
        #expect(!bodies.isEmpty && bodies.allSatisfy { $0.firstRange(of: secret) == nil })
    }

    @Test(arguments: ["", "tls12", "der", "required"])
    func theDistributionBecomesTheDevicesOwn(mode: String) async throws {
        let store = try distribution()
        try await serve(mode) { () async throws in
            let identity = try await enrollment(store, retiring: "distribution").run()
            #expect(await store.labels() == ["device"])
            #expect(identity.leaf.subject == "CN=device 7, O=Bank")
            let posts = try log.filter { $0.method == "POST" }
            #expect(posts.map(\.path) == ["/.well-known/est/simpleenroll"])
            #expect(posts.first?.type == "application/pkcs10" && posts.first?.encoding == nil)
            try expectNoKey(identity)
            // The renewal shows the device's own, with its subject and names, and another key.
            let renewed = try await enrollment(store).run()
            #expect(try log.last { $0.method == "POST" }?.path == "/.well-known/est/simplereenroll")
            #expect(renewed.leaf.publicKeySHA256 != identity.leaf.publicKeySHA256)
            try openssl.write(CertificateBundle([renewed.leaf]).pem, "renewed.pem")
            let text = try openssl("x509 -in renewed.pem -noout -ext subjectAltName")
            #expect(text.contains("DNS:device-7.bank.example"), "\(text)")
            #expect(await store.identity(label: "device") == renewed)
        }
    }

    @Test(arguments: ["", "digest"]) func aPasswordInPlaceOfAnIdentity(mode: String) async throws {
        try await serve(mode) { () async throws in
            let store = MemoryIdentityStore()
            let identity = try await enrollment(store, password: "enroll me", path: "/.well-known/est/devices").run()
            #expect(await store.identity(label: "device") == identity)
            #expect(try log.last { $0.method == "POST" }?.path == "/.well-known/est/devices/simpleenroll")
            await #expect(throws: AuthenticationError.self) {
                try await enrollment(MemoryIdentityStore(), password: "wrong").run()
            }
        }
    }

    @Test func theIdentityAndAPassword() async throws {
        try await serve("both", "digest") { () async throws in
            let store = try distribution()
            let identity = try await enrollment(store, password: "enroll me", retiring: "distribution").run()
            #expect(await store.identity(label: "device") == identity)
        }
    }

    @Test func theAuthorityDecidesLater() async throws {
        try await serve("pending") { () async throws in
            let store = try distribution()
            _ = try await enrollment(store, retiring: "distribution").run()
            let posts = try log.filter { $0.method == "POST" }
            #expect(posts.count == 3 && Set(posts.map(\.body)).count == 1)
        }
    }

    /// Each has its own error, and changes nothing.
    @Test(
        arguments: [
            ("forever", .pending), ("html", .malformedAnswer), ("other-key", .wrongKey), ("expired", .wrongValidity),
            ("server-usage", .wrongUsage), ("other-subject", .wrongSubject), ("other-ca", .unknownAuthority),
            ("refuse", .refused), ("huge", nil),
            // challengePassword: a proof that is bound to the connection.
            ("attributes:300b06092a864886f70d010907", .channelBindingRequired),
            // RSA of 512 bits.
            ("attributes:30133011" + "06092a864886f70d010101" + "310402020200", .unsupported),
            ("attributes:0500", .malformedAnswer),
        ] as [(String, EnrollmentError.Code?)])
    func aBadAnswerChangesNothing(mode: String, code: EnrollmentError.Code?) async throws {
        try await serve(mode) { () async throws in
            let old = try openssl.identity("distribution")
            let store = MemoryIdentityStore(["distribution": old])
            var enrollment = try enrollment(store, retiring: "distribution")
            enrollment.patience = code == .pending ? .seconds(2) : .seconds(300)
            do {
                _ = try await enrollment.run()
                Issue.record("\(mode) was accepted")
            } catch {
                if let code {
                    #expect((error as? EnrollmentError)?.code == code, "\(mode): \(error)")
                } else {
                    #expect((error as? TransportError)?.code == .responseTooLarge, "\(mode): \(error)")
                }
            }
            #expect(await store.identity(label: "distribution") == old)
            #expect(await store.identity(label: "device") == nil)
            #expect(await store.identity(label: "device.new") == nil)
        }
    }

    @Test func theAuthoritySaysWhichKeyItWants() async throws {
        // ecPublicKey on P-384, and an extension with a value.
        let curve = "3012" + "06072a8648ce3d0201" + "3107" + "06052b81040022"
        let extensions =
            "301f" + "06092a864886f70d01090e" + "3112" + "3010"
            + "300e0603551d0f0101ff0404030203f8".replacing(
                "0404030203f8", with: "0404030203a8")
        try await serve("attributes:3035" + curve + extensions) { () async throws in
            let store = try distribution()
            let identity = try await enrollment(store, retiring: "distribution").run()
            #expect(KeyPair(of: identity).kind == .p384)
            let body = try #require(try log.last { $0.method == "POST" }?.body)
            try openssl.write(Array(Data(base64Encoded: body) ?? Data()), "request.der")
            let text = try openssl("req -in request.der -inform DER -verify -noout -text")
            #expect(
                text.contains("Key Usage: critical") && text.contains("Digital Signature, Key Encipherment"), "\(text)")
        }
    }

    @Test func theAuthorityMakesTheKey() async throws {
        try await serve { () async throws in
            let enroller = try ESTEnroller(at: try endpoint, trust: try trust, over: try transport())
            let identity = try await enroller.identityWithKeyOfAuthority(
                subject: try SubjectName("CN=device 7,O=Bank"), showing: try openssl.identity("distribution"))
            let store = try distribution()
            let replacement = IdentityReplacement(of: "device", in: store, provedBy: try proof)
            try await replacement.replace(with: identity)
            #expect(await store.identity(label: "device") == identity)
        }
    }

    @Test func aFingerprintIsEnoughToBegin() async throws {
        try await serve { () async throws in
            let origin = try endpoint.origin
            let bootstrap = ESTBootstrap(at: try endpoint) { trust in
                var connection = ConnectionConfiguration()
                connection.trust = trust
                return try NIOTransport(to: origin, connection)
            }
            let authority = try #require(try openssl.bundle("ca").certificates.first)
            let found = try await bootstrap.trust(sha256: authority.sha256)
            let enroller = try ESTEnroller(at: try endpoint, trust: found, over: try transport())
            #expect(try await enroller.authorities().certificates == [authority])
            let error = await #expect(throws: EnrollmentError.self) {
                try await bootstrap.trust(sha256: [UInt8](repeating: 1, count: 32))
            }
            #expect(error?.code == .wrongFingerprint && error?.message.contains("CN=devices, O=Bank") == true)
            await #expect(throws: EnrollmentError(.wrongFingerprint, "")) { try await bootstrap.trust(sha256: [1, 2]) }
            // The server was not told who the client is.
            #expect(try log.allSatisfy { $0.authorization == "" })
        }
        // A transport that would tell it is not used.
        let loaded = try transport(password: "enroll me")
        await #expect(throws: EnrollmentError(.unsupported, "")) {
            try await ESTBootstrap(at: try endpoint) { try loaded(nil, $0) }.trust(
                sha256: .init(repeating: 1, count: 32))
        }
        for address in ["https://localhost/est?x", "http://localhost/est"] {
            let endpoint = try Endpoint(address)
            #expect(throws: EnrollmentError(.unsupported, "")) {
                try ESTEnroller(at: endpoint, trust: .system) { _, _ in throw CancellationError() }
            }
        }
    }

    /// The answer has the certificate alone, below an authority that the service does not know by itself.
    @Test func theChainIsCompleted() async throws {
        try openssl.issue("middle", by: "ca", "basicConstraints=critical,CA:TRUE", subject: "/O=Bank/CN=devices 4")
        try await serve("below") { () async throws in
            let store = try distribution()
            let identity = try await enrollment(store, retiring: "distribution").run()
            #expect(identity.chain.map(\.subject) == ["CN=device 7, O=Bank", "CN=devices 4, O=Bank"])
        }
    }

    /// An identity goes to its own origin only.
    @Test func aTransportForAnotherOriginIsNoticed() async throws {
        let enroller = try ESTEnroller(at: try endpoint, trust: try trust) { identity, trust in
            var connection = ConnectionConfiguration()
            connection.trust = trust
            connection.identity = identity.map { .fixed($0) }
            return try NIOTransport(to: try Endpoint("https://elsewhere.example/").origin, connection)
        }
        let error = await #expect(throws: EnrollmentError.self) {
            try await enroller.demands(try openssl.identity("distribution"))
        }
        #expect(error?.message.contains("shows no identity to https://localhost") == true)
    }

    @Test func onlyTLS() throws {
        #expect(throws: EnrollmentError(.unsupported, "")) {
            try ESTEnroller(at: try Endpoint("http://localhost/"), trust: .system) { _, _ in throw CancellationError() }
        }
    }
}

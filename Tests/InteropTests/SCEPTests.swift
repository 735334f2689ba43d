import Foundation
import Signet
import SignetCredentials
import SignetEnrollment
import SignetNIOTransport
import SignetTesting
import TestSupport
import Testing

/// Enrollment by SCEP (RFC 8894) at a server that was written independently in Python, and at Debian's scepserver.
@Suite(.serialized, .timeLimit(.minutes(15))) struct SCEPTests {
    private struct Line: Decodable {
        let method: String?
        let path: String?
        let operation: String?
        let message: String?
        let type: String?
        let transaction: String?
        let plain: String?
        let challenge: String?
        let cipher: String?
        let signer: String?
        let selfSigned: Bool?
    }

    private let openssl: OpenSSL
    private let port: Int

    init() throws {
        openssl = try OpenSSL()
        port = try Port.free()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices", rsa: true)
    }

    private var fingerprint: [UInt8] {
        get throws { try #require(try openssl.bundle("ca").certificates.first?.sha256) }
    }

    private func serve<Value: Sendable>(
        _ modes: String..., during body: () async throws -> Value
    ) async throws -> Value {
        try await PeerProcess.python("scep_server.py", in: openssl.folder, port: port, modes, during: body)
    }

    /// The messages that the server read, without its other lines.
    private var messages: [Line] { get throws { try log.filter { $0.transaction != nil } } }

    private var log: [Line] { get throws { try openssl.log() } }

    private func enroller(
        password: String? = "enroll me", fingerprints: Set<[UInt8]>? = nil, path: String = "/scep"
    ) throws -> SCEPEnroller {
        let endpoint = try Endpoint("http://localhost:\(port)\(path)")
        var enroller = try SCEPEnroller(
            at: endpoint, fingerprints: try fingerprints ?? [try fingerprint],
            over: { identity, trust in
                #expect(identity == nil)
                return try NIOTransport(to: endpoint.origin, ConnectionConfiguration())
            })
        enroller.challengePassword = password.map { SecretBytes($0) }
        enroller.interval = .seconds(1)
        enroller.deadlines = .patient
        return enroller
    }

    private func enrollment(
        _ store: any IdentityStore, _ enroller: SCEPEnroller, patience: Duration = .seconds(300)
    ) throws -> Enrollment {
        var replacement = IdentityReplacement(of: "device", in: store, provedBy: .none)
        replacement.requirements.authorities = .anchors(try openssl.bundle("ca"))
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7,O=Bank"), into: replacement)
        enrollment.patience = patience
        return enrollment
    }

    /// Issues, and renews with the identity in use or with the password again.
    @Test(arguments: [
        ("", "17", "aes"), ("get", "17", "aes"), ("des3", "17", "des3"), ("no-renewal", "19", "aes"),
    ]) func aPasswordBecomesAnIdentity(mode: String, renewal: String, cipher: String) async throws {
        try await serve(mode) { () async throws in
            let store = MemoryIdentityStore()
            let identity = try await enrollment(store, try enroller()).run()
            #expect(await store.labels() == ["device"])
            #expect(identity.leaf.subject == "CN=device 7, O=Bank" && KeyPair(of: identity).kind == .rsa(bits: 2048))
            let first = try #require(try messages.last)
            #expect(first.type == "19" && first.challenge == "enroll me" && first.cipher == cipher)
            #expect(first.selfSigned == true && first.signer == "CN=device 7,O=Bank")
            // The request is readable for the authority alone, and has no private key.
            let plain = try #require(Data(base64Encoded: first.plain ?? ""))
            #expect(plain.firstRange(of: try identity.secretBytes) == nil)
            #expect(try log.contains { $0.method == "POST" } == (mode != "get"))

            let renewed = try await enrollment(store, try enroller()).run()
            let second = try #require(try messages.last)
            #expect(second.type == renewal && second.selfSigned == (renewal == "19"))
            #expect(renewed.leaf.publicKeySHA256 != identity.leaf.publicKeySHA256)
            #expect(await store.identity(label: "device") == renewed)
        }
    }

    @Test func theUsualPathAndANamedAuthority() async throws {
        try await serve { () async throws in
            var enroller = try enroller(path: "")
            enroller.authorityName = "Bank & Co"
            _ = try await enrollment(MemoryIdentityStore(), enroller).run()
            #expect(
                try ["GetCACaps", "GetCACert"].allSatisfy { operation in
                    try log.first { $0.operation == operation }.map { [$0.path, $0.message] }
                        == ["/cgi-bin/pkiclient.exe", "Bank & Co"]
                })
        }
    }

    /// The transaction outlives the process: the next run asks for the decision.
    @Test func aPendingRequestIsAskedFor() async throws {
        try await serve("pending") { () async throws in
            let store = MemoryIdentityStore()
            let first = try enrollment(store, try enroller(), patience: .milliseconds(1))
            await #expect(throws: EnrollmentError(.pending, "")) { try await first.run() }
            #expect(await store.labels() == ["device.requested"])
            let identity = try await enrollment(store, try enroller()).run()
            #expect(await store.identity(label: "device") == identity)
            let all = try messages
            #expect(all.map(\.type) == ["19", "20", "20"] && Set(all.map(\.transaction)).count == 1)
        }
    }

    /// A registration authority is recognised by its usage, or by its own fingerprint.
    @Test(arguments: ["cmc", "windows", "alien"]) func aRegistrationAuthorityAnswers(kind: String) async throws {
        let usages = [
            "cmc": "extendedKeyUsage=1.3.6.1.5.5.7.3.28", "windows": "extendedKeyUsage=1.3.6.1.4.1.311.20.2.1",
            "alien": "extendedKeyUsage=clientAuth",
        ]
        try openssl.issue("ra", by: "ca", try #require(usages[kind]), rsa: true)
        try await serve("ra") { () async throws in
            var fingerprints = [try fingerprint] as Set
            if kind == "alien" {
                let refused = try enrollment(MemoryIdentityStore(), try enroller())
                let error = await #expect(throws: EnrollmentError.self) { try await refused.run() }
                #expect(error?.code == .unsupported && error?.message.contains("CN=ra") == true)
                #expect(try messages.isEmpty)
                fingerprints.insert(try #require(try openssl.bundle("ra").certificates.first?.sha256))
            }
            let store = MemoryIdentityStore()
            let enroller = try enroller(fingerprints: fingerprints)
            let identity = try await enrollment(store, enroller).run()
            #expect(await store.identity(label: "device") == identity)
        }
    }

    /// Each has its own error, and changes nothing.
    @Test(
        arguments: [
            ("forever", .pending, "asked again"), ("denied", .refused, "An operator denied the request."),
            ("html", .malformedAnswer, "text/html"), ("missing", .unsupported, "GetCACaps with 404 Not Found"),
            ("other-key", .wrongKey, ""), ("expired", .wrongValidity, ""), ("server-usage", .wrongUsage, ""),
            ("other-subject", .wrongSubject, ""), ("other-ca", .unknownAuthority, ""), ("huge", nil, ""),
            ("nonce", .unverifiedAnswer, "old answer"), ("transaction", .unverifiedAnswer, "old answer"),
            ("unsigned", .unverifiedAnswer, "not signed by the authority"),
            ("stranger", .unverifiedAnswer, "not signed by the authority"),
            ("named-stranger", .unsupported, "does not say that it acts for the authority"),
            ("other-digest", .unverifiedAnswer, "not signed by the authority"),
            ("garbled", .malformedAnswer, "cannot be read"), ("sha1", .unsupported, "SHA-1"),
            ("des", .unsupported, "DES"),
            ("old", .unsupported, "SHA-256"), ("plain", .unsupported, "SHA-256"),
        ] as [(String, EnrollmentError.Code?, String)])
    func aBadAnswerChangesNothing(mode: String, code: EnrollmentError.Code?, text: String) async throws {
        try openssl.issue("stranger", by: "ca", "extendedKeyUsage=clientAuth", rsa: true)
        try await serve(mode) { () async throws in
            let store = MemoryIdentityStore()
            let enrollment = try enrollment(
                store, try enroller(), patience: code == .pending ? .seconds(3) : .seconds(300))
            do {
                _ = try await enrollment.run()
                Issue.record("\(mode) was accepted")
            } catch {
                if let code {
                    let found = error as? EnrollmentError
                    #expect(
                        found?.code == code && (text.isEmpty || found?.message.contains(text) == true), "\(error)")
                } else {
                    #expect((error as? TransportError)?.code == .responseTooLarge, "\(error)")
                }
                #expect(!"\(String(reflecting: error))".contains("enroll me"))
            }
            #expect(await store.labels() == ["device.requested"])
        }
    }

    /// Weak answers of old servers are accepted when the caller says so.
    @Test(arguments: [["sha1"], ["des"], ["sha1", "des"]]) func weakAnswersAreAccepted(modes: [String]) async throws {
        try await serve(modes.first ?? "", modes.last ?? "") { () async throws in
            var enroller = try enroller()
            enroller.acceptsWeakAnswers = true
            let store = MemoryIdentityStore()
            let identity = try await enrollment(store, enroller).run()
            #expect(await store.identity(label: "device") == identity)
        }
    }

    @Test func aWrongPasswordAndAWrongFingerprint() async throws {
        try await serve { () async throws in
            let wrong = try enrollment(MemoryIdentityStore(), try enroller(password: "wrong secret"))
            let error = await #expect(throws: EnrollmentError.self) { try await wrong.run() }
            #expect(error?.code == .refused && error?.message.contains("challenge password is wrong") == true)
            #expect(error?.message.contains("wrong secret") == false)
            let count = try messages.count
            let other = try enroller(fingerprints: [[UInt8](repeating: 7, count: 32)])
            let refused = try enrollment(MemoryIdentityStore(), other)
            let problem = await #expect(throws: EnrollmentError.self) { try await refused.run() }
            #expect(problem?.code == .wrongFingerprint && problem?.message.contains("CN=devices, O=Bank") == true)
            // Nothing is encrypted for an authority that is not known.
            #expect(try messages.count == count)
        }
    }

    /// Debian's scepserver signs over SHA-1 and encrypts with DES.
    @Test func theServerOfDebian() async throws {
        let folder = openssl.folder.path
        try #require(
            try await PeerProcess.output(
                of: .init(
                    program: "scepserver", arguments: ["ca", "-init", "-depot", "depot"], folder: openssl.folder)
            ).status == 0)
        let authority = try CertificateBundle(pem: try openssl.bytes("depot/ca.pem"))
        let command = PeerProcess.Command(
            program: "scepserver",
            arguments: [
                "-depot", "\(folder)/depot", "-port", "\(port)", "-challenge", "enroll me", "-allowrenew", "0",
            ], port: port)
        try await PeerProcess.run(command) { () async throws in
            let store = MemoryIdentityStore()
            var enroller = try enroller(fingerprints: Set(authority.certificates.map(\.sha256)))
            let strict = try enrollment(store, enroller)
            let error = await #expect(throws: EnrollmentError.self) { try await strict.run() }
            #expect(error?.code == .unsupported && error?.message.contains("SHA-1") == true)
            enroller.acceptsWeakAnswers = true
            var enrollment = try enrollment(store, enroller)
            enrollment.replacement.requirements.authorities = .anchors(authority)
            let identity = try await enrollment.run()
            #expect(identity.leaf.subject == "CN=device 7, O=Bank")
            let renewed = try await enrollment.run()
            #expect(renewed.leaf.publicKeySHA256 != identity.leaf.publicKeySHA256)
            #expect(await store.identity(label: "device") == renewed)
        }
    }

    @Test func theCommandDoesTheSame() async throws {
        let files = try IdentityFiles()
        try FileManager.default.createDirectory(
            at: files.folder.appending(path: "keys"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            at: files.folder.appending(path: "store"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
        let store = ["--store", files.path("store/store.sqlite"), "--key-file", files.path("keys/store.key")]
        try openssl.write("enroll me\n", "challenge")
        let challenge = openssl.folder.appending(path: "challenge").path
        func signet(_ arguments: [String]) async throws -> (status: Int32, output: String, error: String) {
            try await PeerProcess.output(of: .init(program: try SignetProgram.path(), arguments: arguments + store))
        }
        #expect(try await signet(["store", "init", "--make-key"]).status == 0)
        try await serve { () async throws in
            let command =
                [
                    "enroll", "scep", "http://localhost:\(port)/scep", "--fingerprint",
                    Text.hexadecimal(try fingerprint),
                    "--subject", "CN=device 7", "--label", "device", "--unproved",
                ]
            let result = try await signet(command + ["--challenge-file", challenge])
            #expect(result.status == 0 && result.output.contains("CN=device 7"), "\(result)")
            let second = try await signet(command + ["--challenge-file", challenge, "--unless-valid-for", "1"])
            #expect(second.status == 0, "\(second)")
            #expect(try messages.count == 1)
            let wrong = try await signet(
                command.map { $0 == "device" ? "other" : $0 } + ["--challenge-env", "NOTHING"])
            #expect(wrong.status == 1 && wrong.error.contains("NOTHING"), "\(wrong)")
            for more in [["--identity", challenge], ["--challenge-file", challenge, "--challenge-env", "X"]] {
                #expect(try await signet(command + more).status == 2)
            }
        }
        let without = try await signet([
            "enroll", "scep", "http://localhost:1", "--subject", "CN=x", "--label", "x", "--unproved",
        ])
        #expect(without.status == 2 && without.error.contains("--fingerprint"), "\(without)")
    }
}

import Foundation
import Signet
import SignetEnrollment
import SignetEnrollmentSOAP
import SignetNIOTransport
import SignetTesting
import SignetWSSecurity
import TestSupport
import Testing

/// Enrollment at the services of a Windows authority (MS-XCEP, MS-WSTEP), which a server written in Python takes the place of.
@Suite(.serialized, .timeLimit(.minutes(15))) struct WindowsEnrollmentTests {
    private struct Line: Decodable {
        let path: String?
        let action: String?
        let shown: Bool?
        let user: String?
        let asked: String?
        let body: String?
        let timestamp: Bool?
        let to: String?
        let type: String?
        let requestType: String?
        let template: [String]?
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

    private var trust: TrustPolicy { get throws { .anchors(try openssl.bundle("ca")) } }
    private var log: [Line] { get throws { try openssl.log() } }

    private func serve<Value: Sendable>(_ modes: [String], during body: () async throws -> Value) async throws -> Value
    {
        try await PeerProcess.python("ces_server.py", in: openssl.folder, port: port, modes, during: body)
    }

    private func address(_ path: String) throws -> Endpoint { try Endpoint("https://localhost:\(port)/\(path)") }

    private func transport() throws -> IdentityTransport {
        let origin = try address("").origin
        return { identity, trust in
            var connection = ConnectionConfiguration()
            connection.trust = trust
            connection.identity = identity.map { .fixed($0) }
            return try NIOTransport(to: origin, connection)
        }
    }

    private func enroller() throws -> WSTEPEnroller {
        var enroller = try WSTEPEnroller(at: try address("CES"), trust: try trust, over: try transport())
        enroller.interval = .seconds(1)
        enroller.deadlines = .patient
        return enroller
    }

    private func enrollment(
        _ store: any IdentityStore, _ enroller: WSTEPEnroller, patience: Duration = .seconds(300)
    ) throws -> Enrollment {
        var replacement = IdentityReplacement(of: "device", in: store, retiring: "distribution", provedBy: .none)
        replacement.requirements.authorities = try trust
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7,O=Bank"), into: replacement)
        enrollment.patience = patience
        return enrollment
    }

    private func distribution() throws -> MemoryIdentityStore {
        MemoryIdentityStore(["distribution": try openssl.identity("distribution")])
    }

    @Test(arguments: ["", "no-encoding", "cr", "double", "alone"])
    func theDistributionBecomesTheDevicesOwn(mode: String) async throws {
        try await serve([mode]) { () async throws in
            let store = try distribution()
            let enroller = try enroller()
            let identity = try await enrollment(store, enroller).run()
            #expect(identity.leaf.subject == "CN=device 7, O=Bank")
            #expect(await store.labels() == ["device"])
            let call = try #require(try log.first)
            #expect(call.shown == true && call.user == "" && call.requestType?.hasSuffix("/200512/Issue") == true)
            #expect(call.action == "http://schemas.microsoft.com/windows/pki/2009/01/enrollment/RST/wstep")
            #expect(call.to == "https://localhost:\(port)/CES")
            #expect(call.type?.hasPrefix("application/soap+xml") == true)
            let body = try #require(Data(base64Encoded: call.body ?? ""))
            #expect(body.firstRange(of: try identity.secretBytes) == nil)
            // A renewal is a request that the identity in use is shown for.
            let renewed = try await enrollment(store, enroller).run()
            #expect(renewed.leaf.publicKeySHA256 != identity.leaf.publicKeySHA256)
            #expect(await store.identity(label: "device") == renewed)
        }
    }

    @Test func aNameAndAPasswordInEachMessage() async throws {
        try await serve(["username"]) { () async throws in
            var enroller = try enroller()
            enroller.usernameToken = UsernameToken(.text, user: "device", password: "enroll me")
            let store = MemoryIdentityStore()
            let identity = try await enrollment(store, enroller).run()
            #expect(await store.identity(label: "device") == identity)
            #expect(try log.first?.user == "device" && log.first?.timestamp == true && log.first?.shown == false)
            enroller.usernameToken = UsernameToken(.text, user: "device", password: "wrong secret")
            let wrong = try enrollment(MemoryIdentityStore(), enroller)
            let error = await #expect(throws: EnrollmentError.self) { try await wrong.run() }
            #expect(error?.code == .refused && error?.message.contains("verifying security") == true)
            #expect("\(String(reflecting: error))".contains("wrong secret") == false)
        }
    }

    @Test func aTicketInPlaceOfAnIdentity() async throws {
        try await KerberosRealm.run { realm async throws in
            try await realm.log(in: "clerk", password: "way in")
            var environment = realm.environment
            environment["KRB5_KTNAME"] = realm.keyTable
            let command = PeerProcess.Command(
                // The one that Debian's GSS-API belongs to.
                program: "/usr/bin/python3",
                arguments: [
                    PeerFile.url("ces_server.py").path(percentEncoded: false), openssl.folder.path, "\(port)",
                    "kerberos",
                ], environment: environment, port: port)
            try await PeerProcess.run(command) { () async throws in
                let origin = try address("").origin
                let transport: IdentityTransport = { identity, trust in
                    var connection = ConnectionConfiguration()
                    connection.trust = trust
                    connection.identity = identity.map { .fixed($0) }
                    connection.authentication = AuthenticationPolicy(credentials: .fixed(.ticket))
                    connection.authentication.schemes = [.negotiate]
                    connection.authentication.kerberos = Kerberos()
                    return try NIOTransport(to: origin, connection)
                }
                let service = try EnrollmentPolicyService(at: try address("CEP"), trust: try trust, over: transport)
                let choice = try await service.policies(showing: nil).service(for: "BankDevice", by: .kerberos)
                var enroller = try WSTEPEnroller(at: choice.service.endpoint, trust: try trust, over: transport)
                enroller.demands = choice.demands
                let store = MemoryIdentityStore()
                let identity = try await enrollment(store, enroller).run()
                #expect(await store.identity(label: "device") == identity)
                #expect(try log.allSatisfy { $0.shown == false && $0.user == "" })
            }
            try await realm.logOut()
        }
    }

    /// The number of the request outlives the process: the next run asks for it and sends no second request.
    @Test func aPendingRequestIsAskedForByItsNumber() async throws {
        try await serve(["pending"]) { () async throws in
            let store = try distribution()
            let first = try enrollment(store, try enroller(), patience: .milliseconds(1))
            await #expect(throws: EnrollmentError(.pending, "")) { try await first.run() }
            #expect(await store.labels() == ["device.requested", "distribution"])
            let identity = try await enrollment(store, try enroller()).run()
            #expect(await store.labels() == ["device"])
            #expect(await store.identity(label: "device") == identity)
            let calls = try log
            #expect(calls.map(\.asked) == ["", "7", "7"])
            #expect(calls.map { $0.body?.isEmpty } == [false, true, true])
            #expect(
                calls.last?.requestType
                    == "http://schemas.microsoft.com/windows/pki/2009/01/enrollment/QueryTokenStatus")
        }
    }

    /// Each has its own error, and changes nothing.
    @Test(
        arguments: [
            ("forever", .pending, "asked again"), ("denied", .refused, "A certificate manager denied the request."),
            ("lost", .refused, "discard()"),
            ("mute", .refused, "Denied by Policy"),
            ("other-key", .wrongKey, ""), ("template", .refused, "The request names no template"),
        ] as [(String, EnrollmentError.Code, String)])
    func aBadAnswerChangesNothing(mode: String, code: EnrollmentError.Code, text: String) async throws {
        try await serve([mode]) { () async throws in
            let store = try distribution()
            let old = try #require(await store.identity(label: "distribution"))
            // Time enough for a decision on a busy machine; only the authority that never decides uses it up.
            let patience: Duration = code == .pending ? .seconds(3) : .seconds(300)
            let enrollment = try enrollment(store, try enroller(), patience: patience)
            let error = await #expect(throws: EnrollmentError.self) { try await enrollment.run() }
            #expect(
                error?.code == code && (text.isEmpty || error?.message.contains(text) == true),
                "\(String(describing: error))")
            #expect(await store.labels().sorted() == ["device.requested", "distribution"])
            #expect(await store.identity(label: "distribution") == old)
        }
    }

    @Test func aPageIsNoAnswer() async throws {
        try await serve(["html"]) { () async throws in
            let error = await #expect(throws: EnrollmentError.self) {
                try await enrollment(try distribution(), try enroller()).run()
            }
            #expect(error?.code == .malformedAnswer && (error?.cause as? ServiceError)?.code == .notSOAP)
            // Without an identity, the page says that access is denied.
            let refused = await #expect(throws: EnrollmentError.self) {
                try await enrollment(MemoryIdentityStore(), try enroller()).run()
            }
            #expect(
                refused?.code == .refused && refused?.message.contains("did not get a client certificate") == true,
                "\(refused?.message ?? "")")
        }
    }

    /// The number of a request at one authority means nothing at another one.
    @Test func aNumberBelongsToItsAuthority() async throws {
        try await serve(["pending"]) { () async throws in
            let store = try distribution()
            let first = try enrollment(store, try enroller(), patience: .milliseconds(1))
            await #expect(throws: EnrollmentError(.pending, "")) { try await first.run() }
            var other = try WSTEPEnroller(at: try address("CES/other"), trust: try trust, over: try transport())
            other.interval = .seconds(1)
            let identity = try await enrollment(store, other).run()
            #expect(await store.identity(label: "device") == identity)
            #expect(try log.map(\.asked) == ["", "", "8", "8"])
        }
    }

    @Test func thePolicyNamesTheServiceAndTheTemplate() async throws {
        try await serve(["template"]) { () async throws in
            let store = try distribution()
            let identity = try #require(await store.identity(label: "distribution"))
            let service = try EnrollmentPolicyService(at: try address("CEP"), trust: try trust, over: try transport())
            let policies = try await service.policies(showing: identity)
            #expect(
                policies.name == "Bank" && policies.policies.map(\.name) == ["BankDevice", "OldDevice", "Forbidden"])
            #expect(policies.policies.first?.renewal == .seconds(3_628_800))
            let choice = try policies.service(for: "BankDevice", by: .certificate)
            #expect(choice.service.endpoint.path == "/CES" && choice.demands.key == .p256)
            #expect(try choice.demands.intermediates == openssl.bundle("ca").certificates)
            var enroller = try WSTEPEnroller(at: choice.service.endpoint, trust: try trust, over: try transport())
            enroller.demands = choice.demands
            let own = try await enrollment(store, enroller).run()
            #expect(KeyPair(of: own).kind == .p256)
            // The template of the policy, in DER.
            #expect(try log.last?.template == ["3012060a2b060104018237150815020164020104"])
            enroller.demands = EnrollmentDemands()
            enroller.demands.extensions = [try .template("BankDevice")]
            _ = try await enrollment(store, enroller).run()
            #expect(try log.last?.template == ["1e1400420061006e006b004400650076006900630065"])
            // The policy is asked before each request.
            enroller.demands = EnrollmentDemands()
            enroller.policy = (service, "OldDevice")
            let old = try await enrollment(store, enroller).run()
            #expect(KeyPair(of: old).kind == .rsa(bits: 3072))
            #expect(try policies.service(for: "OldDevice", by: .usernamePassword).demands.key == .rsa(bits: 3072))
            #expect(throws: EnrollmentError(.refused, "")) { try policies.service(for: "Forbidden", by: .certificate) }
        }
    }

    @Test(arguments: ["nil", "renewal-only"]) func policiesWithoutAService(mode: String) async throws {
        try await serve([mode]) { () async throws in
            let service = try EnrollmentPolicyService(at: try address("CEP"), trust: try trust, over: try transport())
            let policies = try await service.policies(showing: try openssl.identity("distribution"))
            #expect(throws: EnrollmentError(.unsupported, "")) {
                try policies.service(for: "BankDevice", by: .certificate)
            }
        }
    }

    @Test func theCommandsDoTheSame() async throws {
        try await serve(["template"]) { () async throws in
            let files = try IdentityFiles()
            for name in ["keys", "store"] {
                try FileManager.default.createDirectory(
                    at: files.folder.appending(path: name), withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            try openssl.write(openssl.bytes("distribution.pem") + openssl.bytes("distribution.key"), "first.pem")
            let folder = openssl.folder.path
            let way = ["--ca", folder + "/ca.pem", "--identity", folder + "/first.pem"]
            let store = ["--store", files.path("store/store.sqlite"), "--key-file", files.path("keys/store.key")]
            #expect(try await run(["store", "init", "--make-key"] + store).status == 0)
            let policies = try await run(
                ["enroll", "policies", "https://localhost:\(port)/CEP", "--json"] + way)
            #expect(policies.status == 0 && policies.output.contains("\"BankDevice\""), "\(policies)")
            let listed = try await run(["enroll", "policies", "https://localhost:\(port)/CEP"] + way)
            #expect(listed.output.contains("BankDevice: may enroll, key P-256"), "\(listed)")
            let start =
                [
                    "enroll", "wstep", "https://localhost:\(port)/CES", "--subject", "CN=device 7, O=Bank", "--label",
                    "device",
                    "--unproved",
                ] + store + way
            let without = try await run(start)
            #expect(without.status == 1 && without.error.contains("--template"), "\(without)")
            // The key that waits is RSA, and the policy demands another.
            let policy = ["--template", "BankDevice", "--policies", "https://localhost:\(port)/CEP"]
            let blocked = try await run(start + policy)
            #expect(
                blocked.status == 1 && blocked.error.contains("signet identity remove device.requested"), "\(blocked)")
            #expect(try await run(["identity", "remove", "device.requested"] + store).status == 0)
            let first = try await run(
                start + ["--template", "BankDevice", "--policies", "https://localhost:\(port)/CEP"])
            #expect(first.status == 0 && first.output.contains("CN=device 7, O=Bank"), "\(first)")
            let second = try await run(start + ["--template", "BankDevice"])
            #expect(second.status == 0, "\(second)")
            let usage = try await run(start + ["--policies", "https://localhost:\(port)/CEP"])
            #expect(usage.status == 2, "\(usage)")
        }
    }

    private func run(_ arguments: [String]) async throws -> (status: Int32, output: String, error: String) {
        try await PeerProcess.output(of: .init(program: try SignetProgram.path(), arguments: arguments))
    }

    @Test func onlyTLS() throws {
        let plain = try Endpoint("http://localhost/CES")
        let none: IdentityTransport = { _, _ in throw CancellationError() }
        #expect(throws: EnrollmentError(.unsupported, "")) { try WSTEPEnroller(at: plain, trust: .system, over: none) }
        #expect(throws: EnrollmentError(.unsupported, "")) {
            try EnrollmentPolicyService(at: plain, trust: .system, over: none)
        }
    }
}

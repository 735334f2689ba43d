import Foundation
import Signet
import TestSupport
import Testing

/// `signet enroll est` and the commands beside it, at the EST server in Python.
@Suite(.serialized, .timeLimit(.minutes(15))) struct EnrollCommandTests {
    /// How often the program is killed; 200 in the long form.
    private static let kills = ProcessInfo.processInfo.environment["SIGNET_KILLS"].flatMap { Int($0) } ?? 8

    private let program: EnrollProgram

    init() throws { program = try EnrollProgram() }

    private var openssl: OpenSSL { program.openssl }
    private var files: IdentityFiles { program.files }
    private var port: Int { program.port }

    private func file(_ name: String) -> String { program.file(name) }
    private func identities() async throws -> [String: Identity] { try await program.identities() }
    private func signet(_ arguments: String...) async throws -> EnrollProgram.Outcome { try await program(arguments) }

    private func serve<Value: Sendable>(
        _ modes: String..., during body: () async throws -> Value
    ) async throws -> Value {
        try await PeerProcess.python("est_server.py", in: openssl.folder, port: port, modes, during: body)
    }

    private var enrolling: [String] {
        [
            "enroll", "est", "https://localhost:\(port)", "--subject", "CN=device 7, O=Bank", "--label", "device",
            "--ca", file("ca.pem"), "--identity", file("first.pem"), "--prove",
            "https://localhost:\(port)/.well-known/est/cacerts", "--json",
        ] + program.store
    }

    private func enroll(_ more: String...) async throws -> (status: Int32, output: String, error: String) {
        try await PeerProcess.output(of: .init(program: try SignetProgram.path(), arguments: enrolling + more))
    }

    private struct Entry: Decodable {
        let label: String
        let subject: String
        let problems: [String]
    }

    @Test func anIdentityIsObtainedListedAndRenewed() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        try await serve { () async throws in
            let first = try await enroll()
            #expect(first.status == 0, "\(first)")
            let entry = try JSONDecoder().decode(Entry.self, from: Data(first.output.utf8))
            #expect(entry.label == "device" && entry.subject == "CN=device 7, O=Bank")
            let kept = try #require(try await identities()["device"])
            let second = try await enroll()
            #expect(second.status == 0, "\(second)")
            let renewed = try #require(try await identities()["device"])
            #expect(renewed != kept && renewed.leaf.publicKeySHA256 != kept.leaf.publicKeySHA256)
            let list = try await signet("identity", "list", "--json")
            #expect(try JSONDecoder().decode([Entry].self, from: Data(list.output.utf8)).map(\.label) == ["device"])
            let unchanged = try await enroll("--unless-valid-for", "20")
            #expect(unchanged.status == 0)
            #expect(try await identities()["device"] == renewed)
            // The service is not trusted: the identity in use stays, and the new one waits.
            let refused = try await enroll("--dns", "x.example", "--patience", "0", "--prove-ca", file("first.pem"))
            #expect(refused.status == 1, "\(refused)")
            #expect(try await identities()["device"] == renewed)
            try expectNoKey(of: renewed)
        }
    }

    /// The private key is neither in the store's files nor in what the server got.
    private func expectNoKey(of identity: Identity) throws {
        let secret = try identity.secretBytes
        let folder = files.folder.appending(path: "store")
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            let content = try Data(contentsOf: folder.appending(path: name))
            #expect(content.firstRange(of: secret) == nil, "\(name)")
        }
        let log = try Data(openssl.bytes("log"))
        #expect(log.firstRange(of: Data(secret.base64EncodedString().dropLast(4).utf8)) == nil)
        #expect(log.count > 1_000)
    }

    @Test func filesGoInAndOut() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        let imported = try await signet("identity", "import", file("first.pem"), "--label", "first")
        #expect(imported.status == 0, "\(imported)")
        // The next enrollment would take it for the new identity of another label.
        #expect(try await signet("identity", "import", file("first.pem"), "--label", "first.new").status == 2)
        let again = try await signet("identity", "import", file("first.pem"), "--label", "first")
        #expect(again.status == 1 && again.error.contains("replace it with --force"), "\(again)")
        try files.write("secret\n", as: "password")
        let exported = try await signet(
            "identity", "export", "first", files.path("first.p12"), "--to", "pfx", "--new-password-file",
            files.path("password"))
        #expect(exported.status == 0, "\(exported)")
        let file = try Data(contentsOf: files.folder.appending(path: "first.p12"))
        #expect(try Identity(pkcs12: Array(file), password: "secret") == openssl.identity("distribution"))
        let missing = try await signet(
            "identity", "export", "none", files.path("none.pem"), "--to", "pem", "--unencrypted")
        #expect(missing.status == 1 && missing.error.contains("no identity “none”"), "\(missing)")
        #expect(try await signet("identity", "remove", "first").status == 0)
        #expect(try await identities().isEmpty)
        #expect(try await signet("identity", "remove", "first").status == 1)
    }

    @Test func aRequestForAnotherWay() async throws {
        let (key, request) = (files.path("new.key"), files.path("new.csr"))
        func csr(_ arguments: String...) async throws -> (status: Int32, output: String, error: String) {
            try await PeerProcess.output(
                of: .init(program: try SignetProgram.path(), arguments: ["csr", request, "--subject"] + arguments))
        }
        let made = try await csr(
            "CN=api.example", "--dns", "api.example", "--server", "--new-key", key, "--unencrypted")
        #expect(made.status == 0, "\(made)")
        let text = try openssl("req -in \(request) -verify -noout -text")
        #expect(text.contains("DNS:api.example") && text.contains("TLS Web Server Authentication"), "\(text)")
        let (ours, theirs) = (try openssl("pkey -in \(key) -pubout"), try openssl("req -in \(request) -noout -pubkey"))
        #expect(ours == theirs)
        let mode = try FileManager.default.attributesOfItem(atPath: key)[.posixPermissions] as? Int
        #expect(mode == 0o600)
        #expect(try await csr("CN=api.example", "--new-key", key, "--unencrypted").status == 1)
        // A key whose request could not be written does not stay.
        let lost = files.path("lost.key")
        let nowhere = try await PeerProcess.output(
            of: .init(
                program: try SignetProgram.path(),
                arguments: [
                    "csr", files.path("nowhere/x.csr"), "--subject", "CN=x", "--new-key", lost, "--unencrypted",
                ]))
        #expect(nowhere.status == 1 && !FileManager.default.fileExists(atPath: lost), "\(nowhere)")
        for wrong in [["CN="], ["CN=x"], ["CN=x", "--new-key", key, "--key", key]] {
            let outcome = try await PeerProcess.output(
                of: .init(program: try SignetProgram.path(), arguments: ["csr", request, "--subject"] + wrong))
            #expect(outcome.status == 2, "\(outcome)")
        }
    }

    /// The store keeps with an identity how it was obtained.
    @Test func anIdentityIsRenewedAsItWasObtained() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        #expect(try await signet("identity", "import", file("first.pem"), "--label", "other").status == 0)
        try await serve { () async throws in
            #expect(try await enroll().status == 0)
            let first = try #require(try await identities()["device"])
            let renewed = try await signet("identity", "renew", "device", "--json")
            #expect(renewed.status == 0, "\(renewed)")
            let second = try #require(try await identities()["device"])
            #expect(second != first && second.leaf.subject == first.leaf.subject)
            #expect(try await signet("identity", "renew", "device", "--unless-valid-for", "1").status == 0)
            #expect(try await identities()["device"] == second)
            // Once more: the recipe belongs to the label, not to one of its identities.
            #expect(try await signet("identity", "renew", "device").status == 0)
            #expect(try await identities()["device"] != second)
        }
        for (label, reason) in [("other", "was not obtained by signet enroll"), ("nothing", "has no identity")] {
            let refused = try await signet("identity", "renew", label)
            #expect(refused.status == 1 && refused.error.contains(reason), "\(refused)")
        }
        let unreachable = try await signet("identity", "renew", "device")
        #expect(unreachable.status == 1 && unreachable.error.contains("\(port)"), "\(unreachable)")
        #expect(try await signet("identity", "renew", "device", "--unless-valid-for", "0").status == 2)
    }

    private struct Event: Decodable {
        let label: String
        let event: String
        let notAfter: Int64?
        let error: String?
    }

    @Test func identitiesAreRenewedInTheBackground() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        // At one percent of its life, and up to five earlier: within a minute or so.
        try await serve("life:7200") { () async throws in
            #expect(try await enroll().status == 0)
            let first = try #require(try await identities()["device"])
            let process = Process()
            process.executableURL = URL(filePath: try SignetProgram.path())
            process.arguments =
                [
                    "identity", "watch", "device", "--share", "1", "--json", "--exec",
                    "echo \"$SIGNET_LABEL $SIGNET_NOT_AFTER\" >>'\(files.path("hook"))'; grep SigBlk /proc/self/status >'\(files.path("signals"))'; exit 3",
                ] + program.store
            let (output, problems) = (files.path("events"), files.path("problems"))
            for name in [output, problems] { _ = FileManager.default.createFile(atPath: name, contents: nil) }
            process.standardOutput = FileHandle(forWritingAtPath: output)
            process.standardError = FileHandle(forWritingAtPath: problems)
            try process.runUnblocked()
            defer { process.terminate() }
            func events() throws -> [Event] {
                try Data(contentsOf: URL(filePath: output)).split(separator: 10).map {
                    try JSONDecoder().decode(Event.self, from: Data($0))
                }
            }
            // The hook runs at the beginning, and after the renewal.
            for _ in 0..<3_000 {
                let seen = try events().drop { $0.event != "renewed" }
                guard process.isRunning, !seen.contains(where: { $0.event == "hook-failed" }) else { break }
                try await Task.sleep(for: .milliseconds(100))
            }
            let seen = try events()
            let problem = try String(contentsOf: URL(filePath: problems), encoding: .utf8)
            #expect(seen.allSatisfy { $0.label == "device" } && process.isRunning, "\(problem)")
            let renewed = try #require(seen.first { $0.event == "renewed" }, "\(seen) \(problem)")
            let second = try #require(try await identities()["device"])
            #expect(second != first && renewed.notAfter == second.leaf.notAfter)
            #expect(seen.first { $0.event == "hook-failed" }?.error?.contains("status 3") == true)
            let hook = try String(contentsOf: URL(filePath: files.path("hook")), encoding: .utf8)
            #expect(hook.hasPrefix("device \(first.leaf.notAfter ?? 0)\n"), "\(hook)")
            #expect(hook.hasSuffix("device \(renewed.notAfter ?? 0)\n"), "\(hook)")
            // What a hook starts must end at SIGTERM, as everything else does.
            let signals = try String(contentsOf: URL(filePath: files.path("signals")), encoding: .utf8)
            #expect(signals == "SigBlk:\t0000000000000000\n")
        }
        let nothing = try await signet("identity", "watch", "nothing")
        #expect(nothing.status == 1 && nothing.error.contains("has no identity"), "\(nothing)")
        #expect(try await signet("identity", "watch", "a", "a").status == 2)
    }

    @Test func wrongUsageIsSaid() async throws {
        let start = ["enroll", "est", "https://localhost:9", "--label", "device", "--subject"]
        for arguments in [
            ["CN=x"], ["x", "--unproved"], ["CN=x", "--unproved", "--prove", "https://localhost/"],
            ["CN=x", "--unproved", "--fingerprint", "12"], ["CN=x", "--unproved", "--prove-ca", file("ca.pem")],
            ["CN=x", "--unproved", "--key-type", "rsa:1024"], ["CN=x", "--prove", "http://localhost/"],
        ] {
            let outcome = try await PeerProcess.output(
                of: .init(program: try SignetProgram.path(), arguments: start + arguments))
            #expect(outcome.status == 2, "\(arguments): \(outcome)")
        }
    }

    /// Windows authorities choose the subject; a renewal keeps it.
    @Test func theAuthorityMayChooseTheSubject() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        try await serve("other-subject") { () async throws in
            let refused = try await enroll()
            #expect(refused.status == 1 && refused.error.contains("--any-subject"), "\(refused)")
            let chosen = try await enroll("--any-subject")
            #expect(chosen.status == 0, "\(chosen)")
        }
        try await serve { () async throws in
            let another = try await enroll()
            #expect(another.status == 1 && another.error.contains("its renewal keeps that subject"), "\(another)")
            let renewed = try await enroll("--any-subject", "--json")
            #expect(renewed.status == 0 && renewed.output.contains("\"isNew\""), "\(renewed)")
        }
    }

    /// However the program ends, the store has an identity in use, and each key has its certificate.
    @Test func killsLoseNothing() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        try await serve { () async throws in
            let begin = ContinuousClock.now
            #expect(try await enroll().status == 0)
            let whole = begin.duration(to: .now)
            var seen: Set<Identity> = []
            for number in 0..<Self.kills {
                let process = Process()
                process.executableURL = URL(filePath: try SignetProgram.path())
                process.arguments =
                    number.isMultiple(of: 2) ? enrolling : ["identity", "renew", "device"] + program.store
                process.standardOutput = FileHandle.nullDevice
                process.standardError = FileHandle.nullDevice
                try process.run()
                try await Task.sleep(for: whole * Double.random(in: 0.05...1.1))
                kill(process.processIdentifier, SIGKILL)
                process.waitUntilExit()
                let kept = try await identities()
                let inUse = try #require(kept["device"], "\(number): \(kept.keys)")
                seen.insert(inUse)
                #expect(Set(kept.keys).isSubset(of: ["device", "device.new", "device.requested"]))
                for identity in kept.values { #expect(KeyPair(of: identity).belongs(to: identity.leaf)) }
            }
            let outcome = try await enroll()
            #expect(outcome.status == 0, "\(outcome)")
            #expect(try await Set(identities().keys) == ["device"])
            print("killed \(Self.kills) times; \(seen.count) identities were in use")
        }
    }

    /// Two programs renew at the same time: one after the other, and each ends well.
    @Test func twoProgramsRenewOneAfterTheOther() async throws {
        #expect(try await signet("store", "init", "--make-key").status == 0)
        try await serve { () async throws in
            async let first = enroll()
            async let second = enroll()
            let outcomes = try await [first, second]
            #expect(outcomes.allSatisfy { $0.status == 0 }, "\(outcomes)")
            #expect(try await Set(identities().keys) == ["device"])
            let log = String(decoding: try openssl.bytes("log"), as: UTF8.self)
            let paths = log.split(separator: "\n").filter { $0.contains("\"POST\"") }
            #expect(
                paths.count == 2 && paths[0].contains("simpleenroll") && paths[1].contains("simplereenroll"), "\(log)")
        }
    }
}

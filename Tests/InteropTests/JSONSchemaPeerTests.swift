import Foundation
import TestSupport
import Testing

/// What `signet enroll` and its relatives print with `--json`, at servers in Python, is as the schemas in `Schemas` say.
@Suite(.serialized, .timeLimit(.minutes(5))) struct JSONSchemaPeerTests {
    private let program: EnrollProgram

    init() throws { program = try EnrollProgram() }

    private func validate(_ output: String, _ name: String) throws {
        #expect(try JSONSchema.departures(of: output, from: name) == "", "\(name): \(output)")
    }

    private func signet(_ arguments: String...) async throws -> String {
        let outcome = try await program(arguments)
        #expect(outcome.status == 0, "\(arguments): \(outcome)")
        return outcome.output
    }

    private func serve(_ script: String, during body: () async throws -> Void) async throws {
        try await PeerProcess.python(script, in: program.openssl.folder, port: program.port, [], during: body)
    }

    /// What `signet identity watch` has printed when it has said all of these events.
    private func watch(until events: [String], _ more: String...) async throws -> String {
        let file = program.files.path("events-\(UUID().uuidString)")
        func written() -> String { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
        let command = [
            "-c", "exec \"$0\" \"$@\" >\(file)", try SignetProgram.path(), "identity", "watch", "device", "--json",
            "--share", "1",
        ]
        try await PeerProcess.run(.init(program: "sh", arguments: command + more + program.store)) { () async throws in
            while !events.allSatisfy({ written().contains("\"event\":\"\($0)\"") }) {
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        return written()
    }

    @Test(.enabled(if: RequiredTool.isExpected(pythonModule: "jsonschema"), "python3-jsonschema is not installed"))
    func everyOutputIsAsItsSchemaSays() async throws {
        // DiscoveryTests and TokenServicePeerTests have peers for the others.
        var unused = JSONSchema.namesOfPeers.subtracting(["discover", "token"])
        func validate(_ output: String, _ name: String) throws {
            unused.remove(name)
            try self.validate(output, name)
        }
        let address = "https://localhost:\(program.port)"
        let way = ["--ca", program.file("ca.pem"), "--identity", program.file("first.pem")]
        _ = try await signet("store", "init", "--make-key")
        try await serve("est_server.py") { () async throws in
            for more in [[], ["--unless-valid-for", "10"]] {
                let enrolled = try await program(
                    [
                        "enroll", "est", address, "--subject", "CN=device 7, O=Bank", "--label", "device", "--unproved",
                        "--json",
                    ] + way + more)
                #expect(enrolled.status == 0, "\(enrolled)")
                try validate(enrolled.output, "enroll")
            }
            try validate(try await signet("identity", "renew", "device", "--json"), "identity-renew")
            let events = try await watch(until: ["hook-failed", "renewed", "waiting"], "--exec", "exit 3")
            try validate(events, "identity-watch")
        }
        // The server has ended.
        try validate(try await watch(until: ["failed"]), "identity-watch")
        try await serve("ces_server.py") { () async throws in
            let policies = try await PeerProcess.output(
                of: .init(
                    program: try SignetProgram.path(),
                    arguments: ["enroll", "policies", "\(address)/CEP", "--json"] + way))
            #expect(policies.status == 0, "\(policies)")
            try validate(policies.output, "enroll-policies")
        }
        #expect(unused.isEmpty, "no output was validated by \(unused.sorted())")
    }
}

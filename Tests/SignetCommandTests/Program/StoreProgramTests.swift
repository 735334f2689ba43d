import Foundation
import SignetTLS
import SignetTesting
import Testing

@testable import SignetDemo

extension ProgramTests {
    /// `signet store` and `signet credentials`.
    @Suite struct StoreProgramTests {
        /// A store with a key file, both made by the program.
        private func use(_ body: (Program, [String]) async throws -> Void) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for folder in ["keys", "data"] {
                try FileManager.default.createDirectory(
                    at: program.folder.appending(path: folder), withIntermediateDirectories: false,
                    attributes: [.posixPermissions: 0o700])
            }
            let options = ["--store", path(program, "data/store.sqlite"), "--key-file", path(program, "keys/key")]
            let made = try await run(program, ["store", "init", "--make-key"] + options)
            #expect(made.status == 0 && made.output.contains("made"), "\(made)")
            try await body(program, options)
        }

        private func path(_ program: Program, _ name: String) -> String {
            program.folder.appending(path: name).path(percentEncoded: false)
        }

        private func run(
            _ program: Program, _ arguments: [String], _ environment: [String: String] = [:]
        ) async throws -> Program.Outcome {
            try await program.run(Program.path(), arguments, environment: environment)
        }

        @Test func credentialsAreSetAndListedAndRemoved() async throws {
            try await use { program, options in
                let set = [
                    "credentials", "set", "https://reports.example/soap", "--account", "app", "--password-env", "P",
                ]
                let kept = try await run(program, set + options, ["P": "canary-1"])
                #expect(kept.status == 0 && kept.output.contains("kept"), "\(kept)")
                let changed = try await run(program, set + ["--label", "a label"] + options, ["P": "canary-2"])
                #expect(changed.status == 0 && changed.output.contains("changed"), "\(changed)")
                let proxy = [
                    "credentials", "set", "http://proxy.example:3128", "--account", "clerk", "--proxy", "--auth",
                    "digest",
                    "--password-env", "P",
                ]
                #expect(try await run(program, proxy + options, ["P": "canary-3"]).status == 0)
                let list = try await run(program, ["credentials", "list"] + options)
                #expect(list.output.contains("reports.example") && list.output.contains("a label"), "\(list)")
                let json = try await run(program, ["credentials", "list", "--json"] + options)
                #expect(json.output.contains("\"account\" : \"clerk\""), "\(json)")
                for outcome in [kept, changed, list, json] {
                    #expect(!"\(outcome)".contains("canary"))
                }
                let bytes = try Data(contentsOf: program.folder.appending(path: "data/store.sqlite"))
                for text in ["canary", "reports.example", "app", "clerk", "a label"] where text.count > 3 {
                    #expect(bytes.range(of: Data(text.utf8)) == nil, "\(text)")
                }
                let check = try await run(program, ["store", "check"] + options)
                #expect(check.status == 0 && check.output.hasPrefix("2 sound, 0 damaged"), "\(check)")
                let remove = ["credentials", "remove", "https://reports.example/soap", "--account", "app"]
                #expect(try await run(program, remove + options).status == 0)
                let again = try await run(program, remove + options)
                #expect(again.status == 1 && again.error.contains("nothing for"), "\(again)")
            }
        }

        @Test func accountsAreAddedAndListedAndLocked() async throws {
            try await use { program, options in
                func accounts(_ arguments: [String]) async throws -> Program.Outcome {
                    try await run(program, ["accounts"] + arguments + options, ["P": "canary-secret", "Q": "canary-2"])
                }
                let add = ["add", "laptop-7", "--digest-realm", "Diary", "--digest-algorithms", "sha-256, md5"]
                let added = try await accounts(add + ["--password-env", "P"])
                #expect(added.status == 0 && added.output == "added laptop-7\n", "\(added)")
                let twice = try await accounts(add + ["--password-env", "P"])
                #expect(twice.status == 1 && twice.error.contains("has an account already"), "\(twice)")
                let changed = try await accounts(["password", "laptop-7", "--keep-password", "--password-env", "Q"])
                #expect(changed.status == 0, "\(changed)")
                let certificate = path(program, "client.pem")
                let authority = try CertificateAuthority()
                let leaf = try authority.issueClient().leaf
                try Data(CertificateBundle([leaf]).pem).write(to: URL(filePath: certificate))
                let own = ["certificate", "printer", "--file", certificate]
                #expect(try await accounts(own).status == 0)
                #expect(try await accounts(["lock", "printer"]).status == 0)
                let list = try await accounts(["list"])
                #expect(list.output.contains("laptop-7  hash, password\n"), "\(list)")
                #expect(list.output.contains("printer  locked, certificate "), "\(list)")
                let json = try await accounts(["list", "--json"])
                #expect(json.output.contains("\"locked\" : true"), "\(json)")
                #expect(try await accounts(["unlock", "printer"]).status == 0)
                #expect(try await accounts(own + ["--remove"]).status == 0)
                let gone = try await accounts(own + ["--remove"])
                #expect(gone.status == 1 && gone.error.contains("does not have this certificate"), "\(gone)")
                #expect(try await accounts(["remove", "printer"]).status == 0)
                let unknown = try await accounts(["lock", "printer"])
                #expect(unknown.status == 1 && unknown.error.contains("has no account"), "\(unknown)")
                for outcome in [added, twice, changed, list, json] { #expect(!"\(outcome)".contains("canary")) }
            }
        }

        @Test(arguments: [
            (["add", "a", "--digest-realm", "R", "--digest-algorithms", "sha-1"], "there is no algorithm “sha-1”"),
            (["add", "a", "--digest-realm", "R", "--digest-algorithms", ","], "names no algorithm"),
            (["add", "a", "--digest-algorithms", "md5"], "give --digest-realm"),
            (["add", "a", "--password-env", "P", "--password-file", "f"], "Give either"),
            (["certificate", "a"], "--file"),
        ]) func wrongOptionsOfAccountsAreNamed(arguments: [String], words: String) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await run(program, ["accounts"] + arguments)
            #expect(outcome.status == 2 && outcome.error.contains(words), "\(outcome)")
        }

        @Test func theNewKeyOpensTheStoreAfterRekey() async throws {
            try await use { program, options in
                let set = ["credentials", "set", "https://a.example", "--account", "app", "--password-env", "P"]
                #expect(try await run(program, set + options, ["P": "p"]).status == 0)
                let new = path(program, "keys/new")
                let sealed = try await run(
                    program, ["store", "rekey", "--new-key-file", new, "--make-key"] + options)
                #expect(sealed.status == 0, "\(sealed)")
                let old = try await run(program, ["credentials", "list"] + options)
                #expect(old.status == 1 && old.error.contains("key"), "\(old)")
                let list = try await run(
                    program, ["credentials", "list", "--store", options[1], "--key-file", new])
                #expect(list.status == 0 && list.output.contains("a.example"), "\(list)")
            }
        }

        @Test func checkNamesADamagedStore() async throws {
            try await use { program, options in
                let file = program.folder.appending(path: "data/store.sqlite")
                try Data("no store at all, but long enough to be taken for one".utf8).write(to: file)
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
                let outcome = try await run(program, ["store", "check"] + options)
                #expect(outcome.status == 1 && outcome.error.contains("store.sqlite"), "\(outcome)")
                try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: file.path)
                let open = try await run(program, ["store", "check"] + options)
                #expect(open.status == 1 && open.error.contains("644"), "\(open)")
            }
        }

        @Test(arguments: [
            ["store", "init", "--make-key"], ["credentials", "set", "nowhere", "--account", "a"],
            ["credentials", "set", "https://h", "--account", "a", "--auth", "secret"],
            ["store", "check", "--key-file", "a", "--key-env", "b"], ["credentials", "remove", "https://h"],
            ["store", "rekey", "--new-key-file", "a", "--new-passphrase-env", "b"],
            ["call", Program.wsdl, "LogEntryQuery", "--key-file", "a"],
            ["credentials", "test", "https://h", "--auth", "strange"],
            ["call", Program.wsdl, "LogEntryQuery", "--stored", "--user", "a"],
            ["fetch", "https://h/ws?wsdl", "--output", "o", "--store", "a"],
        ])
        func wrongUsageIsTwo(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await run(program, arguments)
            #expect(outcome.status == 2, "\(outcome)")
        }

        /// What was kept lets a call in; what was kept for another server, or under another key, does not.
        @Test func aCallUsesStoredCredentials() async throws {
            try await WebEaseFixture.use { fixture in
                try await use { program, options in
                    let device = try await fixture.registeredDevice()
                    let user = try #require(device.firstIndex(of: "--user"))
                    let call =
                        ["call", Program.wsdl, "LogEntryQuery", "--set", "patientId=P-1", "--stored"]
                        + device.prefix(user)
                    func set(_ address: String) async throws -> Program.Outcome {
                        try await run(
                            program,
                            [
                                "credentials", "set", address, "--account", World.serviceUser, "--password-env", "P",
                            ] + options, ["P": fixture.world.servicePassword])
                    }
                    #expect(try await set("https://other.example").status == 0)
                    let refused = try await run(program, call + options)
                    #expect(refused.status == 1 && refused.error.contains("credentials"), "\(refused)")
                    let address = try #require(URL(string: fixture.world.address))
                    #expect(try await set("https://\(address.host() ?? ""):\(address.port ?? 0)").status == 0)
                    let answer = try await run(program, call + options)
                    #expect(answer.status == 0 && answer.output.contains("truncated"), "\(answer)")
                    #expect(!"\(answer)\(refused)".contains(fixture.world.servicePassword))
                    let wrongKey = try await run(
                        program, call + options.prefix(2) + ["--key-env", "K"],
                        [
                            "K": String(repeating: "ab", count: 32)
                        ])
                    #expect(wrongKey.status == 1 && wrongKey.error.contains("key"), "\(wrongKey)")
                }
            }
        }

        @Test func aMissingStoreIsReported() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await run(
                program, ["credentials", "list", "--store", path(program, "none.sqlite"), "--key-env", "K"],
                ["K": String(repeating: "ab", count: 32)])
            #expect(outcome.status == 1 && outcome.error.contains("none.sqlite"), "\(outcome)")
        }
    }
}

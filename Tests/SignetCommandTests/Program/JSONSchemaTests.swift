import Foundation
import Synchronization
import TestSupport
import Testing

extension ProgramTests {
    /// What commands print with `--json` is as the schemas in `Schemas` say.
    @Suite struct JSONSchemaTests {
        private static let isExpected = RequiredTool.isExpected(pythonModule: "jsonschema")

        /// The schemas that an output was validated by.
        private final class Validation: Sendable {
            private let used = Mutex<Set<String>>([])
            var names: Set<String> { used.withLock { $0 } }

            func callAsFunction(_ output: String, _ name: String) throws {
                used.withLock { _ = $0.insert(name) }
                #expect(try JSONSchema.departures(of: output, from: name) == "", "\(name): \(output)")
            }
        }

        // MARK: Every output has a schema

        /// A command, as the program describes itself.
        private struct Command: Decodable {
            struct Argument: Decodable {
                struct Name: Decodable { let name: String }
                let kind: String
                let names: [Name]?
            }

            let commandName: String
            let arguments: [Argument]?
            let subcommands: [Command]?

            /// The subcommands with a flag `--json`, each as the words that name it.
            func withJSON(after words: [String] = []) -> [[String]] {
                let isOne = arguments?.contains { argument in
                    argument.kind == "flag" && argument.names?.contains { $0.name == "json" } == true
                }
                return (isOne == true ? [words] : [])
                    + (subcommands ?? []).flatMap { $0.withJSON(after: words + [$0.commandName]) }
            }
        }

        private struct Description: Decodable { let command: Command }

        /// The schema of `signet a b` is `a-b`, or that of all commands of `signet a`.
        @Test func everyCommandWithJSONHasASchema() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let described = try await program.signet("--experimental-dump-help")
            let commands = try JSONDecoder().decode(Description.self, from: Data(described.output.utf8)).command
                .withJSON()
            #expect(commands.count > 20)
            let names = try JSONSchema.names()
            var unused = names.subtracting(["doctor-listen", "fetch-check"])
            for words in commands {
                let own = words.joined(separator: "-")
                let name = names.contains(own) ? own : words.first ?? ""
                #expect(names.contains(name), "signet \(words.joined(separator: " ")) has no schema")
                unused.remove(name)
            }
            #expect(unused.isEmpty, "no command prints \(unused.sorted())")
        }

        @Test(.enabled(if: isExpected, "python3-jsonschema is not installed"))
        func departuresAreFound() throws {
            func departures(_ output: String) throws -> String { try JSONSchema.departures(of: output, from: "diff") }
            #expect(try departures(#"{"breaking": false, "changes": []}"#) == "")
            #expect(try departures(#"{"breaking": false, "changes": [], "more": 1}"#).contains("'more'"))
            #expect(try departures(#"{"breaking": 0, "changes": []}"#).contains("boolean"))
            #expect(try departures(#"{"changes": []}"#).contains("'breaking' is a required property"))
            #expect(try departures("").contains("no document"))
        }

        // MARK: Every output is as its schema says

        @Test(.enabled(if: isExpected, "python3-jsonschema is not installed"))
        func everyOutputIsAsItsSchemaSays() async throws {
            let validate = Validation()
            try await WSDLs(validate)
            try await files(validate)
            try await stores(validate)
            try await servers(validate)
            try await documents(validate)
            try await connections(validate)
            let unused = try JSONSchema.names().subtracting(validate.names).subtracting(JSONSchema.namesOfPeers)
            #expect(unused.isEmpty, "no output was validated by \(unused.sorted())")
        }

        private func WSDLs(_ validate: Validation) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            func path(_ name: String) -> String { program.folder.appending(path: name).path(percentEncoded: false) }
            try validate(try await program.signet("inspect", Program.wsdl, "--json").output, "inspect")
            let text = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let changed = try program.write(text.replacing(" minOccurs=\"0\"", with: ""), to: "changed.wsdl")
            let diff = try await program.signet("diff", Program.wsdl, changed, "--json")
            #expect(diff.status == 1, "\(diff)")
            try validate(diff.output, "diff")
            try validate(
                try await program.signet("generate", Program.wsdl, "--output", path("code"), "--json").output,
                "generate")
            let signet = JSONSchema.folder.deletingLastPathComponent().path(percentEncoded: false)
            for status: Int32 in [0, 1] {
                // The second time, the folder is not empty.
                let new = try await program.signet(
                    "new", Program.wsdl, "--signet", signet, "--output", path("package"), "--json")
                #expect(new.status == status, "\(new)")
                try validate(new.output, "new")
            }
            try validate(try await program.signet("demo", "--json").output, "demo")
        }

        private func files(_ validate: Validation) async throws {
            try await IdentityFiles.use { files async throws in
                for (name, more) in [
                    ("device.p12", ["--password-file", files.password]), ("server.pem", []), ("expired.pem", []),
                    ("device.key", []), ("root.pem", []),
                    ("device.pem", ["--for", "client", "--authorities", files.path("other.pem")]),
                ] {
                    let shown = try await files.signet(["identity", "show", files.path(name), "--json"] + more)
                    try validate(shown.output, "identity-show")
                }
                try files.program.write("<i><part Id=\"p\">12</part></i>", to: "document.xml")
                let signed = try await files.signet([
                    "sign", files.path("document.xml"), "--identity", files.path("device.pem"), "--key-info", "chain",
                ])
                for (number, text) in [signed.output, signed.output.replacing(">12<", with: ">92<")].enumerated() {
                    let document = try files.program.write(text, to: "\(number).xml")
                    let verified = try await files.signet([
                        "verify", document, "--ca", files.path("root.pem"), "--json",
                    ])
                    #expect(verified.status == number, "\(verified)")
                    try validate(verified.output, "verify")
                }
            }
        }

        private func stores(_ validate: Validation) async throws {
            try await IdentityFiles.use { files async throws in
                for folder in ["keys", "data"] {
                    try FileManager.default.createDirectory(
                        at: files.program.folder.appending(path: folder), withIntermediateDirectories: false,
                        attributes: [.posixPermissions: 0o700])
                }
                let store = ["--store", files.path("data/store.sqlite"), "--key-file", files.path("keys/key")]
                func signet(_ arguments: String...) async throws -> String {
                    let outcome = try await files.signet(arguments + store)
                    #expect(outcome.status == 0, "\(arguments): \(outcome)")
                    return outcome.output
                }
                _ = try await signet("store", "init", "--make-key")
                _ = try await signet("identity", "import", files.path("device.pem"), "--label", "device")
                try validate(try await signet("identity", "list", "--json"), "identity-list")
                for place in [
                    ["https://api.example/soap"], ["http://proxy.example:3128", "--proxy", "--auth", "digest"],
                ] {
                    let set = ["credentials", "set"] + place + ["--account", "app", "--password-file", files.password]
                    #expect(try await files.signet(set + store).status == 0)
                }
                try validate(try await signet("credentials", "list", "--json"), "credentials-list")
                _ = try await signet(
                    "accounts", "add", "laptop", "--digest-realm", "Diary", "--password-file", files.password)
                let certificate = try files.openssl("x509 -in device.pem")
                _ = try await signet(
                    "accounts", "certificate", "printer", "--file", files.program.write(certificate, to: "alone.pem"))
                try validate(try await signet("accounts", "list", "--json"), "accounts-list")
                try validate(try await signet("store", "check", "--json"), "store-check")
            }
        }

        // MARK: Servers

        private struct First: Decodable { let url: String }

        /// Runs a server until `body` has ended.
        ///
        /// - Parameter body: gets the first line that the server wrote to the file descriptor `number`.
        /// - Returns: what it has written to standard output.
        private func serving(
            _ program: Program, _ path: String, _ arguments: [String], first number: Int = 1,
            during body: @Sendable (_ first: String) async throws -> Void
        ) async throws -> String {
            let files = try [1, 2].map { _ in try program.write("", to: UUID().uuidString) }
            let shell = ["-c", "exec \"$0\" \"$@\" >\(files[0]) 2>\(files[1])", path]
            _ = try await program.run("/bin/sh", shell + arguments) { process in
                // Python would not get another signal: it inherits a mask that blocks them.
                defer { kill(process, SIGKILL) }
                var written = ""
                while !written.contains("\n") {
                    try await Task.sleep(for: .milliseconds(20))
                    written = try String(contentsOfFile: files[number - 1], encoding: .utf8)
                }
                try await body(String(written.prefix { $0 != "\n" }))
            }
            return try String(contentsOfFile: files[0], encoding: .utf8)
        }

        /// A mock, and a recorder in front of it.
        private func servers(_ validate: Validation) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            @Sendable func path(_ name: String) -> String {
                program.folder.appending(path: name).path(percentEncoded: false)
            }
            @Sendable func url(_ line: String) throws -> String {
                try JSONDecoder().decode(First.self, from: Data(line.utf8)).url
            }
            let free = ["--listen", "127.0.0.1:0", "--json"]
            let mocked = try await serving(program, Program.path(), ["mock", Program.wsdl] + free) { line in
                let mock = try url(line)
                let record = ["record", mock, "--into", path("recording")]
                let recorded = try await serving(program, Program.path(), record + free) { line in
                    let recorder = try url(line)
                    let call = try await program.signet(
                        "call", Program.wsdl, "LogEntryQuery", "--set", "patientId=P", "--endpoint", recorder)
                    #expect(call.status == 0, "\(call)")
                    _ = try await program.run("/usr/bin/env", ["curl", "-s", recorder, "-d", "no envelope"])
                }
                try validate(recorded, "record")
                #expect(recorded.split(separator: "\n").count == 3, "\(recorded)")
            }
            try validate(mocked, "mock")
            #expect(mocked.split(separator: "\n").count > 2, "\(mocked)")
        }

        /// A WSDL with an import that is followed and one that is not, from a server of files.
        private func documents(_ validate: Validation) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            @Sendable func path(_ name: String) -> String {
                program.folder.appending(path: name).path(percentEncoded: false)
            }
            try FileManager.default.createDirectory(atPath: path("site"), withIntermediateDirectories: false)
            try program.write(
                """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:xs="http://www.w3.org/2001/XMLSchema"
                 targetNamespace="urn:w"><types><xs:schema>
                <xs:import namespace="urn:t" schemaLocation="t.xsd"/>
                <xs:import namespace="urn:o" schemaLocation="https://other.example/o.xsd"/></xs:schema></types></definitions>
                """, to: "site/ws.wsdl")
            try program.write(
                "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\" targetNamespace=\"urn:t\"/>", to: "site/t.xsd"
            )
            let files = ["-u", "-m", "http.server", "0", "--bind", "127.0.0.1", "--directory", path("site")]
            _ = try await serving(program, "/usr/bin/python3", files) { line in
                let port = try #require(line.firstMatch(of: #/port (\d+)/#)).1
                func fetch(_ more: String...) async throws -> Program.Outcome {
                    let wsdl = "http://127.0.0.1:\(port)/ws.wsdl"
                    let fixed = ["fetch", wsdl, "--allow-http", "--output", path("bundle"), "--json"]
                    return try await program.run(Program.path(), fixed + more)
                }
                let fetched = try await fetch()
                #expect(fetched.status == 0 && fetched.output.contains("other.example"), "\(fetched)")
                try validate(fetched.output, "fetch")
                try program.write("<edited/>", to: "bundle/ws.wsdl")
                let changes = try await fetch("--check")
                #expect(changes.status == 1 && changes.output.contains("edited"), "\(changes)")
                try validate(changes.output, "fetch-check")
            }
        }

        /// The doctor, at servers of OpenSSL, and as a server.
        private func connections(_ validate: Validation) async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let program = try Program()
            defer { program.removeFiles() }
            @Sendable func path(_ name: String) -> String {
                openssl.folder.appending(path: name).path(percentEncoded: false)
            }
            let server = try OpenSSLServer(
                ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"]
                    + BrokenSetup.demanding.split(separator: " ").map(String.init), in: openssl.folder)
            let address = "https://localhost:\(server.port)/soap"
            let trust = ["--ca", path("root.pem"), "--timeout", "15", "--json"]
            for (url, more, status) in [
                (address, ["--identity", path("whole.pem")], 0), (address, ["--identity", path("stranger.pem")], 1),
                (address, ["--identity", path("keyless.pem"), "--wsdl", Program.wsdl], 1),
                ("https://localhost:9/", ["--proxy", "http://localhost:9"], 1),
            ] as [(String, [String], Int32)] {
                let examined = try await program.run(Program.path(), ["doctor", url] + trust + more)
                #expect(examined.status == status, "\(examined)")
                try validate(examined.output, "doctor")
            }

            try openssl.write(
                """
                - {url: "\(address)", name: Payments, ca: root.pem, identity: whole.pem}
                - {url: "https://localhost:9/", ca: root.pem}
                """, "endpoints.yaml")
            let rehearsed = try await program.signet(
                "rehearse", path("endpoints.yaml"), "--identity", path("stranger.pem"), "--at", "2199-01-01", "--json")
            #expect(rehearsed.status == 1, "\(rehearsed)")
            try validate(rehearsed.output, "rehearse")

            try openssl.write(try openssl.bytes("server.pem") + openssl.bytes("server.key"), "listener.pem")
            let listening = [
                "doctor", "--listen", "127.0.0.1:0", "--identity", path("listener.pem"), "--ca", path("root.pem"),
                "--json",
            ]
            let heard = try await serving(program, Program.path(), listening, first: 2) { line in
                let port = try #require(line.firstMatch(of: #/127\.0\.0\.1:(\d+) as/#)).1
                let authority = ["--cacert", path("root.pem")]
                for options in [["--cert", path("whole.pem")], ["--cert", path("stranger.pem")], []] {
                    _ = try await program.run(
                        "/usr/bin/env", ["curl", "-s", "https://localhost:\(port)/"] + authority + options)
                }
                _ = try await program.run("/usr/bin/env", ["curl", "-s", "http://localhost:\(port)/"])
                // The report of a connection follows its end.
                try await Task.sleep(for: .seconds(1))
            }
            try validate(heard, "doctor-listen")
            #expect(heard.split(separator: "\n").count == 4, "\(heard)")
        }
    }
}

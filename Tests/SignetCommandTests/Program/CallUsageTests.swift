import Foundation
import Testing

extension ProgramTests {
    /// What `signet call` says before anything is sent.
    @Suite struct CallUsageTests {
        private func call(_ arguments: String..., input: String = "") async throws -> Program.Outcome {
            let program = try Program()
            defer { program.removeFiles() }
            return try await program.run(
                Program.path(), ["call", Program.wsdl, "LogEntryDelete"] + arguments, input: input)
        }

        @Test func aDryRunShowsTheRequestAndConnectsNowhere() async throws {
            let outcome = try await call(
                "--set", "id=12", "--dry-run", "--identity", "/nonexistent.p12", "--user", "app", "--header",
                "X-Trace: 1",
                "--endpoint", "https://nowhere.invalid/soap")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(outcome.output.contains("LogEntryDelete"))
            #expect(outcome.output.contains(">12<"))
            #expect(outcome.output.contains("http://schemas.xmlsoap.org/soap/envelope/"))
            for line in ["* POST https://nowhere.invalid/soap", "* X-Trace: 1", "* user: app", "* nothing was sent"] {
                #expect(outcome.error.contains(line), "\(outcome)")
            }
            let other = try await call("--json", "-", "--dry-run", "--soap", "1.2", input: #"{"id": 13}"#)
            #expect(other.output.contains("http://www.w3.org/2003/05/soap-envelope"), "\(other)")
            #expect(other.output.contains(">13<"))
        }

        private static func pin(_ digit: String) -> String { "sha256//\(String(repeating: digit, count: 42))A=" }

        /// What is about TLS could not take effect, and would seem to.
        @Test(arguments: [
            ["--insecure-ciphers"], ["--http1"], ["--ca", "/nonexistent.pem"], ["--revocation", "hard"],
            ["--pin", pin("A"), "--pin", pin("B")], ["--pin-certificate", pin("A"), "--pin-certificate", pin("B")],
        ])
        func tlsOptionsAreRefusedForPlainHTTP(option: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let start = ["call", Program.wsdl, "LogEntryDelete", "--set", "id=1"] + option
            let outcome = try await program.run(
                Program.path(), start + ["--endpoint", "http://127.0.0.1:9/soap"], input: "")
            #expect(outcome.status == 1, "\(outcome)")
            #expect(
                outcome.error.contains("\(option[0]) is about TLS") && outcome.error.contains("http://127.0.0.1:9"),
                "\(outcome)")
        }

        @Test func anAddressThatCannotBeUsedDoesNotHideTheOperation() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let whole = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let wsdl = try program.write(
                whole.replacing(#/address location="[^"]*"/#, with: "address location=\"a.inc\""), to: "a.wsdl")
            let unknown = try await program.signet("call", wsdl, "LogEntryErase", "--dry-run")
            #expect(unknown.status == 1 && unknown.error.contains("LogEntryErase"), "\(unknown)")
            let known = try await program.signet("call", wsdl, "LogEntryDelete", "--set", "id=1", "--dry-run")
            #expect(
                known.status == 1 && known.error.contains("“a.inc”") && known.error.contains("--endpoint"), "\(known)")
        }

        /// What a policy demands that was not read, or is too complicated, cannot be given.
        @Test func policiesThatCannotBeEvaluatedAreReported() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let whole = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let port = "<wsdl:port name=\"WebEasePort\" binding=\"tns:WebEaseBinding\">"
            let policy =
                "<p:PolicyReference xmlns:p=\"http://www.w3.org/ns/ws-policy\" URI=\"https://nowhere.invalid/p\"/>"
            let wsdl = try program.write(whole.replacing(port, with: port + policy), to: "a.wsdl")
            let outcome = try await program.signet("call", wsdl, "LogEntryDelete", "--set", "id=1", "--dry-run")
            #expect(outcome.status == 0, "\(outcome)")
            #expect(
                outcome.error.contains("* it is not known what the policies of the WSDL demand: the policy ‘https:"),
                "\(outcome)")
        }

        /// Profiles of devices publish a binding, and leave the service to the device.
        @Test func aBindingWithoutServiceIsInspectedAndSampled() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let whole = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let start = try #require(whole.range(of: "<wsdl:service "))
            let end = try #require(whole.range(of: "</wsdl:service>"))
            let wsdl = try program.write(
                whole.replacingCharacters(in: start.lowerBound..<end.upperBound, with: ""), to: "Device.wsdl")
            let inspected = try await program.signet("inspect", wsdl)
            #expect(inspected.output.contains("Port WebEaseBinding"), "\(inspected)")
            #expect(inspected.output.contains("Operation LogEntryQuery"), "\(inspected)")
            let sample = try await program.signet(
                "call", wsdl, "LogEntryDelete", "--sample", "--port-name", "WebEaseBinding")
            #expect(sample.status == 0 && sample.output.contains("\"id\""), "\(sample)")
            let sent = try await program.signet(
                "call", wsdl, "LogEntryDelete", "--set", "id=1", "--port-name", "WebEaseBinding")
            #expect(sent.status == 1 && sent.error.contains("--endpoint"), "\(sent)")
        }

        @Test func aFieldFromAFileIsNotShown() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let file = try program.write("X-Api-Key: k-31415", to: "fields")
            let outcome = try await program.signet(
                "call", Program.wsdl, "LogEntryDelete", "--set", "id=12", "--dry-run", "--header-file", file)
            #expect(outcome.error.contains("X-Api-Key: (from a file)"), "\(outcome)")
            #expect(!outcome.error.contains("k-31415"))
        }

        @Test(arguments: [
            ["--set", "id"], ["--set", "a[=1"], ["--header", "nonsense"], ["--header", "Authorization: Basic p-27182"],
            ["--header", "X-Auth: p-27182"], ["--user", "app:p-27182"], ["--set", "p-27182"],
            ["--endpoint", "https://x y/?key=p-27182"], ["--timeout", "0"], ["--timeout", "nan"], ["--timeout", "-1"],
            ["--soap", "1.3"],
            ["--endpoint", "ftp://x/"],
            ["--endpoint", "https://app:p-27182@x/"], ["--password", "p-27182"], ["--identity-password", "x"],
            ["--password-file", "f"], ["--user", "a", "--password-file", "f", "--password-env", "E"],
            ["--identity-password-env", "E"], ["--json", "-", "--header-blocks", "-"], ["--sample", "--dry-run"],
            ["--sample", "--set", "id=1"], ["--sample", "--json", "-"], ["--sample", "--xml"],
            ["--set", "id=1", "--endpoint", "https://a/", "--endpoint=https://b/", "--dry-run"],
            ["--set", "id=1", "--identity", "a.p12", "--identity", "b.p12", "--dry-run"],
            ["extra"],
            ["--set", "id=1", "--pin", "sha256//AAAA", "--pin", "sha256//BBBB", "--dry-run"],
        ])
        func wrongUsageIsTwo(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(
                Program.path(), ["call", Program.wsdl, "LogEntryDelete"] + arguments)
            #expect(outcome.status == 2, "\(outcome)")
            #expect(outcome.output.isEmpty)
            #expect(!outcome.error.isEmpty)
            #expect(outcome.error.contains("p-27182") == false, "\(outcome)")
        }

        /// A repeated option may have a value that looks like another option's.
        @Test func repeatableOptionsMayBeRepeated() async throws {
            let outcome = try await call(
                "--set", "id=1", "--set", "id=2", "--header", "A: 1", "--header", "B: 2", "--dry-run", "--dry-run")
            #expect(outcome.status == 1 && !outcome.error.contains("takes one value"), "\(outcome)")
        }

        @Test func anEmptyAuthorityIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let file = try program.write("", to: "authority.pem")
            let outcome = try await program.signet(
                "call", Program.wsdl, "LogEntryDelete", "--set", "id=1", "--ca", file, "--dry-run")
            #expect(outcome.status == 1 && outcome.error.contains("the file is empty"), "\(outcome)")
        }

        @Test func aLongNameIsCut() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet(
                "call", Program.wsdl, String(repeating: "n", count: 100_000), "--dry-run")
            #expect(outcome.status == 1 && outcome.error.utf8.count < 2_000, "\(outcome.error.utf8.count)")
        }

        @Test func pinsAreCheckedWithTheUsageOfTheirCommand() async throws {
            let outcome = try await call("--set", "id=1", "--pin", "sha256//AAAA", "--pin", "sha256//BBBB")
            #expect(outcome.status == 2)
            #expect(outcome.error.contains("--pin: "), "\(outcome)")
            #expect(outcome.error.contains("Usage: signet call"), "\(outcome)")
        }

        @Test func aDryRunHidesTheValuesOfTheQuery() async throws {
            let outcome = try await call(
                "--set", "id=1", "--dry-run", "--endpoint", "https://nowhere.invalid/a?key=p-27182&p-27182&b=p-2;c=p-2")
            #expect(outcome.error.contains("* POST https://nowhere.invalid/a?key=…&…&b=…\n"), "\(outcome)")
            #expect(!outcome.error.contains("p-2"), "\(outcome)")
        }

        @Test func inputThatViolatesTheSchemaIsRefusedWithItsPlace() async throws {
            let outcome = try await call("--set", "id=many", "--endpoint", "https://nowhere.invalid/")
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("id"), "\(outcome)")
            #expect(outcome.error.contains("many"), "\(outcome)")
            #expect(try await call("--set", "idd=1", "--dry-run").error.contains("idd"))
            #expect(
                try await call("--json", "-", "--dry-run", input: "{").error.contains(
                    "Standard input: this is not JSON"))
            let folder = try await call("--json", "/", "--dry-run")
            #expect(folder.status == 1 && folder.error.contains("“/” is a folder. Name a file"), "\(folder)")
            #expect(try await call("--json", "/nonexistent.json", "--dry-run").status == 1)
            let block = try await call(
                "--set", "id=1", "--dry-run", "--header-blocks", "-", input: #"{"NoSuchBlock": 1}"#)
            #expect(block.status == 1)
            #expect(block.error.contains("NoSuchBlock"), "\(block)")
            let program = try Program()
            defer { program.removeFiles() }
            let operation = try await program.signet("call", Program.wsdl, "LogEntryDelet", "--sample")
            #expect(operation.status == 1)
            #expect(operation.error.contains("LogEntryDelete"), "\(operation)")
        }

        @Test func credentialsDoNotTravelInTheOpen() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet(
                "call", Program.wsdl, "LogEntryDelete", "--set", "id=1", "--user", "app", "--password-env", "P",
                "--preemptive", "--endpoint", "http://127.0.0.1:1/", environment: ["P": "p-27182"])
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("plain HTTP"), "\(outcome)")
            #expect(!outcome.error.contains("p-27182"))
        }

        @Test func withoutATerminalTheProgramDoesNotPrompt() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            // A session of its own has no terminal.
            let outcome = try await program.run(
                "/usr/bin/setsid",
                ["-w", Program.path(), "call", Program.wsdl, "LogEntryDelete", "--set", "id=1", "--user", "app"])
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("--password-file or --password-env"), "\(outcome)")
        }
    }
}

import Foundation
import Testing

extension ProgramTests {
    /// The program's help and usage, and `signet generate`.
    @Suite struct GenerateTests {
        @Test(arguments: [[], ["demo"], ["generate"], ["call"], ["inspect"], ["fetch"], ["diff"]]) func helpHasExamples(
            command: [String]
        )
            async throws
        {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(Program.path(), command + ["--help"])
            #expect(outcome.status == 0)
            #expect(outcome.output.contains("USAGE: signet"))
            if !command.isEmpty { #expect(outcome.output.contains("Examples:")) }
        }

        @Test(arguments: [
            ["--nonsense"], ["generate"], ["generate", "x.wsdl"], ["inspect"], ["call", "x.wsdl"],
            ["generate", "x.wsdl", "--output", "d", "--access", "secret"], ["demo", "extra"],
        ])
        func wrongUsageIsTwo(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(Program.path(), arguments)
            #expect(outcome.status == 2, "\(outcome)")
            #expect(!outcome.error.isEmpty)
            #expect(outcome.output.isEmpty)
        }

        @Test func generateWritesTheFilesItNames() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let target = program.folder.appending(path: "Generated").path(percentEncoded: false)
            let outcome = try await program.signet("generate", Program.wsdl, "--output", target)
            #expect(outcome.status == 0, "\(outcome)")
            let names = outcome.output.split(separator: "\n").map(String.init)
            #expect(names.count == 9)
            for name in names { #expect(FileManager.default.fileExists(atPath: name), "\(name)") }
            let service = try String(contentsOfFile: "\(target)/WebEase+Service.swift", encoding: .utf8)
            #expect(service.contains("\nenum WebEase"))
            let checked = try await program.signet("generate", Program.wsdl, "--output", target, "--check")
            #expect(checked.status == 0, "\(checked)")
            try Data("// changed".utf8).write(to: URL(filePath: "\(target)/WebEase+Service.swift"))
            let changed = try await program.signet("generate", Program.wsdl, "--output", target, "--check")
            #expect(changed.status == 1, "\(changed)")
            #expect(changed.error.contains("WebEase+Service.swift"), "\(changed)")
        }

        @Test func optionsGoBeforeTheConfiguration() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let target = program.folder.appending(path: "Generated").path(percentEncoded: false)
            let configuration = try program.write(
                "access: internal\nnamespace: Diary\nroot: \(URL(filePath: Program.wsdl).deletingLastPathComponent().path)\n",
                to: "signet-generator-config.yaml")
            let outcome = try await program.signet(
                "generate", Program.wsdl, "--output", target, "--config", configuration, "--access", "package",
                "--port",
                "WebEasePort12", "--imports", "Foundation")
            #expect(outcome.status == 0, "\(outcome)")
            let service = try String(contentsOfFile: "\(target)/WebEase+Service.swift", encoding: .utf8)
            #expect(service.contains("package enum Diary"))
            #expect(service.contains("import Foundation"))
        }

        @Test func diagnosticsInJSONDoNotSteerTheTerminal() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let bad = try program.write(
                "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'><service name='a&#x9B;&#x202E;b'/></definitions>",
                to: "bad.wsdl")
            let outcome = try await program.signet(
                "generate", bad, "--output", program.folder.path(percentEncoded: false), "--json")
            #expect(outcome.status == 1)
            // JSON escapes the backslashes of a description that has escaped what steers already.
            #expect(outcome.output.contains(#"a\\u{9B}\\u{202E}b"#), "\(outcome)")
            for steering: Unicode.Scalar in ["\u{9B}", "\u{202E}"] {
                #expect(!outcome.output.unicodeScalars.contains(steering))
                #expect(!outcome.error.unicodeScalars.contains(steering))
            }
        }

        @Test func generateReportsTheDefectOfAFile() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let folder = program.folder.path(percentEncoded: false)
            let missing = try await program.signet("generate", "/nonexistent/a.wsdl", "--output", folder)
            #expect(missing.status == 1)
            #expect(missing.error.contains("/nonexistent/a.wsdl"))
            let bad = try program.write(
                "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>\n<service", to: "bad.wsdl")
            let outcome = try await program.signet("generate", bad, "--output", folder, "--json")
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("bad.wsdl:2:"), "\(outcome)")
            let report = try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any]
            #expect((report?["files"] as? [String])?.isEmpty == true)
        }
    }
}

import Foundation
import Testing

extension ProgramTests {
    /// `signet-generator`, whose output appears in build logs.
    @Suite struct GeneratorToolTests {
        private func generate(_ program: Program, _ arguments: String...) async throws -> Program.Outcome {
            try await program.run(Program.path("signet-generator"), arguments)
        }

        @Test func diagnosticsDoNotSteerTheTerminal() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let output = program.folder.appending(path: "out").path(percentEncoded: false)
            let configuration = try program.write(#""\e[31m\u202Ered": 1"#, to: "signet-generator-config.yaml")
            let fromYAML = try await generate(
                program, "--wsdl", Program.wsdl, "--output", output, "--config", configuration)
            #expect(fromYAML.status == 1)
            #expect(fromYAML.error.contains(#"\u{1B}[31m\u{202E}red"#), "\(fromYAML)")
            // A line break must not make a second diagnostic of one.
            let wsdl = try program.write(
                "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/' targetNamespace='urn:t'><types>"
                    + "<schema xmlns='http://www.w3.org/2001/XMLSchema'><element name='a' minOccurs='&#x9B;31m&#xA;b'/>"
                    + "<complexType name='b'><sequence><element name='c' minOccurs='&#x9B;31m&#xA;b'/></sequence>"
                    + "</complexType></schema></types></definitions>", to: "bad.wsdl")
            let fromWSDL = try await generate(program, "--wsdl", wsdl, "--output", output)
            #expect(fromWSDL.status == 1)
            #expect(fromWSDL.error.contains(#"\u{9B}31m b"#), "\(fromWSDL)")
            let usage = try await generate(program, "--\u{1B}[31m")
            #expect(usage.status == 2)
            for outcome in [fromYAML, fromWSDL, usage] {
                #expect(
                    outcome.error.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control },
                    "\(outcome)")
            }
        }

        @Test(arguments: [
            ["--wsdl", "--output", "X"], ["--wsdl", "a.wsdl", "--output", "--check"],
            ["--wsdl", "a.wsdl", "--output", "X", "--config", "--help"],
        ])
        func anOptionIsNoValue(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(Program.path("signet-generator"), arguments)
            #expect(outcome.status == 2)
            #expect(outcome.error.contains("needs a value, and ‘--"), "\(outcome)")
        }
    }
}

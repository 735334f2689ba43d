import Foundation
import Testing

extension ProgramTests {
    /// `signet inspect`, run as a user runs it.
    @Suite struct InspectProgramTests {
        @Test func theDemoIsDescribed() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let text = try await program.signet("inspect", Program.wsdl)
            #expect(text.status == 0)
            for line in [
                "Service WebEase  {urn:signet:example:webease}",
                "  Port WebEasePort  SOAP 1.1  https://localhost:8443/soap",
                "  Port WebEasePort12  SOAP 1.2  https://localhost:8443/soap", "  Operation LogEntryQuery",
                "      kind*  EntryKind (xs:string)  one of: Manual, Device, Imported, Corrected",
            ] {
                #expect(text.output.contains(line), "\(line)")
            }
            #expect(!text.output.contains("\u{1B}"), "No colour where there is no terminal.")
            #expect(!text.output.contains("cannot be"))
            let one = try await program.signet("inspect", Program.wsdl, "--operation", "Register", "--types", "0")
            #expect(one.output.contains("Operation Register"))
            #expect(!one.output.contains("Operation LogEntryQuery"))
            #expect(!one.output.contains("serialNumber"))
        }

        @Test func theJSONHasItsDocumentedNames() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet("inspect", Program.wsdl, "--json")
            let report = try #require(
                try JSONSerialization.jsonObject(with: Data(outcome.output.utf8)) as? [String: Any])
            #expect(Set(report.keys) == ["wsdl", "services", "diagnostics"])
            let service = try #require((report["services"] as? [[String: Any]])?.first)
            #expect(Set(service.keys) == ["name", "namespace", "documentation", "ports", "operations"])
            let port = try #require((service["ports"] as? [[String: Any]])?.first)
            #expect(
                Set(port.keys) == [
                    "name", "address", "binding", "security", "requirements", "acceptedRequirements",
                    "unsupportedRequirements",
                ])
            let operations = try #require(service["operations"] as? [[String: Any]])
            #expect(
                operations.compactMap { $0["name"] as? String } == [
                    "LogEntryQuery", "LogEntryCreate", "LogEntryUpdate", "LogEntryDelete", "Register",
                ])
            let update = operations[2]
            #expect(update["ports"] as? [String] == ["WebEasePort", "WebEasePort12"])
            #expect(
                (update["faults"] as? [[String: Any]])?.compactMap { $0["name"] as? String } == [
                    "EntryNotFound", "Conflict",
                ])
            let input = try #require(update["input"] as? [String: Any])
            let element = try #require((input["body"] as? [[String: Any]])?.first)
            #expect(element["name"] as? String == "LogEntryUpdate")
            #expect(element["namespace"] as? String == "urn:signet:example:webease:types")
        }

        /// The status says whether `signet generate` would make something.
        @Test(
            arguments: [
                ("t:a", 0), ("t:none", 1), ("t:string", 1),
            ] as [(String, Int32)])
        func theStatusIsThatOfGenerate(element: String, status: Int32) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let file = try program.write(
                """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
                 xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:t="urn:t" targetNamespace="urn:t">
                <types><xs:schema targetNamespace="urn:t"><xs:element name="a" type="xs:int"/></xs:schema></types>
                <message name="M"><part name="p" element="\(element)"/></message>
                <portType name="P"><operation name="Do"><input message="t:M"/></operation></portType>
                <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                <operation name="Do"><soap:operation soapAction=""/><input><soap:body use="literal"/></input></operation></binding>
                <service name="S"><port name="Q" binding="t:B"><soap:address location="http://localhost/"/></port></service>
                </definitions>
                """, to: "s.wsdl")
            let inspected = try await program.signet("inspect", file)
            let generated = try await program.signet("generate", file, "--output", program.folder.path())
            #expect(inspected.status == status && generated.status == status, "\(inspected) \(generated)")
            #expect(inspected.output.contains("Operation Do"))
            if status == 1 { #expect(inspected.error.contains("No code can be made of"), "\(inspected)") }
            #expect(try await program.signet("inspect", file, "--json").status == status)
        }

        @Test func anUnknownOperationIsReportedWithSuggestions() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let near = try await program.signet("inspect", Program.wsdl, "--operation", "LogEntryQery")
            #expect(near.status == 1, "\(near)")
            #expect(near.error.contains("Did you mean ‘LogEntryQuery’? It has ‘LogEntryQuery’, ‘LogEntry"), "\(near)")
            let far = try await program.signet("inspect", Program.wsdl, "--operation", "x")
            #expect(far.status == 1 && far.error.contains(". It has ‘LogEntryQuery’"), "\(far)")
            #expect(!far.error.contains("Did you mean"), "\(far)")
        }

        /// Simple types that restrict each other in a circle, whose length divides no bound.
        @Test(arguments: [2, 3, 7]) func circlesOfSimpleTypesEnd(length: Int) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let whole = try String(contentsOfFile: Program.wsdl, encoding: .utf8)
            let ring = (0..<length).map {
                "<xs:simpleType name='C\($0)'><xs:restriction base='types:C\(($0 + 1) % length)'/></xs:simpleType>"
            }
            let wsdl = try program.write(
                whole.replacing("</xs:schema>", with: "\(ring.joined())</xs:schema>")
                    .replacing("name=\"patientId\" type=\"xs:string\"", with: "name=\"patientId\" type=\"types:C0\""),
                to: "ring.wsdl")
            let outcome = try await program.signet("inspect", wsdl, "--types", "8")
            #expect([0, 1].contains(outcome.status) && outcome.output.contains("patientId"), "\(outcome)")
            #expect(try await program.signet("diff", wsdl, wsdl).status < 3)
        }

        @Test func unreadableFilesAndUnknownOperationsAreReported() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let missing = try await program.signet("inspect", "/nonexistent/a.wsdl")
            #expect(missing.status == 1)
            #expect(missing.error.contains("/nonexistent/a.wsdl"))
            let bad = try program.write(
                "<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'>\n<service", to: "bad.wsdl")
            let outcome = try await program.signet("inspect", bad)
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("bad.wsdl:2:"), "\(outcome)")
            let unknown = try await program.signet("inspect", Program.wsdl, "--operation", "register")
            #expect(unknown.status == 1)
            #expect(unknown.error.contains("‘register’"))
            #expect(try await program.signet("inspect", Program.wsdl, "--types", "99").status == 2)
        }
    }
}

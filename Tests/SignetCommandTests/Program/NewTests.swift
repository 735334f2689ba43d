import Foundation
import Testing

extension ProgramTests {
    /// `signet new`. The package that it makes of one WSDL is checked in as `Tests/NewPackage`, compiled, and run.
    @Suite struct NewTests {
        private static let root = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../..")
            .standardized

        private func wsdl(_ name: String) -> String {
            Self.root.appending(path: "Tests/ReferenceServices/\(name)/\(name).wsdl").path(percentEncoded: false)
        }

        private func files(in folder: URL) throws -> [String: String] {
            let all = FileManager.default.enumerator(atPath: folder.path(percentEncoded: false))
            var files: [String: String] = [:]
            for case let name as String in all ?? FileManager.DirectoryEnumerator() {
                let file = folder.appending(path: name)
                if let text = try? String(contentsOf: file, encoding: .utf8) { files[name] = text }
            }
            return files
        }

        /// `SIGNET_RECORD=1` writes what the command makes now in the place of what is checked in.
        @Test func thePackageEqualsTheCheckedInOne() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let made = program.folder.appending(path: "made")
            let outcome = try await program.signet(
                "new", wsdl("Parcels"), "--signet", "https://git.example/signet", "--output",
                made.path(percentEncoded: false))
            #expect(outcome.status == 0, "\(outcome)")
            let folder = Self.root.appending(path: "Tests/NewPackage")
            if ProcessInfo.processInfo.environment["SIGNET_RECORD"] == "1" {
                try? FileManager.default.removeItem(at: folder)
                try FileManager.default.copyItem(at: made, to: folder)
            }
            let (new, kept) = (try files(in: made), try files(in: folder))
            #expect(Set(new.keys) == Set(kept.keys))
            for (name, text) in new {
                // Not compared inside #expect, which would print both texts.
                let isSame = kept[name] == text
                #expect(isSame, "\(name) differs from what is checked in; look at it and run with SIGNET_RECORD=1.")
            }
        }

        @Test func nothingIsOverwritten() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let folder = program.folder.appending(path: "there")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try Data("mine".utf8).write(to: folder.appending(path: "README.md"))
            let outcome = try await program.signet(
                "new", wsdl("Parcels"), "--signet", "https://x.example/signet", "--output",
                folder.path(percentEncoded: false))
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("is not empty"))
            #expect(try files(in: folder) == ["README.md": "mine"])
        }

        @Test func namesPathsAndPlacesAreChecked() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            func new(_ arguments: String...) async throws -> Program.Outcome {
                try await program.run(Program.path(), ["new"] + arguments)
            }
            let out = program.folder.appending(path: "out").path(percentEncoded: false)
            for name in ["", "Parcels", "1a", "a b", "a/b", "-a", String(repeating: "a", count: 31)] {
                let outcome = try await new(
                    wsdl("Parcels"), "--signet", "https://x.example/s", "--output", out, "--name=\(name)")
                #expect(outcome.status == 2, "\(name): \(outcome)")
                #expect(outcome.error.contains("Usage: signet new"), "\(name): \(outcome)")
            }
            #expect(try await new(wsdl("Parcels"), "--signet", "a\"b", "--output", out).status == 2)
            #expect(try await new(wsdl("Parcels"), "--output", out).status == 2)
            let nowhere = try await new(wsdl("Parcels"), "--signet", "../nowhere", "--output", out)
            #expect(nowhere.status == 1 && nowhere.error.contains("there is no package"), "\(nowhere)")
            let absent = try await new("/absent.wsdl", "--signet", "https://x.example/s", "--output", out)
            #expect(absent.status == 1)
            #expect(absent.error.contains("there is no such file"))
            // There is no server for a service without SOAP.
            let plain = try await new(
                wsdl("PlainQueries"), "--signet", "https://x.example/s", "--output", out, "--json")
            #expect(plain.status == 1)
            #expect(plain.error.contains("without SOAP"))
            #expect(plain.output.contains("without SOAP"))
            #expect(!FileManager.default.fileExists(atPath: out))
        }

        @Test func namesOfFilesThatDoNotFitAreErrors() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let text = try String(contentsOfFile: wsdl("Parcels"), encoding: .utf8)
            let out = program.folder.appending(path: "out").path(percentEncoded: false)
            for (name, words) in [
                ("Parcels.xml", "must end in .wsdl"), ("a\"b.wsdl", "without quotes and backslashes"),
            ] {
                let file = try program.write(text, to: name)
                let outcome = try await program.signet("new", file, "--signet", "https://x.example/s", "--output", out)
                #expect(outcome.status == 1 && outcome.error.contains(words), "\(outcome)")
            }
            // The name of a service that Signet has itself, and one of a program of the system.
            for (name, module) in [
                ("Signet", "SignetServiceServer"), ("Mail", "MailServer"), ("Program", "ProgramServer"),
            ] {
                let changed = text.replacing("service name=\"Parcels\"", with: "service name=\"\(name)\"")
                let file = try program.write(changed, to: "\(name).wsdl")
                let made = program.folder.appending(path: name)
                let outcome = try await program.signet(
                    "new", file, "--signet", "https://x.example/fork.git", "--output", made.path(percentEncoded: false))
                #expect(outcome.status == 0, "\(outcome)")
                let files = try files(in: made)
                #expect(files["Sources/\(module)/Program.swift"]?.contains("struct \(module)Program") == true)
                #expect(files["deploy/\(name.lowercased())-server.service"] != nil)
                #expect(files["Package.swift"]?.contains("package: \"fork\")") == true)
            }
        }

        /// A relative place of Signet is seen from the folder of the package.
        @Test func theManifestFindsSignet() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for folder in ["a/b", "signet"] {
                try FileManager.default.createDirectory(
                    at: program.folder.appending(path: folder), withIntermediateDirectories: true)
            }
            try program.write("", to: "signet/Package.swift")
            let shell = """
                cd \(program.folder.path(percentEncoded: false))/a/b
                for output in new ../new ../../new ./x/new; do
                \(try Program.path()) new \(wsdl("Parcels")) --signet ../../signet --output $output > /dev/null
                grep -o 'path: "[^"]*"' $output/Package.swift
                done
                """
            let outcome = try await program.run("/bin/sh", ["-c", shell])
            #expect(
                outcome.output.split(separator: "\n") == [
                    "path: \"../../../signet\"", "path: \"../../signet\"", "path: \"../signet\"",
                    "path: \"../../../../signet\"",
                ], "\(outcome)")
        }

        /// What a WSDL imports comes along, and the choice of a port reaches the generator.
        @Test func importsAndChoicesComeAlong() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            try FileManager.default.createDirectory(
                at: program.folder.appending(path: "types"), withIntermediateDirectories: true)
            try program.write(
                """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/" xmlns:t="urn:t" targetNamespace="urn:t">
                <types><xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"><xs:import namespace="urn:t" schemaLocation="types/t.xsd"/></xs:schema></types>
                <message name="in"><part name="p" element="t:Ask"/></message><message name="out"><part name="p" element="t:Handlers"/></message>
                <portType name="P"><operation name="Ask"><input message="t:in"/><output message="t:out"/></operation></portType>
                <binding name="B" type="t:P"><soap:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                <operation name="Ask"><soap:operation soapAction="a"/><input><soap:body use="literal"/></input><output><soap:body use="literal"/></output></operation></binding>
                <service name="Question"><port name="A" binding="t:B"><soap:address location="http://x.example"/></port><port name="Z" binding="t:B"><soap:address location="http://x.example/z/ask?x=1"/></port></service>
                </definitions>
                """, to: "q.wsdl")
            try program.write(
                """
                <xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t" elementFormDefault="qualified">
                <xs:element name="Ask" type="xs:string"/><xs:element name="Handlers"><xs:complexType><xs:sequence><xs:element name="n" type="xs:int"/></xs:sequence></xs:complexType></xs:element>
                </xs:schema>
                """, to: "types/t.xsd")
            let signet = program.folder.appending(path: "source")
            try FileManager.default.createDirectory(at: signet, withIntermediateDirectories: true)
            try program.write("", to: "source/Package.swift")
            try program.write("port: A\n", to: "signet-generator-config.yaml")
            let made = program.folder.appending(path: "made")
            let outcome = try await program.signet(
                "new", program.folder.appending(path: "q.wsdl").path(percentEncoded: false), "--signet",
                signet.path(percentEncoded: false), "--port", "Z", "--output", made.path(percentEncoded: false))
            #expect(outcome.status == 0, "\(outcome)")
            let files = try files(in: made)
            #expect(files["Sources/QuestionServer/types/t.xsd"]?.contains("Handlers") == true)
            #expect(files["Sources/QuestionServer/signet-generator-config.yaml"] == "port: \"Z\"\n")
            #expect(outcome.error.contains("it is not used, and not copied"))
            #expect(files["Sources/QuestionServer/Handlers.swift"]?.contains("struct ServerHandlers: Service") == true)
            #expect(files["Sources/QuestionServer/Program.swift"]?.contains("path: \"/z/ask\"") == true)
            #expect(files["Package.swift"]?.contains("path: \"\(signet.path(percentEncoded: false))\"") == true)
            #expect(files["Tests/QuestionServerTests/HandlersTests.swift"]?.contains("port: \"Z\"") == true)
        }
    }
}

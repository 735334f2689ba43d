import Foundation
import SignetTLS
import TestSupport
import Testing

extension ProgramTests {
    @Suite struct EvidenceTests {
        private func permissions(_ url: URL) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: url.path)[.posixPermissions] as? Int
        }

        @Test func theFolderHoldsWhatWasSeenAndNoSecret() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            try openssl.write("Correct-Horse-7", "identity.password")
            try openssl("pkcs12 -export -in stranger.pem -passout file:identity.password -out stranger.p12")
            let server = try OpenSSLServer(
                ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"]
                    + BrokenSetup.demanding.split(separator: " ").map(String.init), in: openssl.folder)
            let program = try Program()
            defer { program.removeFiles() }
            let folder = program.folder.appending(path: "evidence")
            func path(_ name: String) -> String { openssl.folder.appending(path: name).path }
            let arguments = [
                "doctor", "https://localhost:\(server.port)/soap?token=Tr0ub4dor", "--ca", path("root.pem"),
                "--identity",
                path("stranger.p12"), "--identity-password-file", path("identity.password"), "--save-evidence",
                folder.path,
            ]
            let outcome = try await program.run(Program.path(), arguments)
            #expect(outcome.status == 1, "\(outcome)")

            let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
            #expect(
                names == [
                    "README.txt", "acceptable-issuers.txt", "client-certificates.pem", "connections.txt", "report.json",
                    "report.txt", "server-certificates.pem",
                ])
            #expect(try permissions(folder) == 0o700)
            func text(_ name: String) throws -> String {
                try String(contentsOf: folder.appending(path: name), encoding: .utf8)
            }
            let key = String(decoding: try openssl.bytes("alien.key"), as: UTF8.self).split(separator: "\n").filter {
                !$0.hasPrefix("-")
            }
            #expect(!key.isEmpty)
            let readme = try text("README.txt")
            for name in names {
                #expect(try permissions(folder.appending(path: name)) == 0o600, "\(name)")
                #expect(name == "README.txt" || readme.contains("\(name): "), "\(name)")
                let content = try text(name)
                for secret in ["PRIVATE", "Correct-Horse-7", "Tr0ub4dor"] + key.map(String.init) {
                    #expect(!content.contains(secret), "\(name) has a secret")
                }
            }
            #expect(try text("acceptable-issuers.txt") == "CN=root authority, O=Bank\n")
            let shown = try CertificateBundle(pem: Array(text("client-certificates.pem").utf8))
            #expect(try shown == CertificateBundle(pem: openssl.bytes("alien.pem")))
            let presented = try CertificateBundle(pem: Array(text("server-certificates.pem").utf8))
            // OpenSSL's server sends the authority too.
            #expect(
                try presented.certificates
                    == ["server.pem", "root.pem"].flatMap { try CertificateBundle(pem: openssl.bytes($0)).certificates }
            )
            let connections = try text("connections.txt")
            for line in [
                "127.0.0.1:\(server.port): connected", "version: TLS 1.3", "alert of the server: unknown_ca (48)",
            ] {
                #expect(connections.contains(line), "\(line) is missing: \(connections)")
            }
            #expect(try text("report.txt").contains("[issuer-not-acceptable]"))
            #expect(try JSONSerialization.jsonObject(with: Data(text("report.json").utf8)) is [String: Any])

            // A second time it has content.
            let again = try await program.run(Program.path(), arguments)
            #expect(again.status == 1 && again.error.contains("is not empty") && again.output.isEmpty, "\(again)")
        }

        /// An address in a WSDL may hold a password or a token.
        @Test func addressesOfAWSDLAreShownWithoutSecrets() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let file = try program.write(
                """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:s="http://schemas.xmlsoap.org/wsdl/soap/"
                  xmlns:t="urn:t" targetNamespace="urn:t">
                  <message name="m"/>
                  <portType name="p"><operation name="o"><input message="t:m"/></operation></portType>
                  <binding name="b" type="t:p">
                    <s:binding transport="http://schemas.xmlsoap.org/soap/http"/>
                    <operation name="o"><s:operation soapAction="x"/><input><s:body use="literal"/></input></operation>
                  </binding>
                  <service name="s">
                    <port name="a" binding="t:b"><s:address location="https://localhost:9/a?key=Tr0ub4dor"/></port>
                    <port name="c" binding="t:b"><s:address location="https://user:Horse-7@h.invalid/x?k=v"/></port>
                  </service>
                </definitions>
                """, to: "service.wsdl")
            let folder = program.folder.appending(path: "evidence")
            for options in [["--save-evidence", folder.path], ["--json"]] {
                let outcome = try await program.run(Program.path(), ["doctor", "--wsdl", file] + options)
                #expect(outcome.output.contains("https://…@h.invalid/x"), "\(outcome)")
                for secret in ["Tr0ub4dor", "Horse-7"] { #expect(!outcome.output.contains(secret), "\(outcome)") }
            }
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
                let text = try String(contentsOf: folder.appending(path: name), encoding: .utf8)
                #expect(!text.contains("Tr0ub4dor") && !text.contains("Horse-7"), "\(name)")
            }
        }

        @Test func anEmptyFolderIsTakenAndClosed() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let folder = program.folder.appending(path: "evidence")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o755])
            let outcome = try await program.signet("doctor", "https://localhost:9/", "--save-evidence", folder.path)
            #expect(outcome.status == 1, "\(outcome)")
            #expect(try permissions(folder) == 0o700)
            #expect(
                try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() == [
                    "README.txt", "connections.txt", "report.json", "report.txt",
                ])
            let file = try program.write("", to: "file")
            let refused = try await program.signet("doctor", "https://localhost:9/", "--save-evidence", file)
            #expect(refused.status == 1 && refused.error.contains("not a readable folder"), "\(refused)")
        }
    }
}

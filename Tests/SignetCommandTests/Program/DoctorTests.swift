import Foundation
import SignetTLS
import TestSupport
import Testing

/// What the doctor must find first, against servers of OpenSSL and Python.
struct BrokenSetup: Sendable, CustomTestStringConvertible {
    /// The code of the most likely cause; nil for a setup that works.
    let expected: String?
    /// The options of `openssl s_server` beside its port and its certificate.
    let server: String
    let options: [String]
    /// The certificate of the server.
    let certificate: String
    /// Whether there may be a warning.
    let isServed: Bool
    var testDescription: String { "\(expected ?? "healthy") \(server) \(options.joined(separator: " "))" }

    init(
        _ expected: String?, server: String = demanding, certificate: String = "server", isServed: Bool = false,
        _ options: String...
    ) {
        self.isServed = isServed
        self.expected = expected
        self.server = server
        self.certificate = certificate
        self.options = options
    }

    static let demanding = "-Verify 3 -verify_return_error -CAfile root.pem"
    private static let authority = ["--ca", "root.pem"]

    static let all: [BrokenSetup] = [
        .init(nil, "--ca", "root.pem", "--identity", "whole.pem"),
        .init(nil, server: demanding + " -tls1_2", "--ca", "root.pem", "--identity", "whole.pem"),
        .init(nil, server: "", "--ca", "root.pem"),
        .init("intermediates-not-sent", "--ca", "root.pem", "--identity", "short.pem"),
        .init(
            "intermediates-not-sent", server: demanding + " -tls1_2", "--ca", "root.pem", "--identity", "short.pem"),
        .init("issuer-not-acceptable", "--ca", "root.pem", "--identity", "stranger.pem"),
        .init(
            "issuer-not-acceptable", server: demanding + " -tls1_2", "--ca", "root.pem", "--identity", "stranger.pem"),
        .init("client-certificate-required", "--ca", "root.pem"),
        .init("client-certificate-required", server: demanding + " -tls1_2", "--ca", "root.pem"),
        .init("identity-not-for-clients", "--ca", "root.pem", "--identity", "usage.pem"),
        .init("identity-expired", "--ca", "root.pem", "--identity", "expired.pem"),
        .init("identity-key-mismatch", "--ca", "root.pem", "--identity", "mismatch.pem"),
        .init("identity-certificate-missing", "--ca", "root.pem", "--identity", "alone.pem"),
        .init("identity-key-missing", "--ca", "root.pem", "--identity", "keyless.pem"),
        .init(
            "identity-password-wrong", "--ca", "root.pem", "--identity", "whole.p12", "--identity-password-file",
            "wrong.password"),
        .init(
            "identity-cipher-unsupported", "--ca", "root.pem", "--identity", "rare.p12", "--identity-password-file",
            "right.password"),
        .init(
            "key-type-not-accepted", server: demanding + " -client_sigalgs RSA-PSS+SHA256:RSA+SHA256", "--ca",
            "root.pem",
            "--identity", "whole.pem"),
        .init("server-host-mismatch", server: "", certificate: "elsewhere", "--ca", "root.pem"),
        .init("server-not-trusted", server: "", "--ca", "other.pem"),
        .init("server-not-trusted", server: ""),
        // The client ends the connection before it shows its own certificate.
        .init("server-not-trusted", "--ca", "other.pem", "--identity", "whole.pem"),
        .init("server-chain-incomplete", certificate: "deep", "--ca", "root.pem", "--identity", "whole.pem"),
        // The service speaks TLS, and its WSDL is elsewhere: at a port at which nothing listens.
        .init(
            nil, isServed: true, "--ca", "root.pem", "--identity", "whole.pem", "--document",
            "https://localhost:9/?wsdl"),
        .init("identity-cipher-unsupported", "--ca", "root.pem", "--identity", "weak.pem"),
        .init("server-chain-incomplete", server: "", certificate: "deep", "--ca", "root.pem"),
        .init(
            "tls-version-unsupported", server: "-tls1_1 -cipher ALL:@SECLEVEL=0", "--ca", "root.pem"),
        .init(
            "tls-version-unsupported", server: demanding + " -tls1_3", "--ca", "root.pem", "--identity", "whole.pem",
            "--identity-late"),
        .init(
            "no-common-cipher-suite", server: "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA", "--ca", "root.pem"),
    ]
}

extension ProgramTests {
    @Suite struct DoctorTests {
        private struct Report: Decodable {
            struct Diagnosis: Decodable {
                struct Finding: Decodable {
                    let code: String
                    let severity: String
                    let party: String
                }
                let mostLikely: String?
                let findings: [Finding]
            }
            let diagnosis: Diagnosis
        }

        private func examine(
            _ openssl: OpenSSL, _ url: String, _ options: [String]
        ) async throws -> (outcome: Program.Outcome, report: Report?) {
            let program = try Program()
            defer { program.removeFiles() }
            let paths = options.map {
                $0.hasSuffix(".pem") || $0.hasSuffix(".p12") || $0.hasSuffix(".password")
                    ? openssl.folder.appending(path: $0).path : $0
            }
            let outcome = try await program.run(
                Program.path(), ["doctor", url, "--json", "--timeout", "15"] + paths)
            return (outcome, try? JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)))
        }

        @Test func theLikeliestCauseComesFirst() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            for setup in BrokenSetup.all {
                let server = try OpenSSLServer(
                    [
                        "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "\(setup.certificate).pem", "-key",
                        "\(setup.certificate).key",
                    ] + setup.server.split(separator: " ").map(String.init), in: openssl.folder)
                let (outcome, found) = try await examine(
                    openssl, "https://localhost:\(server.port)/soap", setup.options)
                let report = try #require(found, "\(setup.testDescription): \(outcome)")
                #expect(
                    report.diagnosis.mostLikely == setup.expected,
                    "\(setup.testDescription): \(report.diagnosis.findings.map(\.code))")
                #expect(outcome.status == (setup.expected == nil ? 0 : 1), "\(setup.testDescription)")
                if setup.isServed {
                    #expect(report.diagnosis.findings.first?.code == "document-unavailable", "\(report)")
                } else if setup.expected == nil {
                    #expect(report.diagnosis.findings.allSatisfy { $0.severity == "notice" }, "\(report)")
                }
            }
        }

        /// The WSDL has two ports, and the address of one of them is given by it alone; its own address needs a certificate.
        @Test func theWSDLNamesThePorts() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            func serve(_ authority: String) throws -> OpenSSLServer {
                try OpenSSLServer(
                    [
                        "s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key",
                        "-Verify", "3", "-verify_return_error", "-CAfile", authority,
                    ], in: openssl.folder)
            }
            let (seals, persons) = (try serve("other.pem"), try serve("root.pem"))
            let ports = ["Seal": seals.port, "Person": persons.port]
            let wsdl = openssl.folder.appending(path: "two.wsdl")
            try openssl.write(Self.description(ports), "two.wsdl")
            let identity = ["--ca", "root.pem", "--identity", "whole.pem", "--wsdl", wsdl.path]
            let wrong = try await examine(openssl, "https://localhost:\(seals.port)/soap", identity)
            #expect(wrong.report?.diagnosis.mostLikely == "wrong-port-for-certificate", "\(wrong)")
            let right = try await examine(
                openssl, "https://localhost:\(persons.port)/soap",
                identity + ["--document", "https://localhost:\(persons.port)/soap?wsdl"])
            #expect(right.report?.diagnosis.findings.map(\.code) == ["document-without-identity"], "\(right)")
        }

        private static func description(_ ports: [String: Int]) -> String {
            let lines = ports.sorted { $0.key > $1.key }.map { name, port in
                "<port name=\"\(name)\" binding=\"t:B\"><soap:address location=\"https://localhost:\(port)/soap\"/></port>"
            }
            return """
                <definitions xmlns="http://schemas.xmlsoap.org/wsdl/" xmlns:soap="http://schemas.xmlsoap.org/wsdl/soap/"
                    xmlns:t="urn:t" xmlns:xs="http://www.w3.org/2001/XMLSchema" targetNamespace="urn:t">
                  <types><xs:schema targetNamespace="urn:t"><xs:element name="Ask" type="xs:string"/></xs:schema></types>
                  <message name="M"><part name="p" element="t:Ask"/></message>
                  <portType name="P"><operation name="Ask"><input message="t:M"/></operation></portType>
                  <binding name="B" type="t:P">
                    <soap:binding style="document" transport="http://schemas.xmlsoap.org/soap/http"/>
                    <operation name="Ask"><soap:operation soapAction=""/><input><soap:body use="literal"/></input></operation>
                  </binding>
                  <service name="S">\(lines.joined())</service>
                </definitions>
                """
        }

        @Test func aServiceThatCannotBeReachedIsNamed() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let refused = try await examine(openssl, "https://localhost:9/", [])
            #expect(refused.report?.diagnosis.mostLikely == "connection-refused")
            let unknown = try await examine(openssl, "https://nowhere.invalid/", [])
            #expect(unknown.report?.diagnosis.mostLikely == "host-unknown")
        }

        @Test func thePageAndTheTextSayTheSame() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let server = try OpenSSLServer(
                ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"]
                    + BrokenSetup.demanding.split(separator: " ").map(String.init), in: openssl.folder)
            let program = try Program()
            defer { program.removeFiles() }
            let page = program.folder.appending(path: "report.html")
            let outcome = try await program.run(
                Program.path(),
                [
                    "doctor", "https://localhost:\(server.port)/", "--ca",
                    openssl.folder.appending(path: "root.pem").path,
                    "--identity", openssl.folder.appending(path: "short.pem").path, "--save", page.path,
                ])
            #expect(outcome.status == 1)
            let lines = outcome.output.split(separator: "\n")
            #expect(lines.allSatisfy { $0.count <= 80 }, "\(lines.filter { $0.count > 80 })")
            let pin = try #require(
                try CertificateBundle(pem: openssl.bytes("server.pem")).certificates.first?.publicKeySHA256)
            for text in [
                "Most likely:", "[intermediates-not-sent]", "you, on the client's side", "CN=root authority",
                "sha256//\(Data(pin).base64EncodedString())",
            ] { #expect(outcome.output.contains(text), "\(text) is missing: \(outcome.output)") }
            let html = try String(contentsOf: page, encoding: .utf8)
            #expect(html.hasPrefix("<!DOCTYPE html>") && html.contains("intermediates-not-sent"))
        }

        @Test func aPageThatCannotBeWrittenIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.signet("doctor", "http://127.0.0.1:9/", "--save", program.folder.path)
            #expect(outcome.status == 1 && outcome.output.contains("Most likely:"), "\(outcome)")
            #expect(outcome.error.contains("cannot be written to") && outcome.error.contains("directory"), "\(outcome)")
            #expect(!outcome.error.contains("NSCocoaErrorDomain"), "\(outcome)")
        }

        @Test func wrongUsageIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for arguments in [
                ["doctor"], ["doctor", "https://localhost/", "--timeout", "0"],
                ["doctor", "https://localhost/", "--document", "https://localhost/?wsdl"],
                ["doctor", "foo"], ["doctor", "https://"], ["doctor", "https://localhost:0/"],
                ["doctor", "https://localhost/", "--identity", "device.p12", "--document", "foo"],
                ["enroll", "policies", "foo"], ["fetch", "foo", "--output", "a"],
            ] {
                let outcome = try await program.run(Program.path(), arguments)
                #expect(outcome.status == 2, "\(outcome)")
            }
            let user = try await program.signet("doctor", "https://localhost/", "--user", "app")
            #expect(user.status == 2 && user.error.contains("sends no credentials"), "\(user)")
            let outcome = try await program.run(Program.path(), ["doctor", "ftp://localhost/"])
            #expect(outcome.status == 2 && outcome.error.contains("only http and https"), "\(outcome)")
        }
    }
}

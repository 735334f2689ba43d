import Foundation
import TestSupport
import Testing

extension ProgramTests {
    /// `signet doctor --listen`, with `openssl s_client` and curl as the clients that fail.
    @Suite struct ListenTests {
        private struct Report: Decodable {
            struct Client: Decodable {
                struct Offer: Decodable {
                    let versions: [String]
                    let cipherSuites: [String]
                    let serverName: String?
                    let applicationProtocols: [String]
                    let signatureSchemes: [String]
                }
                struct Certificate: Decodable { let subject: String }
                struct Verdict: Decodable {
                    let code: String?
                    let rule: String?
                }
                struct Alert: Decodable { let name: String }
                let end: String
                let offer: Offer?
                let version: String?
                let certificates: [Certificate]
                let verdict: Verdict?
                let alert: Alert?
            }
            struct Diagnosis: Decodable { let mostLikely: String? }
            let client: Client
            let diagnosis: Diagnosis
        }

        /// What a client does, with the port of the server as an argument, and what the server must find.
        private struct Visit {
            let expected: String?
            let end: String
            let command: @Sendable (OpenSSL, Int) throws -> [String]

            init(_ expected: String?, _ end: String, openssl options: String) {
                self.expected = expected
                self.end = end
                command = { _, port in
                    ["/usr/bin/openssl", "s_client", "-connect", "127.0.0.1:\(port)", "-servername", "localhost"]
                        + options.split(separator: " ").map(String.init)
                }
            }

            init(_ expected: String?, _ end: String, curl options: String, scheme: String = "https") {
                self.expected = expected
                self.end = end
                command = { _, port in
                    ["/usr/bin/env", "curl", "-sS", "--max-time", "5"] + options.split(separator: " ").map(String.init)
                        + ["\(scheme)://localhost:\(port)/", "--resolve", "localhost:\(port):127.0.0.1"]
                }
            }
        }

        private static let visits: [Visit] = [
            .init(nil, "answered", curl: "--cacert root.pem --cert whole.pem"),
            .init(nil, "answered", curl: "--cacert root.pem --cert whole.pem --tls-max 1.2"),
            .init("client-shows-no-certificate", "withoutCertificate", curl: "--cacert root.pem"),
            .init("client-shows-no-certificate", "withoutCertificate", curl: "--cacert root.pem --tls-max 1.2"),
            .init("client-chain-incomplete", "refused", openssl: "-CAfile root.pem -cert device.pem -key device.key"),
            .init("client-authority-unknown", "refused", curl: "--cacert root.pem --cert stranger.pem"),
            .init("client-certificate-expired", "refused", curl: "--cacert root.pem --cert expired.pem"),
            .init("client-certificate-not-for-clients", "refused", curl: "--cacert root.pem --cert usage.pem"),
            .init("client-distrusts-server", "alert", curl: "--cacert other.pem --cert whole.pem"),
            .init("client-distrusts-server", "alert", curl: "--cacert other.pem --cert whole.pem --tls-max 1.2"),
            .init("client-without-tls", "notTLS", curl: "", scheme: "http"),
            .init("client-version-unsupported", "incompatible", openssl: "-tls1_1 -cipher ALL:@SECLEVEL=0"),
            .init(
                "client-algorithms-unsupported", "incompatible",
                openssl: "-tls1_2 -cipher ECDHE-ECDSA-AES128-SHA:@SECLEVEL=0"),
            // RSA key exchange only.
            .init(
                "client-algorithms-unsupported", "incompatible", openssl: "-tls1_2 -cipher AES128-SHA:@SECLEVEL=0"),
        ]

        /// Waits for the line that names the port.
        private func port(in file: URL) async throws -> Int {
            while true {
                let text = try String(contentsOf: file, encoding: .utf8)
                if let match = text.firstMatch(of: #/Listening on 127\.0\.0\.1:(\d+) as/#), let port = Int(match.1) {
                    return port
                }
                try await Task.sleep(for: .milliseconds(20))
            }
        }

        /// Runs the doctor as a server while clients come, one after the other, each a command in the folder of `openssl`.
        private func listen(
            _ openssl: OpenSSL, _ options: [String], to clients: @escaping @Sendable (_ port: Int) throws -> [[String]]
        ) async throws -> Program.Outcome {
            try openssl.write(try openssl.bytes("server.pem") + openssl.bytes("server.key"), "listener.pem")
            let program = try Program()
            defer { program.removeFiles() }
            let shell = try Program()
            defer { shell.removeFiles() }
            let log = try program.write("", to: "listening")
            let arguments = [
                "-c", "exec \"$0\" \"$@\" 2>\(log)", try Program.path(), "doctor", "--listen", "127.0.0.1:0",
                "--identity", openssl.folder.appending(path: "listener.pem").path,
            ]
            return try await program.run("/bin/sh", arguments + options) { _ in
                for command in try clients(try await port(in: URL(filePath: log))) {
                    _ = try await shell.run(
                        "/bin/sh", ["-c", "cd \"$0\" && exec \"$@\" </dev/null", openssl.folder.path] + command)
                }
            }
        }

        @Test func eachClientIsTold() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let authority = openssl.folder.appending(path: "root.pem").path
            let outcome = try await listen(
                openssl, ["--ca", authority, "--count", "\(Self.visits.count)", "--json"]
            ) { port in try Self.visits.map { try $0.command(openssl, port) } }
            #expect(outcome.status == 1, "\(outcome)")
            let reports = try outcome.output.split(separator: "\n").map {
                try JSONDecoder().decode(Report.self, from: Data($0.utf8))
            }
            try #require(reports.count == Self.visits.count, "\(outcome)")
            for (position, (report, visit)) in zip(reports, Self.visits).enumerated() {
                #expect(report.diagnosis.mostLikely == visit.expected, "\(position): \(report)")
                #expect(report.client.end == visit.end, "\(position): \(report)")
            }
            let offer = try #require(reports[0].client.offer)
            #expect(offer.versions.prefix(2) == ["TLS 1.3", "TLS 1.2"] && offer.serverName == "localhost")
            #expect(offer.cipherSuites.contains("TLS_AES_128_GCM_SHA256"))
            #expect(offer.applicationProtocols.contains("http/1.1"))
            #expect(offer.signatureSchemes.contains("ecdsa_secp256r1_sha256"))
            #expect(reports[0].client.version == "TLS 1.3" && reports[1].client.version == "TLS 1.2")
            #expect(reports[0].client.certificates.map(\.subject) == ["CN=device, O=Bank", "CN=middle, O=Bank"])
            #expect(reports[5].client.certificates.map(\.subject) == ["CN=alien, O=Bank"])
            #expect(reports[5].client.verdict?.code == "unknownAuthority")
            #expect(reports[6].client.verdict?.rule?.contains("RFC 5280") == true, "\(reports[6])")
            #expect(reports[8].client.alert?.name == "unknown_ca" && reports[9].client.alert?.name == "unknown_ca")
        }

        @Test func theTextNamesTheOneWhoHasToAct() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let outcome = try await listen(openssl, ["--count", "2"]) { port in
                let look = "import socket; socket.create_connection(('127.0.0.1', \(port))).close()"
                return [["python3", "-c", look]]
                    + ["root", "other"].map {
                        [
                            "curl", "-sS", "--cacert", "\($0).pem", "https://localhost:\(port)/", "--resolve",
                            "localhost:\(port):127.0.0.1",
                        ]
                    }
            }
            #expect(outcome.status == 1, "\(outcome)")
            for text in [
                "  answered\n", "was not asked for a certificate", "ended by the client's alert",
                "server name: localhost",
                "FAILURE  The client does not accept the certificate of this server.",
                "Who has to act: you, on the server's side, or the client's side", "[client-distrusts-server]",
            ] { #expect(outcome.output.contains(text), "\(text) is missing: \(outcome.output)") }
            #expect(outcome.output.split(separator: "\n").allSatisfy { $0.count <= 80 })
        }

        /// 192.0.2.1 is of no machine (RFC 5737).
        @Test func anAddressThatCannotBeUsedIsSaid() async throws {
            let openssl = try OpenSSL.bank()
            defer { openssl.remove() }
            let program = try Program()
            defer { program.removeFiles() }
            let identity = openssl.folder.appending(path: "whole.pem").path
            let outcome = try await program.run(
                Program.path(), ["doctor", "--listen", "192.0.2.1:8443", "--identity", identity])
            #expect(
                outcome.status == 1 && outcome.error.contains("Cannot listen at 192.0.2.1, port 8443"), "\(outcome)")
            #expect(outcome.error.contains("(Cannot assign requested address)"), "\(outcome)")
        }

        @Test func wrongUsageIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for (options, text) in [
                (["--listen"], "needs the server's own --identity"),
                (["--listen", "localhost"], "--listen"),
                (["--listen", "127.0.0.1:1", "--identity", "a", "--wsdl", "b"], "--wsdl has no effect with --listen"),
                (["https://a/", "--listen", "127.0.0.1:1", "--identity", "a"], "no effect with --listen"),
                (["--listen", "127.0.0.1:1", "--identity", "a", "--count", "0"], "--count is at least 1"),
                (["https://a/", "--count", "1"], "--count is about --listen"),
            ] {
                let outcome = try await program.run(Program.path(), ["doctor"] + options)
                #expect(outcome.status == 2 && outcome.error.contains(text), "\(options): \(outcome)")
            }
        }
    }
}

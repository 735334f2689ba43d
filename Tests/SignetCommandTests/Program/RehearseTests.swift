import Foundation
import TestSupport
import Testing

extension ProgramTests {
    @Suite struct RehearseTests {
        private struct Report: Decodable {
            struct Service: Decodable {
                struct Diagnosis: Decodable { let mostLikely: String? }
                let name: String
                let url: String
                let outcome: String
                let cause: String?
                let party: String?
                let today: Diagnosis
                let next: Diagnosis
            }
            let judgedAt: String?
            let counts: [String: Int]
            let services: [Service]
        }

        /// Three servers: one takes the present identity only, one takes any caller, one takes the next identity only.
        private struct Services {
            let openssl: OpenSSL
            let servers: [OpenSSLServer]
            let list: String

            init() throws {
                let openssl = try OpenSSL.bank()
                func server(_ options: String) throws -> OpenSSLServer {
                    try OpenSSLServer(
                        ["s_server", "-accept", "127.0.0.1:0", "-www", "-cert", "server.pem", "-key", "server.key"]
                            + options.split(separator: " ").map(String.init), in: openssl.folder)
                }
                servers = [
                    try server(BrokenSetup.demanding), try server(""),
                    try server("-Verify 3 -verify_return_error -CAfile other.pem"),
                ]
                self.openssl = openssl
                try openssl.write(
                    """
                    # The services of the bank.
                    - url: https://localhost:\(servers[0].port)/soap
                      name: Payments
                      ca: root.pem
                      identity: whole.p12
                      identity-password-file: right.password
                    - url: https://localhost:\(servers[1].port)/rates?token=confidential
                      ca: [root.pem, other.pem]
                    - url: https://localhost:\(servers[2].port)/
                      name: Moved
                      ca: root.pem
                      identity: whole.pem
                    - {url: "https://localhost:9/", name: Gone, ca: root.pem}
                    """, "endpoints.yaml")
                try openssl.write("right\n", "right.password")
                list = openssl.folder.appending(path: "endpoints.yaml").path
            }

            func path(_ name: String) -> String { openssl.folder.appending(path: name).path }
        }

        private func rehearse(_ list: String, _ options: [String]) async throws -> (Program.Outcome, Report?) {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(
                Program.path(), ["rehearse", list, "--timeout", "15", "--json"] + options)
            return (outcome, try? JSONDecoder().decode(Report.self, from: Data(outcome.output.utf8)))
        }

        @Test func itSaysWhichServicesTheNextIdentityBreaks() async throws {
            let services = try Services()
            defer { services.openssl.remove() }
            let (outcome, found) = try await rehearse(services.list, ["--identity", services.path("stranger.pem")])
            let report = try #require(found, "\(outcome)")
            #expect(outcome.status == 1)
            #expect(report.services.map(\.outcome) == ["will-break", "unchanged", "will-be-repaired", "still-broken"])
            #expect(
                report.services.map(\.cause)
                    == ["issuer-not-acceptable", nil, "issuer-not-acceptable", "connection-refused"])
            #expect(report.services.map(\.party) == ["either", nil, "either", "them"])
            #expect(report.services.first?.today.mostLikely == nil)
            #expect(report.services.first?.next.mostLikely == "issuer-not-acceptable")
            #expect(report.services.map(\.name)[1] == "https://localhost:\(services.servers[1].port)")
            #expect(report.judgedAt == nil && report.counts["will-break"] == 1)
            #expect(!outcome.output.contains("confidential") && !outcome.output.contains("right"))
        }

        @Test func theIdentityOfTodayBreaksNothing() async throws {
            let services = try Services()
            defer { services.openssl.remove() }
            let (outcome, found) = try await rehearse(services.list, ["--identity", services.path("whole.pem")])
            let report = try #require(found, "\(outcome)")
            #expect(outcome.status == 0)
            #expect(report.services.map(\.outcome) == ["unchanged", "unchanged", "still-broken", "still-broken"])
        }

        @Test func otherAuthoritiesAreTried() async throws {
            let services = try Services()
            defer { services.openssl.remove() }
            let (outcome, found) = try await rehearse(services.list, ["--ca", services.path("other.pem")])
            let report = try #require(found, "\(outcome)")
            #expect(outcome.status == 1)
            #expect(report.services.prefix(2).allSatisfy { $0.outcome == "will-break" })
            #expect(report.services.prefix(2).allSatisfy { $0.cause == "server-not-trusted" && $0.party == "us" })
        }

        /// The certificates are valid for ninety days; the servers are asked today.
        @Test func aLaterDateIsTried() async throws {
            let services = try Services()
            defer { services.openssl.remove() }
            let soon = Date.now.addingTimeInterval(60 * 86_400).formatted(.iso8601.year().month().day())
            let (fine, found) = try await rehearse(services.list, ["--at", soon])
            let report = try #require(found, "\(fine)")
            #expect(fine.status == 0)
            #expect(report.judgedAt == "\(soon) 00:00:00 UTC")
            #expect(report.services.map(\.outcome) == ["unchanged", "unchanged", "still-broken", "still-broken"])

            let late = Date.now.addingTimeInterval(120 * 86_400).formatted(.iso8601.year().month().day())
            let (broken, then) = try await rehearse(services.list, ["--at", late])
            let all = try #require(then, "\(broken)").services
            #expect(broken.status == 1)
            #expect(all.map(\.outcome).prefix(2) == ["will-break", "will-break"])
            #expect(all.map(\.cause).prefix(2) == ["identity-expired", "server-certificate-expired"])
            // No clock shows that date.
            #expect(!broken.output.contains("by the local clock"))
        }

        @Test func theTableHasALineForEachService() async throws {
            let services = try Services()
            defer { services.openssl.remove() }
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(
                Program.path(), ["rehearse", services.list, "--identity", services.path("stranger.pem")])
            let lines = outcome.output.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
            let rows = lines.prefix { !$0.isEmpty }
            #expect(rows.count == 5 && rows.first?.hasPrefix("OUTCOME") == true, "\(outcome)")
            #expect(rows.contains { $0.hasPrefix("will break") && $0.contains("Payments") })
            #expect(outcome.output.contains("WILL BREAK  Payments, https://localhost:\(services.servers[0].port)/soap"))
            #expect(lines.last { !$0.isEmpty } == "1 unchanged, 1 will break, 1 still broken, 1 will be repaired.")
        }

        @Test func mistakesInTheListHaveTheirPlaces() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            func errors(_ text: String) async throws -> String {
                let list = try program.write(text, to: "endpoints.yaml")
                let outcome = try await program.signet("rehearse", list, "--at", "2099-01-01")
                #expect(outcome.status == 1 && outcome.output.isEmpty, "\(outcome)")
                return outcome.error
            }
            let several = try await errors(
                """
                - url: http://plain.example/
                - nam: Bank
                  url: https://bank.example/
                - ca: root.pem
                - url: https://proxied.example/
                  proxy: ftp://proxy.example
                  identity-password-file: secret.txt
                - url: https://bank.example/
                  ca: [root.pem, {file: other.pem}]
                """)
            for text in [
                "endpoints.yaml:1:8: error: a rehearsal is about TLS, but http://plain.example uses plain HTTP",
                "endpoints.yaml:2:3: error: a service has no key ‘nam’; did you mean ‘name’?",
                "endpoints.yaml:4:3: error: this service has no ‘url’.",
                "endpoints.yaml:6:10: error: The address “ftp://proxy.example” cannot be used",
                "endpoints.yaml:7:27: error: ‘identity-password-file’ is about an identity",
                "endpoints.yaml:9:18: error: ‘ca’ takes the path of a file, or a list of paths.",
            ] { #expect(several.contains(text), "\(text) is missing: \(several)") }
            #expect(try await errors("").contains("endpoints.yaml: error: this is a list of services"))
            #expect(
                try await errors("url: https://a/").contains("endpoints.yaml:1:1: error: this is a list of services"))
            #expect(try await errors("- [").contains("error: this is not YAML"))
            #expect(try await errors("- &a {url: x}").contains("endpoints.yaml:1:3: error: ‘&a’ would be an anchor"))
            let missing = try await errors("- url: https://a.example/\n  ca: none.pem")
            #expect(
                missing.contains("endpoints.yaml:2:7: error: The file") && missing.contains("none.pem"), "\(missing)")
            let identity = try await errors("- url: https://a.example/\n  identity: none.p12")
            #expect(identity.contains("endpoints.yaml:2:13: error: The file"), "\(identity)")
        }

        @Test func wrongUsageIsSaid() async throws {
            let program = try Program()
            defer { program.removeFiles() }
            for (options, text) in [
                ([], "give --identity, --ca or --at"), (["--at", "2020-01-01"], "is over"),
                (["--at", "May"], "no date"),
                (["--identity", "a", "--identity-anyway"], "--identity-anyway is left out"),
                (["--ca", "a", "--timeout", "0"], "--timeout"),
            ] {
                let outcome = try await program.run(Program.path(), ["rehearse", "endpoints.yaml"] + options)
                #expect(outcome.status == 2 && outcome.error.contains(text), "\(outcome)")
            }
        }
    }
}

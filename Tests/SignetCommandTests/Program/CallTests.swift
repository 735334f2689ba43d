import Foundation
import SignetTesting
import Testing

@testable import SignetDemo

extension ProgramTests {
    /// `signet call` against a service that demands a client certificate and a password.
    @Suite struct CallTests {
        static let entry = """
            {"entry": {"patientId": "P-1", "entryDate": "2026-11-02", "systolic": 142, "diastolic": 91, "weight": 81.40,
             "flagged": true, "note": null, "kind": "Device", "tag": ["evening", "<sport> & 😀"], "@source": "test"}}
            """

        @Test func theMainJobFromTheCommandLine() async throws {
            try await WebEaseFixture.use { webEase in
                let device = try await webEase.registeredDevice()
                for (number, version) in [
                    [], ["--port-name", "WebEasePort12"], ["--soap", "1.2"],
                    ["--soap", "1.2", "--port-name", "WebEasePort"],
                ].enumerated() {
                    try await writeAndRead(webEase, device + version, entries: number + 1)
                }
            }
        }

        private func writeAndRead(_ webEase: WebEaseFixture, _ device: [String], entries count: Int) async throws {
            let made = try await webEase.call("LogEntryCreate", ["--json", "-"], as: device, input: Self.entry)
            #expect(made.status == 0, "\(made)")
            #expect(made.output.contains(#""note": null"#), "\(made)")
            #expect(made.output.contains("81.4"), "\(made)")
            let found = try await webEase.call(
                "LogEntryQuery",
                ["--set", "patientId=P-1", "--set", "kind[]=Device", "--set", "limit=5", "--verbose"], as: device)
            #expect(found.status == 0, "\(found)")
            let answer = try #require(
                try JSONSerialization.jsonObject(with: Data(found.output.utf8)) as? [String: Any])
            let entries = try #require(answer["entry"] as? [[String: Any]])
            #expect(entries.count == count)
            #expect(entries.last?["tag"] as? [String] == ["evening", "<sport> & 😀"])
            #expect(entries.last?["@source"] as? String == "test")
            #expect(answer["truncated"] as? Bool == false)
            #expect(found.error.contains("* the client proved: CN=WebEase device WE-1"), "\(found)")
            #expect(
                found.error.contains("HTTP 401 (asks for Basic), then 200 after sending Basic credentials"), "\(found)")
        }

        @Test func theRawAnswerIsPrintedWhenAskedFor() async throws {
            try await WebEaseFixture.use { webEase in
                let device = try await webEase.registeredDevice()
                let answer = try await webEase.call("LogEntryQuery", ["--set", "patientId=P-1", "--xml"], as: device)
                #expect(answer.status == 0)
                #expect(answer.output.contains("Envelope"))
                #expect(answer.output.contains("truncated>false<"))
                let fault = try await webEase.call("LogEntryDelete", ["--set", "id=77", "--xml"], as: device)
                #expect(fault.status == 1)
                #expect(fault.output.contains("EntryNotFound"))
            }
        }

        @Test func aDeclaredFaultIsShownWithItsDetail() async throws {
            try await WebEaseFixture.use { webEase in
                let device = try await webEase.registeredDevice()
                let outcome = try await webEase.call("LogEntryDelete", ["--set", "id=77"], as: device)
                #expect(outcome.status == 1)
                #expect(outcome.output.isEmpty)
                #expect(outcome.error.contains("No entry has the identifier 77."), "\(outcome)")
                #expect(outcome.error.contains(#""id": 77"#), "\(outcome)")
            }
        }

        @Test func aSampleIsAnInput() async throws {
            try await WebEaseFixture.use { webEase in
                let device = try await webEase.registeredDevice()
                let sample = try await webEase.program.signet("call", Program.wsdl, "LogEntryQuery", "--sample")
                #expect(sample.status == 0)
                let file = try webEase.program.write(sample.output, to: "query.json")
                let outcome = try await webEase.call(
                    "LogEntryQuery", ["--json", file, "--set", "patientId=P-9"], as: device)
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.output.contains("truncated"))
            }
        }

        @Test func refusedCredentialsAreExplained() async throws {
            try await WebEaseFixture.use { webEase in
                let wrong = try webEase.program.write("wrong", to: "wrong.password")
                let query = ["--set", "patientId=P-1"]
                let before = webEase.world.passwordsChecked

                var arguments = webEase.asDistribution
                arguments[7] = wrong
                let identity = try await webEase.call("LogEntryQuery", query, as: arguments)
                #expect(identity.status == 1)
                #expect(identity.error.contains("password"), "\(identity)")

                arguments = webEase.asDistribution
                arguments[3] = try webEase.program.write(
                    WebEaseFixture.pem(webEase.world.deviceAuthority.bundle), to: "other.pem")
                let authority = try await webEase.call("LogEntryQuery", query + ["--verbose"], as: arguments)
                #expect(authority.status == 1)
                #expect(authority.error.contains("TrustError.unknownAuthority"), "\(authority)")
                #expect(webEase.world.passwordsChecked == before)

                let noIdentity = try await webEase.call(
                    "LogEntryQuery", query, as: ["--endpoint", webEase.world.address, "--ca", webEase.authority])
                #expect(noIdentity.status == 1)
                #expect(noIdentity.error.contains("certificate"), "\(noIdentity)")

                arguments = webEase.asDistribution
                arguments[11] = wrong
                let user = try await webEase.call("LogEntryQuery", query, as: arguments)
                #expect(user.status == 1)
                #expect(user.error.contains("refused the credentials"), "\(user)")
                #expect(webEase.world.passwordsChecked == before + 1)
            }
        }

        @Test func pinsNarrowTrust() async throws {
            try await WebEaseFixture.use { webEase in
                let pins = try webEase.world.pins.map(\.description)
                let good = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-2"] + pins.flatMap { ["--pin", "sha256//\($0)"] },
                    as: webEase.asDistribution)
                #expect(good.status == 0, "\(good)")
                let others = ["A", "B"].flatMap { ["--pin", "sha256//\(String(repeating: $0, count: 42))A="] }
                let bad = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-3", "--verbose"] + others, as: webEase.asDistribution)
                #expect(bad.status == 1)
                #expect(bad.error.contains("TrustError.pinMismatch"), "\(bad)")
                let single = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-3", "--pin", "sha256//\(pins[0])"],
                    as: webEase.asDistribution)
                #expect(single.status == 2)
                #expect(single.error.contains("two"), "\(single)")
            }
        }

        @Test func noSecretAppearsAnywhere() async throws {
            try await WebEaseFixture.use { webEase in
                let world = webEase.world
                let key = try webEase.program.write("X-Api-Key: k-31415\n", to: "fields")
                let outcome = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-5", "--trace", "--header-file", key, "--xml"],
                    as: webEase.asDistribution)
                #expect(outcome.status == 0, "\(outcome)")
                #expect(outcome.error.contains("[redacted]"), "The answer's password is redacted in the trace.")
                let basic = Data("\(World.serviceUser):\(world.servicePassword)".utf8).base64EncodedString()
                for secret in [world.servicePassword, world.distributionPassword, basic, "k-31415"] {
                    #expect(!outcome.error.contains(secret))
                    #expect(!outcome.output.contains(secret))
                }
                let issued = try #require(outcome.output.firstMatch(of: /password>([^<]+)</)?.1)
                #expect(!outcome.error.contains(issued))
            }
        }

        @Test func theProcessListShowsNoSecret() async throws {
            let listener = try SilentListener()
            defer { listener.close() }
            let program = try Program()
            defer { program.removeFiles() }
            let password = try program.write("p-27182", to: "password")
            let authority = try program.write(try CertificateAuthority().certificate.der, to: "authority.der")
            let outcome = try await program.signet(
                "call", Program.wsdl, "LogEntryDelete", "--set", "id=1", "--user", "app", "--password-file", password,
                "--endpoint", "https://localhost:\(listener.port)/", "--timeout", "30", "--ca", authority
            ) { process in
                let list = try await program.run("/bin/ps", ["-ww", "-o", "args=", "-p", "\(process)"])
                #expect(list.output.contains("--password-file"), "\(list)")
                #expect(!list.output.contains("p-27182"))
            }
            #expect(outcome.status == 1)
            #expect(outcome.error.contains("signet: "), "\(outcome)")
        }
    }
}

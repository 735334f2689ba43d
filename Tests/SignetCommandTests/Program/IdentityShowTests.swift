import Foundation
import Testing

extension ProgramTests {
    /// `signet identity show`, on files that openssl made.
    @Suite struct IdentityShowTests {
        @Test func everyFormIsShown() async throws {
            try await IdentityFiles.use { files async throws in
                for (name, arguments, format) in [
                    ("device.p12", ["--password-file", files.password], "PKCS#12"),
                    ("old.p12", ["--password-env", "PFX_PASSWORD"], "PKCS#12"), ("device.pem", [], "PEM"),
                    ("encrypted.pem", ["--password-file", files.password], "PEM"),
                ] {
                    let shown = try await files.signet(["identity", "show", files.path(name)] + arguments)
                    #expect(shown.status == 0, "\(shown)")
                    #expect(shown.output.hasPrefix("\(files.path(name))  \(format)\n"), "\(shown)")
                    for line in [
                        "│ names     dns:device.example, ip:127.0.0.1, email:a@b.example, upn:me@ad.example\n",
                        "  └─ CN=middle\n", "     └─ CN=root  (root)\n", "  ✓ TLS client\n",
                    ] { #expect(shown.output.contains(line), "\(name): \(shown)") }
                    #expect(!shown.output.contains("\u{1B}"))
                    #expect(!(shown.output + shown.error).contains(files.secret))
                    #expect(shown.error.isEmpty)
                }
            }
        }

        @Test func pinsAndFingerprintsAreThoseOfOpenSSL() async throws {
            try await IdentityFiles.use { files async throws in
                let shown = try await files.signet([
                    "identity", "show", files.path("device.p12"), "--json", "--password-file", files.password,
                ])
                let report = try #require(
                    try JSONSerialization.jsonObject(with: Data(shown.output.utf8)) as? [String: Any])
                #expect(report["works"] as? Bool == true)
                #expect((report["protections"] as? [String])?.isEmpty == false)
                let identity = try #require((report["identities"] as? [[String: Any]])?.first)
                #expect(identity["label"] as? String == "device 7")
                let path = try #require(identity["path"] as? [[String: Any]])
                #expect(path.map { $0["subject"] as? String } == ["CN=device", "CN=middle", "CN=root"])
                for (certificate, name) in zip(path, ["device", "middle", "root"]) {
                    let key = try files.openssl("x509 -in \(name).pem -noout -pubkey")
                    try files.program.write(key, to: "public.pem")
                    try files.openssl("pkey -pubin -in public.pem -outform der -out public.der")
                    try files.openssl("dgst -sha256 -binary -out pin public.der")
                    let pin = try files.openssl("base64 -in pin")
                    #expect(
                        certificate["pin"] as? String
                            == "sha256//\(pin.trimmingCharacters(in: .whitespacesAndNewlines))")
                    let print = try files.openssl("x509 -in \(name).pem -noout -fingerprint -sha256 -serial")
                    let fingerprint = try #require(certificate["sha256"] as? String)
                    #expect(print.lowercased().replacing(":", with: "").contains("=\(fingerprint)"))
                    let serial = try #require(certificate["serialNumber"] as? String)
                    #expect(print.lowercased().contains("serial=\(serial)") || serial.hasPrefix("00"))
                }
            }
        }

        @Test func theExitStatusTellsWhetherTheIdentityWorks() async throws {
            try await IdentityFiles.use { files async throws in
                func status(_ arguments: String...) async throws -> Int32 {
                    try await files.signet(["identity", "show"] + arguments).status
                }
                let (device, root) = (files.path("device.pem"), files.path("root.pem"))
                #expect(try await status(device, "--for", "client") == 0)
                #expect(try await status(device, "--for", "server") == 1)
                #expect(try await status(device, "--for", "client", "--authorities", root) == 0)
                #expect(try await status(device, "--for", "client", "--authorities", files.path("other.pem")) == 1)
                #expect(
                    try await status(files.path("server.pem"), "--for", "server.example", "--authorities", root) == 0)
                #expect(try await status(files.path("server.pem"), "--for", "device.example") == 1)
                #expect(try await status(files.path("expired.pem")) == 1)
                #expect(try await status(root) == 0)
                #expect(try await status(files.path("device.key")) == 0)
                #expect(try await status(files.path("device.key"), "--for", "client") == 1)
                #expect(try await status(files.path("nothing")) == 1)
                #expect(try await status() == 2)
                #expect(try await status(device, "--for", "") == 2)
                #expect(try await status(device, "--password-env", "A", "--password-file", "B") == 2)
                #expect(try await status(device, "--password", "secret") == 2)
            }
        }

        @Test func certificatesAndKeysAloneAreShown() async throws {
            try await IdentityFiles.use { files async throws in
                try files.openssl("x509 -in device.pem -outform der -out device.der")
                try files.openssl("pkcs8 -topk8 -nocrypt -in device.key -outform der -out key.der")
                try files.openssl("crl2pkcs7 -nocrl -certfile device.pem -outform der -out device.p7b")
                let certificate = try await files.signet(["identity", "show", files.path("device.der")])
                #expect(certificate.output.contains("certificate in DER"), "\(certificate)")
                #expect(certificate.output.contains("  ✓ TLS client, with its key\n"))
                #expect(certificate.output.contains("  └─ CN=middle  (absent)\n"))
                let key = try await files.signet(["identity", "show", files.path("key.der")])
                #expect(key.output.contains("private key in DER"), "\(key)")
                #expect(key.output.contains("Key  P-256, without a certificate\n"))
                let bundle = try await files.signet(["identity", "show", files.path("device.p7b")])
                #expect(bundle.output.contains("PKCS#7"), "\(bundle)")
                #expect(bundle.output.contains("     └─ CN=root  (root)\n"))
                let system = "/etc/ssl/certs/ca-certificates.crt"
                if FileManager.default.fileExists(atPath: system) {
                    let shown = try await files.signet(["identity", "show", system])
                    #expect(shown.status == 0, "\(shown.error)")
                    #expect(shown.output.components(separatedBy: "(root)").count > 50)
                }
            }
        }

        @Test func severalIdentitiesInOneFile() async throws {
            try await IdentityFiles.use { files async throws in
                let both = ["device.pem", "server.pem"].map { files.content($0) }.joined()
                let path = try files.program.write(both, to: "both.pem")
                let shown = try await files.signet(["identity", "show", path])
                #expect(shown.status == 0, "\(shown)")
                #expect(shown.output.components(separatedBy: "\nIdentity").count == 3, "\(shown)")
                #expect(shown.output.contains("✓ TLS server for server.example\n"))
            }
        }

        @Test func unreadableFilesAreReportedWithoutSecrets() async throws {
            try await IdentityFiles.use { files async throws in
                let wrong = try files.program.write("wrong-\(files.secret)", to: "wrong")
                let refused = try await files.signet([
                    "identity", "show", files.path("device.p12"), "--password-file", wrong,
                ])
                #expect(refused.status == 1)
                #expect(
                    refused.error.hasPrefix("signet: The file “\(files.path("device.p12"))” cannot be used. "),
                    "\(refused)")
                #expect(refused.error.contains("password"))
                #expect(!refused.error.contains(files.secret))
                #expect(refused.output.isEmpty)
                let garbage = try files.program.write("garbage", to: "garbage")
                let damaged = try await files.signet(["identity", "show", garbage])
                #expect(damaged.status == 1 && !damaged.error.isEmpty && damaged.output.isEmpty, "\(damaged)")
                // A question needs a terminal, and says what else there is.
                let silent = try await files.program.run(
                    "/usr/bin/setsid", ["-w", Program.path(), "identity", "show", files.path("device.p12")])
                #expect(silent.status == 1)
                #expect(silent.error.contains("Give it with --password-file or --password-env."), "\(silent)")
            }
        }

        #if os(Linux)
        @Test func onATerminalThePasswordIsAskedForAndColoursAreShown() async throws {
            try await IdentityFiles.use { files async throws in
                let shown = try await files.program.run(
                    "/usr/bin/script",
                    ["-qec", "\(try Program.path()) identity show \(files.path("device.p12"))", "/dev/null"],
                    environment: ["TERM": "xterm", "NO_COLOR": ""],
                    typing: [("the password of \(files.path("device.p12")): ", "\(files.secret)\n")])
                #expect(shown.status == 0, "\(shown)")
                #expect(shown.output.contains("\u{1B}[32m✓\u{1B}[0m TLS client"), "\(shown)")
                #expect(!shown.output.contains(files.secret))
            }
        }
        #endif
    }
}

import Foundation
import Testing

extension ProgramTests {
    /// `signet identity convert`, whose files openssl reads.
    @Suite struct IdentityConvertTests {
        @Test(arguments: ["openssl", "fips", "legacy"])
        func opensslReadsTheConvertedPFX(algorithms: String) async throws {
            try await IdentityFiles.use { files async throws in
                let new = try files.program.write("new password", to: "new")
                let converted = try await files.signet([
                    "identity", "convert", files.path("device.pem"), files.path("out.p12"), "--to", "pfx",
                    "--new-password-file", new, "--name", "phone 7", "--algorithms", algorithms,
                ])
                #expect(converted.status == 0, "\(converted)")
                #expect(converted.output.isEmpty && converted.error.isEmpty)
                let shown = try await files.signet([
                    "identity", "show", files.path("out.p12"), "--password-file", new,
                ])
                #expect(shown.output.contains("PBMAC1") == (algorithms == "fips"), "\(shown)")
                #expect(shown.output.contains("Identity “phone 7”"))
                // OpenSSL knows PBMAC1 from 3.4 on.
                if algorithms != "fips" {
                    let legacy = algorithms == "legacy" ? "-legacy" : ""
                    let key = try files.openssl("pkcs12 \(legacy) -in out.p12 -passin file:new -nocerts -nodes")
                    #expect(key.contains("friendlyName: phone 7"))
                    try files.program.write(key, to: "read.key")
                    #expect(try files.openssl("pkey -in read.key") == files.openssl("pkey -in device.key"))
                    let certificates = try files.openssl("pkcs12 \(legacy) -in out.p12 -passin file:new -nokeys")
                    #expect(certificates.components(separatedBy: "BEGIN CERTIFICATE").count == 4)
                }
                // Back again, and nothing has changed.
                let back = try await files.signet([
                    "identity", "convert", files.path("out.p12"), files.path("back.pem"), "--to", "pem",
                    "--unencrypted",
                    "--password-file", new,
                ])
                #expect(back.status == 0, "\(back)")
                #expect(try files.openssl("pkey -in back.pem") == files.openssl("pkey -in device.key"))
                #expect(try files.openssl("x509 -in back.pem") == files.openssl("x509 -in device.pem"))
            }
        }

        @Test func aPEMKeyIsEncryptedByDefault() async throws {
            try await IdentityFiles.use { files async throws in
                func convert(_ output: String, _ arguments: String...) async throws -> Program.Outcome {
                    try await files.signet(
                        [
                            "identity", "convert", files.path("device.p12"), files.path(output), "--password-file",
                            files.password,
                        ]
                            + arguments)
                }
                #expect(try await convert("kept.pem", "--to", "pem", "--same-password").status == 0)
                let kept = files.content("kept.pem")
                #expect(kept.contains("BEGIN ENCRYPTED PRIVATE KEY") && !kept.contains("BEGIN PRIVATE KEY"))
                let key = try files.openssl("pkey -in kept.pem -passin file:password")
                #expect(try key == files.openssl("pkey -in device.key"))
                #expect(try await convert("open.pem", "--to", "pem", "--unencrypted").status == 0)
                #expect(files.content("open.pem").contains("BEGIN PRIVATE KEY"))
                // Without a terminal the program cannot ask for a new password, and writes nothing.
                let silent = try await files.program.run(
                    "/usr/bin/setsid",
                    [
                        "-w", Program.path(), "identity", "convert", files.path("device.p12"), files.path("none.pem"),
                        "--to",
                        "pem", "--password-file", files.password,
                    ])
                #expect(silent.status == 1)
                #expect(silent.error.contains("--new-password-file or --new-password-env"), "\(silent)")
                let empty = try files.program.write("", to: "empty")
                let unprotected = try await convert("none.pem", "--to", "pfx", "--new-password-file", empty)
                #expect(unprotected.status == 1 && unprotected.error.contains("empty password"), "\(unprotected)")
                #expect(!FileManager.default.fileExists(atPath: files.path("none.pem")))
                // An encrypted PEM is read as well.
                let again = try await files.signet([
                    "identity", "convert", files.path("encrypted.pem"), files.path("again.p12"), "--to", "pfx",
                    "--password-env", "PFX_PASSWORD", "--same-password",
                ])
                #expect(again.status == 0, "\(again)")
                #expect(try files.openssl("pkcs12 -in again.p12 -passin file:password -nokeys").contains("CN = device"))
            }
        }

        @Test func keysAndCertificatesAreConvertedAlone() async throws {
            try await IdentityFiles.use { files async throws in
                func convert(_ input: String, _ output: String, _ arguments: String...) async throws {
                    let outcome = try await files.signet(
                        ["identity", "convert", files.path(input), files.path(output)] + arguments)
                    #expect(outcome.status == 0, "\(outcome)")
                }
                let device = try files.openssl("x509 -in device.pem")
                try await convert("device.pem", "device.der", "--to", "der")
                #expect(try files.openssl("x509 -inform der -in device.der") == device)
                try await convert("device.der", "device2.pem", "--to", "pem", "--no-key")
                #expect(files.content("device2.pem") == device)
                try await convert("device.pem", "device.p7b", "--to", "pkcs7")
                let printed = try files.openssl("pkcs7 -inform der -in device.p7b -print_certs")
                for name in ["device", "middle", "root"] {
                    #expect(printed.contains("subject=CN = \(name)\n"), "\(printed)")
                }
                try await convert("device.p7b", "certificates.pem", "--to", "pem", "--no-key")
                #expect(files.content("certificates.pem").components(separatedBy: "BEGIN CERTIFICATE").count == 4)
                let key = try files.openssl("pkey -in device.key")
                try await convert("device.pem", "key.der", "--to", "pkcs8", "--unencrypted")
                #expect(try files.openssl("pkey -inform der -in key.der") == key)
                try await convert("key.der", "locked.der", "--to", "pkcs8", "--new-password-env", "PFX_PASSWORD")
                #expect(try files.openssl("pkcs8 -inform der -in locked.der -passin file:password") == key)
                try await convert(
                    "locked.der", "locked.pem", "--to", "pem", "--password-file", files.password, "--same-password")
                #expect(try files.openssl("pkey -in locked.pem -passin file:password") == key)
                #expect(files.content("locked.pem").hasPrefix("-----BEGIN ENCRYPTED PRIVATE KEY-----\n"))
                // What the file lacks can come from another.
                try files.program.write(files.content("device.key") + device, to: "bare.pem")
                try await convert(
                    "bare.pem", "whole.pem", "--to", "pem", "--unencrypted", "--authorities", files.path("issuers.pem"))
                #expect(files.content("whole.pem").contains(try files.openssl("x509 -in middle.pem")))
            }
        }

        @Test func oneOfSeveralIsPicked() async throws {
            try await IdentityFiles.use { files async throws in
                let both = try files.program.write(
                    files.content("device.pem") + files.content("server.pem"), to: "both.pem")
                func convert(_ pick: String?, _ output: String) async throws -> Program.Outcome {
                    try await files.signet(
                        ["identity", "convert", both, files.path(output), "--to", "pem", "--unencrypted"]
                            + (pick.map { ["--pick", $0] } ?? []))
                }
                let unclear = try await convert(nil, "a.pem")
                #expect(unclear.status == 1)
                #expect(unclear.error.contains("2 identities; choose with --pick:"), "\(unclear)")
                #expect(unclear.error.contains("CN=server"))
                #expect(try await convert("CN=server", "b.pem").status == 0)
                #expect(try files.openssl("x509 -in b.pem -noout -subject").contains("server"))
                #expect(try await convert("1", "c.pem").status == 0)
                #expect(try await convert("3", "d.pem").status == 1)
                #expect(try await convert("nobody", "e.pem").status == 1)
            }
        }

        @Test func theOutputIsPrivateAndReplacesNoFileByDefault() async throws {
            try await IdentityFiles.use { files async throws in
                let convert =
                    "identity convert \(files.path("device.pem")) \(files.path("out.pem")) --to pem --unencrypted"
                func run(_ more: String = "") async throws -> Program.Outcome {
                    try await files.program.run(
                        "/bin/sh", ["-c", "umask 000; exec \(try Program.path()) \(convert) \(more)"])
                }
                func mode() throws -> Int? {
                    try FileManager.default.attributesOfItem(atPath: files.path("out.pem"))[.posixPermissions] as? Int
                }
                #expect(try await run().status == 0)
                #expect(try mode() == 0o600)
                let first = files.content("out.pem")
                try files.program.write("something else", to: "out.pem")
                let refused = try await run()
                #expect(refused.status == 1 && refused.error.contains("--force"), "\(refused)")
                #expect(files.content("out.pem") == "something else")
                #expect(try await run("--force").status == 0)
                #expect(files.content("out.pem") == first)
                #expect(try mode() == 0o600)
                // The program does not follow a symbolic link to another file.
                try files.program.write("victim", to: "victim")
                try FileManager.default.removeItem(atPath: files.path("out.pem"))
                try FileManager.default.createSymbolicLink(atPath: files.path("out.pem"), withDestinationPath: "victim")
                #expect(try await run().status == 1)
                #expect(try await run("--force").status == 0)
                #expect(files.content("victim") == "victim")
                let left = try FileManager.default.contentsOfDirectory(atPath: files.program.folder.path)
                #expect(!left.contains { $0.hasPrefix("out.pem.") })
                let nowhere = try await files.signet([
                    "identity", "convert", files.path("device.pem"), "/nonexistent/out.pem", "--to", "pem",
                    "--unencrypted",
                ])
                #expect(nowhere.status == 1 && nowhere.error.contains("/nonexistent/out.pem"), "\(nowhere)")
            }
        }

        @Test(arguments: [
            ["--to", "der", "--name", "a"], ["--to", "pem", "--algorithms", "legacy"], ["--to", "pfx", "--no-key"],
            ["--to", "pkcs7", "--unencrypted"], ["--to", "pfx", "--unencrypted"], ["--to", "docx"], [],
            ["--to", "pem", "--unencrypted", "--same-password"], ["--to", "pfx", "--new-password", "secret"],
            ["--to", "pfx", "--password", "secret"],
        ])
        func wrongUsageIsRefused(arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let file = try program.write("", to: "in")
            let outcome = try await program.run(
                Program.path(), ["identity", "convert", file, file + ".out"] + arguments)
            #expect(outcome.status == 2, "\(outcome)")
            #expect(!FileManager.default.fileExists(atPath: file + ".out"))
        }

        #if os(Linux)
        @Test func aNewPasswordIsTypedTwice() async throws {
            try await IdentityFiles.use { files async throws in
                func convert(_ output: String, typing second: String) async throws -> Program.Outcome {
                    let command =
                        "\(try Program.path()) identity convert \(files.path("device.pem")) \(files.path(output)) --to pfx"
                    return try await files.program.run(
                        "/usr/bin/script", ["-qec", command, "/dev/null"],
                        typing: [
                            ("the new password of \(files.path(output)): ", "new one\n"),
                            ("the new password of \(files.path(output)) again: ", "\(second)\n"),
                        ])
                }
                let same = try await convert("same.p12", typing: "new one")
                #expect(same.status == 0, "\(same)")
                #expect(!same.output.contains("new one"))
                try files.program.write("new one", to: "new")
                #expect(try files.openssl("pkcs12 -in same.p12 -passin file:new -nokeys").contains("CN = device"))
                let other = try await convert("other.p12", typing: "now one")
                #expect(other.status == 1)
                #expect(other.output.contains("not the same"), "\(other)")
                #expect(!FileManager.default.fileExists(atPath: files.path("other.p12")))
            }
        }
        #endif
    }
}

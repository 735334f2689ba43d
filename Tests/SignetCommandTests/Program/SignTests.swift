import Foundation
import Testing

extension ProgramTests {
    /// `signet sign` and `signet verify`.
    @Suite struct SignTests {
        private struct Report: Decodable {
            struct Signature: Decodable {
                var problem: String?
                var signer: String?
            }

            struct Element: Decodable { var name: String }

            var signatures: [Signature]
            var notSigned: [Element]
            var isExpectedSigned: Bool
            var isAccepted: Bool
        }

        private static let document = "<i:invoice xmlns:i=\"urn:i\"><part Id=\"p\">12</part><note/></i:invoice>"

        private func sign(_ files: IdentityFiles, _ more: String...) async throws -> Program.Outcome {
            try files.program.write(Self.document, to: "invoice.xml")
            return try await files.signet(
                ["sign", files.path("invoice.xml"), "--identity", files.path("device.pem")] + more)
        }

        private func verify(_ files: IdentityFiles, _ name: String, _ more: String...) async throws -> Program.Outcome {
            try await files.signet(["verify", files.path(name)] + more)
        }

        @Test func whatIsSignedIsVerified() async throws {
            try await IdentityFiles.use { files async throws in
                let signed = try await sign(files, "--output", files.path("signed.xml"), "--key-info", "chain")
                #expect(signed.status == 0 && signed.output.isEmpty, "\(signed)")
                let again = try await sign(files, "--output", files.path("signed.xml"))
                #expect(again.status == 1 && again.error.contains("--force"), "\(again)")
                let root = files.path("root.pem")
                let verified = try await verify(files, "signed.xml", "--ca", root)
                #expect(verified.status == 0 && verified.output.contains("“CN=device”"), "\(verified)")
                #expect(verified.output.contains("“invoice” is signed."))
                let explained = try await verify(files, "signed.xml", "--ca", root, "--explain")
                #expect(explained.output.contains("xml-exc-c14n") && explained.output.contains("reference “”"))
                // The trusted ones are others.
                let other = try await verify(files, "signed.xml", "--ca", files.path("other.pem"))
                #expect(other.status == 1 && other.output.contains("is not trusted"), "\(other)")
                let signer = try await verify(files, "signed.xml", "--signer", files.path("server.pem"))
                #expect(
                    signer.status == 1 && signer.output.contains("made by “CN=device”, who is not one of the trusted"),
                    "\(signer)")
                #expect(try await verify(files, "signed.xml").status == 2)
                #expect(try await verify(files, "invoice.xml", "--ca", root).error.contains("no signature"))
            }
        }

        @Test func changesAreExplained() async throws {
            try await IdentityFiles.use { files async throws in
                let printed = try await sign(files, "--key-info", "chain")
                try files.program.write(printed.output, to: "signed.xml")
                try files.program.write(printed.output.replacing(">12<", with: ">92<"), to: "changed.xml")
                let root = files.path("root.pem")
                let outcome = try await verify(
                    files, "changed.xml", "--ca", root, "--explain", "--original", files.path("signed.xml"),
                    "--canonical", files.path("bytes"))
                #expect(outcome.status == 1 && outcome.output.contains(">12<") && outcome.output.contains(">92<"))
                #expect(outcome.output.contains("Not signed by anyone whom you trust"), "\(outcome)")
                #expect(files.content("bytes/signature-1-signedinfo.xml").hasPrefix("<ds:SignedInfo"))
                #expect(files.content("bytes/signature-1-reference-1.xml").contains(">92<"))
                let twice = try await verify(files, "changed.xml", "--ca", root, "--canonical", files.path("bytes"))
                #expect(twice.status == 1 && twice.error.contains("cannot be made"), "\(twice)")
                let json = try await verify(files, "changed.xml", "--ca", root, "--json")
                let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
                #expect(!report.isAccepted && !report.isExpectedSigned && report.notSigned.map(\.name) == ["invoice"])
                #expect(report.signatures.first?.signer == "CN=device")
                #expect(report.signatures.first?.problem?.contains("changed") == true)
            }
        }

        /// One element in the form of NF-e, which xmlsec1 verifies as well.
        @Test func anElementIsSigned() async throws {
            try await IdentityFiles.use { files async throws in
                try files.openssl(
                    "req -x509 -newkey rsa:2048 -nodes -days 9 -subj /CN=company -keyout rsa.key -out rsa.pem")
                try files.program.write(files.content("rsa.key") + files.content("rsa.pem"), to: "company.pem")
                try files.program.write(Self.document, to: "invoice.xml")
                let form = ["--id", "p", "--after", "--form", "inclusive", "--prefix", ""]
                let signed = try await files.signet(
                    ["sign", files.path("invoice.xml"), "--identity", files.path("company.pem"), "--sha1"] + form)
                #expect(signed.status == 0, "\(signed)")
                try files.program.write(signed.output, to: "signed.xml")
                try files.tool("xmlsec1", "--verify --trusted-pem rsa.pem --id-attr:Id part signed.xml")
                let signer = files.path("rsa.pem")
                let weak = try await verify(files, "signed.xml", "--signer", signer, "--id", "p")
                #expect(weak.status == 1 && weak.output.contains("--sha1"), "\(weak)")
                let accepted = try await verify(files, "signed.xml", "--signer", signer, "--id", "p", "--sha1")
                #expect(accepted.status == 0, "\(accepted)")
                let partial = try await verify(files, "signed.xml", "--signer", signer, "--sha1", "--explain")
                #expect(
                    partial.status == 1 && partial.output.contains("“invoice” is not signed by anyone"), "\(partial)")
                #expect(partial.output.contains("“note” at byte"))
            }
        }

        @Test(arguments: [
            ["sign", "a.xml"], ["sign", "a.xml", "--identity", "a.pem", "--after"],
            ["sign", "a.xml", "--identity", "a.pem", "--sha1", "--algorithm", "rsa-sha256"],
            ["sign", "a.xml", "--identity", "a.pem", "--form", "inclusive", "--inclusive-prefix", "a"],
            ["sign", "a.xml", "--identity", "a.pem", "--algorithm", "md5"],
            ["sign", "a.xml", "--identity", "a.pem", "--force"], ["sign", "-", "--identity", "-"],
            ["verify", "a.xml"], ["verify", "a.xml", "--ca", "a.pem", "--signer", "b.pem"],
            ["verify", "a.xml", "--ca", "a.pem", "--original", "b.xml"],
            ["verify", "-", "--ca", "a.pem", "--explain", "--original", "-"],
        ])
        func wrongUsageIsRefused(_ arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(Program.path(), arguments)
            #expect(outcome.status == 2, "\(outcome)")
        }

        /// The Body that counts is the one child of the envelope.
        @Test func aBodyElsewhereDoesNotCount() async throws {
            try await IdentityFiles.use { files async throws in
                let soap = "http://schemas.xmlsoap.org/soap/envelope/"
                let body = "<s:Body Id=\"b\"><pay>1</pay></s:Body>"
                try files.program.write(
                    "<s:Envelope xmlns:s=\"\(soap)\"><s:Header/>\(body)</s:Envelope>", to: "message.xml")
                let signed = try await files.signet([
                    "sign", files.path("message.xml"), "--identity", files.path("device.pem"), "--id", "b",
                    "--key-info", "chain", "--output", "-",
                ])
                try files.program.write(signed.output, to: "signed.xml")
                let root = files.path("root.pem")
                #expect(try await verify(files, "signed.xml", "--ca", root).status == 0, "\(signed)")
                let original = try #require(signed.output.firstMatch(of: #/<s:Body.*<\/s:Body>/#)).output
                let forged = "<s:Body><pay>9</pay></s:Body>"
                for (name, message) in [
                    (
                        "wrapped",
                        signed.output.replacing(original, with: forged)
                            .replacing("<s:Header/>", with: "<s:Header><w>\(original)</w></s:Header>")
                    ),
                    ("after", signed.output.replacing(original, with: original + forged)),
                    ("before", signed.output.replacing(original, with: forged + original)),
                    (
                        "foreign",
                        signed.output.replacing(
                            original,
                            with: "<o:Body xmlns:o=\"http://www.w3.org/2003/05/soap-envelope\"/>" + original)
                    ),
                ] {
                    try files.program.write(message, to: "\(name).xml")
                    let outcome = try await verify(files, "\(name).xml", "--ca", root)
                    #expect(outcome.status == 1, "\(name): \(outcome)")
                }
            }
        }

        /// An enveloped signature is left out of what is signed, with all that stands in it.
        @Test func whatStandsInASignatureIsNotSigned() async throws {
            try await IdentityFiles.use { files async throws in
                let signed = try await sign(files, "--key-info", "chain")
                let root = files.path("root.pem")
                for (name, change) in [
                    ("none", ("</ds:Signature>", "<ds:Object/></ds:Signature>")),
                    ("object", ("</ds:Signature>", "<ds:Object><total>1</total></ds:Object></ds:Signature>")),
                    ("key", ("</ds:KeyInfo>", "<x:total xmlns:x=\"urn:x\">1</x:total></ds:KeyInfo>")),
                ] {
                    try files.program.write(signed.output.replacing(change.0, with: change.1), to: "\(name).xml")
                    let outcome = try await verify(files, "\(name).xml", "--ca", root)
                    #expect((outcome.status == 0) == (name == "none"), "\(name): \(outcome)")
                    #expect(outcome.output.contains("stands in a signature, and is not signed") == (name != "none"))
                }
            }
        }

        /// What makes a signature worthless is said, also where nothing can be printed.
        @Test func warningsArePrinted() async throws {
            try await IdentityFiles.use { files async throws in
                let first = try await sign(files, "--key-info", "chain")
                try files.program.write(first.output, to: "first.xml")
                let second = try await files.signet([
                    "sign", files.path("first.xml"), "--identity", files.path("expired.pem"), "--output",
                    files.path("second.xml"),
                ])
                #expect(second.status == 0 && second.error.contains("is signed already"), "\(second)")
                #expect(second.error.contains("is not valid now"))
                let known = try await verify(files, "second.xml", "--signer", files.path("expired.pem"))
                #expect(known.status == 1 && known.output.contains("is not valid at this time"), "\(known)")
                // A digest that was changed, not the content.
                let digest = try #require(first.output.firstMatch(of: #/<ds:DigestValue>(.)/#))
                try files.program.write(
                    first.output.replacing(
                        digest.output.0, with: "<ds:DigestValue>\(digest.output.1 == "A" ? "B" : "A")"),
                    to: "digest.xml")
                let changed = try await verify(
                    files, "digest.xml", "--ca", files.path("root.pem"), "--explain", "--original",
                    files.path("first.xml"))
                #expect(changed.output.contains("The content is that of the original"), "\(changed)")
                let full = try await files.program.run(
                    "/bin/sh",
                    [
                        "-c", "exec \"$0\" \"$@\" > /dev/full", Program.path(), "sign", files.path("first.xml"),
                        "--identity", files.path("device.pem"),
                    ])
                #expect(full.status == 1 && full.error.contains("cannot be written"), "\(full)")
            }
        }

        /// Files that are not what they should be.
        @Test func unusableFilesAreNamed() async throws {
            try await IdentityFiles.use { files async throws in
                try files.program.write("<a", to: "bad.xml")
                for arguments in [
                    ["sign", files.path("bad.xml"), "--identity", files.path("device.pem")],
                    ["sign", files.path("none.xml"), "--identity", files.path("device.pem")],
                    ["sign", files.path("device.pem"), "--identity", files.path("root.pem")],
                    ["verify", files.path("bad.xml"), "--ca", files.path("root.pem")],
                    ["verify", files.path("root.pem"), "--ca", files.path("bad.xml")],
                ] {
                    let outcome = try await files.signet(arguments)
                    #expect(outcome.status == 1 && outcome.error.hasPrefix("signet: "), "\(outcome)")
                }
            }
        }
    }
}

import Foundation
import Testing

extension ProgramTests {
    /// `signet sign` and `signet verify`.
    @Suite struct SignTests {
        private struct Report: Decodable {
            struct Signature: Decodable {
                var problem: String?
                var signer: String?
                var isTrusted: Bool
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
                #expect(signer.status == 1 && signer.output.contains("none of those that --signer names"), "\(signer)")
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
                #expect(outcome.output.contains("Not signed, so that anyone can have changed it:"), "\(outcome)")
                #expect(files.content("bytes/signature-1-signedinfo.xml").hasPrefix("<ds:SignedInfo"))
                #expect(files.content("bytes/signature-1-reference-1.xml").contains(">92<"))
                let twice = try await verify(files, "changed.xml", "--ca", root, "--canonical", files.path("bytes"))
                #expect(twice.status == 1 && twice.error.contains("cannot be made"), "\(twice)")
                let json = try await verify(files, "changed.xml", "--ca", root, "--json")
                let report = try JSONDecoder().decode(Report.self, from: Data(json.output.utf8))
                #expect(!report.isAccepted && !report.isExpectedSigned && report.notSigned.map(\.name) == ["invoice"])
                #expect(report.signatures.first?.signer == "CN=device" && report.signatures.first?.isTrusted == true)
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
                #expect(partial.status == 1 && partial.output.contains("“invoice” is not signed."), "\(partial)")
                #expect(partial.output.contains("“note” at byte"))
            }
        }

        @Test(arguments: [
            ["sign", "a.xml"], ["sign", "a.xml", "--identity", "a.pem", "--after"],
            ["sign", "a.xml", "--identity", "a.pem", "--sha1", "--algorithm", "rsa-sha256"],
            ["sign", "a.xml", "--identity", "a.pem", "--form", "inclusive", "--inclusive-prefix", "a"],
            ["sign", "a.xml", "--identity", "a.pem", "--algorithm", "md5"],
            ["sign", "a.xml", "--identity", "a.pem", "--force"], ["sign", "-", "--identity", "-"],
            ["verify", "a.xml"], ["verify", "a.xml", "--ca", "a.pem", "--original", "b.xml"],
            ["verify", "-", "--ca", "a.pem", "--explain", "--original", "-"],
        ])
        func wrongUsageIsRefused(_ arguments: [String]) async throws {
            let program = try Program()
            defer { program.removeFiles() }
            let outcome = try await program.run(Program.path(), arguments)
            #expect(outcome.status == 2, "\(outcome)")
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

import Foundation
import SignetTLS
import SignetTesting
import Testing

/// Key files that openssl, Java's keytool, NSS and GnuTLS wrote, read by Signet, and those of Signet read by them.
@Suite(.serialized) struct KeyFileMatrixTests {
    /// One line of the manifest that Peers/make_key_files writes.
    struct Entry {
        let file: String
        let password: String?
        let label: String
        let name: String
        let chainLength: Int

        init(_ line: Substring) throws {
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(fields.count == 5, "\(line)")
            (file, label, name) = (fields[0], fields[2], fields[3])
            password = fields[1] == "@" ? nil : fields[1]
            chainLength = try #require(Int(fields[4]))
        }

        /// NSS and GnuTLS ask for hundreds of thousands of rounds several times in each file, which takes an
        /// unoptimised build seconds. The sample has files of both with old and new algorithms; that each algorithm is
        /// read, the files of the other writers see to as well.
        var isInSample: Bool {
            for (writer, step) in [("nss-", 3), ("gnutls-", 8)] where file.hasPrefix(writer) {
                let number = Int(file.dropFirst(writer.count).prefix(while: \.isNumber))
                return number.map { $0 % step == 1 } ?? true
            }
            return true
        }
    }

    @Test func signetReadsKeyFilesOfOtherTools() async throws {
        let files = try IdentityFiles()
        let script = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Peers/make_key_files")
        let made = try await PeerProcess.output(
            of: .init(
                program: "bash",
                arguments: [script.path(percentEncoded: false), files.folder.path(percentEncoded: false)]))
        try #require(made.status == 0, "\(made)")
        let manifest = try String(contentsOf: files.folder.appending(path: "manifest"), encoding: .utf8)
        let all = try manifest.split(separator: "\n").map(Entry.init)
        let isWhole = ProcessInfo.processInfo.environment["SIGNET_ALL_CASES"] == "1"
        let entries = all.filter { isWhole || $0.isInSample }
        print("\(entries.count) of \(all.count) key files are read; SIGNET_ALL_CASES=1 reads all.")
        #expect(entries.count >= 130)
        for entry in entries { try check(entry, files) }
    }

    private func check(_ entry: Entry, _ files: IdentityFiles) throws {
        func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: files.folder.appending(path: name))) }
        let content = try bytes(entry.file)
        let about = Comment(rawValue: entry.file)
        do {
            let file = try KeyFile(content, password: entry.password, integrity: .optional)
            let identity = try file.identity()
            #expect(identity.chain.count == entry.chainLength, about)
            if entry.label != "*" { #expect(identity.label == entry.label, about) }
            if entry.name != "*" {
                let leaf = try CertificateBundle(pem: bytes("\(entry.name).pem")).certificates
                #expect([identity.leaf] == leaf, about)
            }
            if entry.chainLength > 1 { #expect(identity.chain.map(\.subject).dropFirst() == ["CN=middle"], about) }
        } catch {
            Issue.record("\(entry.file): \(error)")
        }
        guard let password = entry.password, !password.isEmpty else { return }
        do {
            _ = try KeyFile(content, password: password + "x", integrity: .optional)
            // Only a file without MAC and encryption opens with any password.
            #expect(try KeyFile(content, integrity: .optional).protections.isEmpty, about)
        } catch {
            #expect(error.code == .wrongPassword, "\(entry.file): \(error)")
        }
    }

    static let readers: [(algorithms: PFXAlgorithms, opensslOptions: [String])] = [
        (.aes256SHA256, []), (.tripleDESSHA1, ["-legacy"]),
    ]

    @Test(arguments: ["secret", "Jäger 🔑"]) func otherToolsReadKeyFilesOfSignet(password: String) async throws {
        let files = try IdentityFiles()
        let authority = try CertificateAuthority(commonName: "root").issueIntermediate(commonName: "middle")
        let identity = try authority.issueClient(commonName: "device")
        try files.write(password + "\n", as: "password")
        for (number, reader) in Self.readers.enumerated() {
            let name = "ours-\(number).p12"
            try Data(try identity.pkcs12(password: password, label: "meter", algorithms: reader.algorithms))
                .write(to: files.folder.appending(path: name))
            let commands: [(String, [String])] = [
                (
                    "openssl",
                    ["pkcs12", "-in", files.path(name), "-passin", "file:\(files.path("password"))", "-nodes"]
                        + reader.opensslOptions
                ),
                ("pk12util", ["-l", files.path(name), "-w", files.path("password")]),
                ("certtool", ["--p12-info", "--inder", "--infile", files.path(name), "--password", password]),
                (
                    "keytool",
                    ["-list", "-v", "-storetype", "PKCS12", "-keystore", files.path(name), "-storepass", password]
                ),
            ]
            for (program, arguments) in commands {
                // Java takes ASCII only for the old algorithms.
                if program == "keytool", password != "secret" { continue }
                let result = try await PeerProcess.output(
                    of: .init(program: program, arguments: arguments, environment: ["LC_ALL": "C.UTF-8"]))
                #expect(result.status == 0, "\(program) \(name): \(result)")
                #expect(result.output.contains("meter"), "\(program) \(name): \(result)")
            }
        }
    }
}

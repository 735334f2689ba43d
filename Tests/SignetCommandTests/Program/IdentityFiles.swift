import Foundation
import Testing

/// Keys and certificates that openssl made, in the folder of a test.
struct IdentityFiles: Sendable {
    let program: Program
    /// Opens the encrypted ones.
    let secret = "päss wörd 31415"
    /// A file with the secret.
    let password: String

    static func use(_ body: (IdentityFiles) async throws -> Void) async throws {
        let program = try Program()
        defer { program.removeFiles() }
        try await body(IdentityFiles(program))
    }

    private init(_ program: Program) throws {
        self.program = program
        password = try program.write("\(secret)\n", to: "password")
        try program.write(
            "basicConstraints=critical,CA:TRUE\nkeyUsage=critical,keyCertSign,cRLSign", to: "authority.cnf")
        let names =
            "subjectAltName=DNS:device.example,IP:127.0.0.1,email:a@b.example,otherName:1.3.6.1.4.1.311.20.2.3;UTF8:me@ad.example"
        try program.write("extendedKeyUsage=clientAuth\nkeyUsage=critical,digitalSignature\n\(names)", to: "device.cnf")
        try program.write("extendedKeyUsage=serverAuth\nsubjectAltName=DNS:server.example", to: "server.cnf")
        let elliptic = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        for name in ["root", "other"] {
            try openssl("req -x509 \(elliptic) -days 100 -subj /CN=\(name) -keyout \(name).key -out \(name).pem")
        }
        for (name, issuer, extensions, days) in [
            ("middle", "root", "authority", 90), ("device", "middle", "device", 80), ("server", "middle", "server", 80),
            ("expired", "middle", "device", -1),
        ] {
            try openssl("req -new \(elliptic) -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
            try openssl(
                "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -set_serial 0x\(UInt32.random(in: 1 << 24..<1 << 30)) -days \(days) -extfile \(extensions).cnf -out \(name).pem"
            )
        }
        try program.write(content("root.pem") + content("middle.pem"), to: "issuers.pem")
        let protected = "-inkey device.key -in device.pem -certfile issuers.pem -passout file:password"
        try openssl("pkcs12 -export \(protected) -out device.p12 -name", ["device 7"])
        try openssl("pkcs12 -export -legacy \(protected) -out old.p12 -name", ["device 7"])
        try openssl("pkcs8 -topk8 -v2 aes128 -in device.key -passout file:password -out encrypted.key")
        try program.write(
            content("encrypted.key") + content("device.pem") + content("issuers.pem"), to: "encrypted.pem")
        for name in ["device", "server", "expired"] {
            try program.write(
                content("\(name).key") + content("\(name).pem") + content("issuers.pem"), to: "\(name).pem")
        }
    }

    func path(_ name: String) -> String { program.folder.appending(path: name).path(percentEncoded: false) }

    func content(_ name: String) -> String { (try? String(contentsOfFile: path(name), encoding: .utf8)) ?? "" }

    func signet(_ arguments: [String]) async throws -> Program.Outcome {
        try await program.run(Program.path(), arguments, environment: ["PFX_PASSWORD": secret])
    }

    /// Runs a tool in the folder; words are separated by blanks.
    @discardableResult
    func tool(_ name: String, _ command: String, _ more: [String] = []) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/env")
        process.arguments = [name] + command.split(separator: " ").map(String.init) + more
        process.currentDirectoryURL = program.folder
        process.environment = ProcessInfo.processInfo.environment.merging(["LC_ALL": "C.UTF-8"]) { $1 }
        let (output, problems) = (Pipe(), program.folder.appending(path: "stderr"))
        try Data().write(to: problems)
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: problems)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let complaint = try String(contentsOf: problems, encoding: .utf8)
        try #require(process.terminationStatus == 0, "\(name) \(command): \(complaint)")
        return String(decoding: bytes, as: UTF8.self)
    }

    @discardableResult
    func openssl(_ command: String, _ more: [String] = []) throws -> String { try tool("openssl", command, more) }
}

package import Foundation

/// The openssl command in a folder of its own, to make and read files as others do.
package struct OpenSSL: Sendable {
    struct Failure: Error, CustomStringConvertible { let description: String }

    package let folder: URL

    package init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    package func remove() { try? FileManager.default.removeItem(at: folder) }

    /// Runs one command; words are separated by blanks.
    @discardableResult
    package func callAsFunction(_ command: String, _ more: [String] = []) throws -> String {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/openssl")
        process.arguments = command.split(separator: " ").map(String.init) + more
        process.currentDirectoryURL = folder
        process.environment = ["PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8"]
        let (output, problems) = (Pipe(), folder.appending(path: "stderr"))
        try Data().write(to: problems)
        process.standardOutput = output
        process.standardError = try FileHandle(forWritingTo: problems)
        try process.run()
        let bytes = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else {
            throw Failure(description: "openssl \(command): \(try String(contentsOf: problems, encoding: .utf8))")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    package func bytes(_ name: String) throws -> [UInt8] { Array(try Data(contentsOf: folder.appending(path: name))) }

    package func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name), options: .atomic)
    }

    package func write(_ text: String, _ name: String) throws { try write(Array(text.utf8), name) }

    /// A self-signed certificate `name.pem` with its key `name.key`, few iterations later on.
    package func makeSelfSigned(_ name: String, algorithm: String, _ more: [String] = []) throws {
        try self(
            "req -x509 -nodes -days 10 -subj /CN=\(name) -keyout \(name).key -out \(name).pem -newkey \(algorithm)",
            more)
    }

    /// `root.pem`, `middle.pem` and `leaf.pem`, with `leaf.key`; `others.pem` has the root first, as many files do.
    package func makeChain() throws {
        let elliptic = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try self("req -x509 \(elliptic) -days 10 -subj /CN=root -keyout root.key -out root.pem")
        try write("basicConstraints=critical,CA:TRUE", "authority.cnf")
        try write("extendedKeyUsage=clientAuth,serverAuth\nsubjectAltName=DNS:leaf.example", "leaf.cnf")
        for (name, issuer, extensions) in [("middle", "root", "authority.cnf"), ("leaf", "middle", "leaf.cnf")] {
            try self("req -new \(elliptic) -subj /CN=\(name) -keyout \(name).key -out \(name).csr")
            try self(
                "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key -CAcreateserial -days 5 -extfile \(extensions) -out \(name).pem"
            )
        }
        try write(try bytes("root.pem") + bytes("middle.pem"), "others.pem")
    }
}

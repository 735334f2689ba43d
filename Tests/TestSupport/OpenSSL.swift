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

    /// Options of `openssl req` for a key on P-256.
    private static let elliptic = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
    private static let rsa = "-newkey rsa:2048 -nodes"

    /// A root `name.pem` with its key `name.key`.
    ///
    /// - Parameters:
    ///   - subject: in OpenSSL's notation; `/CN=name` when nil.
    ///   - rsa: for a key of RSA in place of P-256.
    package func makeRoot(_ name: String, subject: String? = nil, days: Int = 90, rsa: Bool = false) throws {
        try self(
            "req -x509 \(rsa ? Self.rsa : Self.elliptic) -days \(days) -keyout \(name).key -out \(name).pem",
            ["-subj", subject ?? "/CN=\(name)"])
    }

    /// A certificate `name.pem` with its key `name.key`.
    ///
    /// - Parameters:
    ///   - extensions: in OpenSSL's notation.
    ///   - serial: in hexadecimal; a random one when nil.
    ///   - subject: in OpenSSL's notation; `/CN=name` when nil.
    ///   - rsa: for a key of RSA in place of P-256.
    package func issue(
        _ name: String, by issuer: String, _ extensions: String, serial: String? = nil, subject: String? = nil,
        days: Int = 90, rsa: Bool = false
    ) throws {
        try write(extensions, "\(name).cnf")
        try self(
            "req -new \(rsa ? Self.rsa : Self.elliptic) -keyout \(name).key -out \(name).csr",
            ["-subj", subject ?? "/CN=\(name)"])
        let number = serial.map { "-set_serial 0x\($0)" } ?? "-CAserial serials.txt -CAcreateserial"
        try self(
            "x509 -req -in \(name).csr -CA \(issuer).pem -CAkey \(issuer).key \(number) -days \(days) -extfile \(name).cnf -out \(name).pem"
        )
    }

    /// A line of OpenSSL's index of certificates.
    ///
    /// - Parameter reason: of a revocation at 2020-01-02 03:04:05 UTC; nil for a certificate that is not revoked.
    package static func indexLine(_ serial: String, revokedFor reason: String? = nil) -> String {
        let end = "491231235959Z"
        return reason.map { "R\t\(end)\t200102030405Z,\($0)\t\(serial)\tunknown\t/CN=\(serial)\n" }
            ?? "V\t\(end)\t\t\(serial)\tunknown\t/CN=\(serial)\n"
    }

    /// A revocation list in DER, also in the file `issuer.crl`.
    ///
    /// - Parameters:
    ///   - index: lines of OpenSSL's index.
    ///   - extensions: in OpenSSL's notation.
    ///   - version: a list of version 1 has no extensions and no number.
    package func revocationList(
        of issuer: String, index: String, extensions: String = "", version: Int = 2
    ) throws -> [UInt8] {
        try write(index, "list.txt")
        try write("01", "number.txt")
        try write(
            """
            [ca]
            default_ca=list
            [list]
            database=list.txt
            \(version == 1 ? "" : "crlnumber=number.txt")
            \(extensions.isEmpty ? "" : "crl_extensions=extensions")
            default_md=sha256
            [extensions]
            \(extensions)
            """, "list.cnf")
        try self("ca -gencrl -crldays 7 -config list.cnf -cert \(issuer).pem -keyfile \(issuer).key -out list.pem")
        try self("crl -in list.pem -outform DER -out \(issuer).crl")
        return try bytes("\(issuer).crl")
    }

    /// `root.pem`, `middle.pem` and `leaf.pem`, with `leaf.key`; `others.pem` has the root first, as many files do.
    package func makeChain() throws {
        try makeRoot("root", days: 10)
        try issue("middle", by: "root", "basicConstraints=critical,CA:TRUE", days: 5)
        let extensions = "extendedKeyUsage=clientAuth,serverAuth\nsubjectAltName=DNS:leaf.example"
        try issue("leaf", by: "middle", extensions, days: 5)
        try write(try bytes("root.pem") + bytes("middle.pem"), "others.pem")
    }
}

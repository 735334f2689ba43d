import Foundation
import SignetTLS
import SignetTesting

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A database server of the tests' own: its data are in a folder that goes with the value, and it listens on loopback, with TLS.
final class PostgreSQLCluster: Sendable {
    let files: IdentityFiles
    let port: Int
    let password = "canary-of-the-role"
    private let binaries: String

    init() async throws {
        files = try IdentityFiles()
        port = try Port.free()
        guard let binaries = Self.binaries() else {
            throw PeerProcess.Failure(description: "PostgreSQL is not installed. Run scripts/test, which sees to it.")
        }
        self.binaries = binaries
        let authority = try CertificateAuthority()
        var profile = CertificateProfile.server
        (profile.dnsNames, profile.ipAddresses) = (["localhost"], [])
        try await files.write(authority.issueServer(profile), as: "server")
        try files.write([authority.certificate], as: "anchors.pem")
        try files.write(try [CertificateAuthority().certificate], as: "strangers.pem")
        try files.write(password, as: "password")
        try Self.setMode(0o600, files.path("server.key"))
        // Not even the superuser may run it as such.
        if geteuid() == 0 {
            for name in ["", "server.pem", "server.key", "password"] {
                try FileManager.default.setAttributes(
                    [.ownerAccountName: "postgres"], ofItemAtPath: files.path(name))
            }
        }
        let made = try await PeerProcess.output(
            of: command(
                "initdb",
                [
                    "-D", files.path("data"), "-U", "signet", "--auth-local=trust", "--auth-host=scram-sha-256",
                    "--pwfile=\(files.path("password"))", "--no-sync", "-E", "UTF8", "--locale=C",
                ]))
        guard made.status == 0 else { throw PeerProcess.Failure(description: "initdb: \(made.error)") }
    }

    /// Runs the server as long as `body` runs. It can be run again with the same data.
    func run<Value: Sendable>(
        _ settings: [String] = ["fsync=off"], during body: () async throws -> Value
    ) async throws -> Value {
        let settings =
            settings + [
                "ssl=on", "ssl_cert_file=\(files.path("server.pem"))", "ssl_key_file=\(files.path("server.key"))",
                "unix_socket_directories=\(files.folder.path(percentEncoded: false))", "max_connections=60",
                "log_min_messages=fatal",
            ]
        var command = command(
            "postgres",
            ["-D", files.path("data"), "-p", String(port), "-h", "127.0.0.1"] + settings.flatMap { ["-c", $0] })
        command.port = port
        return try await PeerProcess.run(command) {
            try await waitUntilReady()
            let result: Result<Value, any Error>
            do { result = .success(try await body()) } catch { result = .failure(error) }
            try await stop()
            return try result.get()
        }
    }

    /// A server that listens refuses connections until it has read its data.
    private func waitUntilReady() async throws {
        for _ in 0..<600 {
            let answer = try await PeerProcess.output(
                of: .init(
                    program: binaries + "/pg_isready",
                    arguments: ["-q", "-h", files.folder.path(percentEncoded: false), "-p", String(port)]))
            if answer.status == 0 { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw PeerProcess.Failure(description: "PostgreSQL does not accept connections.")
    }

    /// Ends the server with all its connections.
    func stop() async throws {
        _ = try await PeerProcess.output(
            of: command("pg_ctl", ["-D", files.path("data"), "-m", "fast", "-w", "stop"]))
    }

    /// Carries out statements as the superuser of the database.
    ///
    /// - Returns: the rows, their columns separated by `|`.
    @discardableResult
    func query(_ statements: String) async throws -> [String] {
        let result = try await PeerProcess.output(
            of: .init(
                program: binaries + "/psql",
                arguments: [
                    "-h", files.folder.path(percentEncoded: false), "-p", String(port), "-U", "signet", "-d",
                    "postgres",
                    "-At", "-v", "ON_ERROR_STOP=1", "-c", statements,
                ]))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "psql: \(result.error)") }
        return result.output.split(separator: "\n").map(String.init)
    }

    private func command(_ program: String, _ arguments: [String]) -> PeerProcess.Command {
        let program = "\(binaries)/\(program)"
        guard geteuid() == 0 else { return .init(program: program, arguments: arguments, folder: files.folder) }
        return .init(
            program: "setpriv",
            arguments: ["--reuid=postgres", "--regid=postgres", "--init-groups", program] + arguments,
            folder: files.folder)
    }

    /// Debian keeps them in a folder for each version.
    private static func binaries() -> String? {
        let versions = "/usr/lib/postgresql"
        let folders = ((try? FileManager.default.contentsOfDirectory(atPath: versions)) ?? [])
            .compactMap { Int($0) }.sorted(by: >).map { "\(versions)/\($0)/bin" }
        return (folders + ["/usr/local/bin", "/usr/bin"]).first {
            FileManager.default.isExecutableFile(atPath: $0 + "/postgres")
        }
    }

    private static func setMode(_ mode: Int, _ path: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
    }
}

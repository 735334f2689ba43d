import Foundation

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// A realm of MIT Kerberos on loopback: `EXAMPLE.TEST`, with the user `clerk` (password `way in`) and the service
/// `HTTP/localhost`, whose key is in `http.keytab`.
struct KerberosRealm: Sendable {
    static let name = "EXAMPLE.TEST"
    let files: IdentityFiles
    let environment: [String: String]

    var keyTable: String { files.path("http.keytab") }

    /// What this process needs to ask the realm. The library reads it whenever it is asked.
    private func enter() {
        for (name, value) in environment { setenv(name, value, 1) }
    }

    /// Gets a ticket into the cache that ``enter()`` names.
    func log(in user: String, password: String) async throws {
        try files.write(password + "\n", as: "password")
        try await run("sh", ["-c", "kinit \(user) < \"$0\"", files.path("password")])
    }

    /// Lets a server that does not run as root read its key table.
    func share(with user: String) throws {
        guard geteuid() == 0 else { return }
        // Others may go through the folder, without seeing what is in it.
        try FileManager.default.setAttributes([.posixPermissions: 0o711], ofItemAtPath: files.folder.path)
        for name in ["krb5.conf", "kdc.conf"] {
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: files.path(name))
        }
        try FileManager.default.setAttributes([.ownerAccountName: user], ofItemAtPath: keyTable)
    }

    func logOut() async throws { try await run("kdestroy", ["-A"]) }

    /// Makes the realm, starts its server, runs `body`, and ends the server. One realm at a time: the library finds it
    /// in the environment, which is the whole process's.
    static func run<Value: Sendable>(during body: (KerberosRealm) async throws -> Value) async throws -> Value {
        await turn.take()
        let result: Result<Value, any Error>
        do {
            result = .success(try await runAlone(during: body))
        } catch {
            result = .failure(error)
        }
        await turn.give()
        return try result.get()
    }

    private static let turn = Turn()

    /// Lets in one after the other.
    private actor Turn {
        private var isTaken = false
        private var waiting: [CheckedContinuation<Void, Never>] = []

        func take() async {
            if isTaken {
                await withCheckedContinuation { waiting.append($0) }
            } else {
                isTaken = true
            }
        }

        func give() {
            if waiting.isEmpty { isTaken = false } else { waiting.removeFirst().resume() }
        }
    }

    private static func runAlone<Value: Sendable>(
        during body: (KerberosRealm) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        let port = try Port.free()
        try files.fill("krb5.conf", ["PORT": "\(port)"], as: "krb5.conf")
        try files.fill("kdc.conf", ["PORT": "\(port)"], as: "kdc.conf")
        let realm = KerberosRealm(
            files: files,
            environment: [
                "KRB5_CONFIG": files.path("krb5.conf"), "KRB5_KDC_PROFILE": files.path("kdc.conf"),
                "KRB5CCNAME": "FILE:\(files.path("tickets"))", "KRB5RCACHETYPE": "none",
            ])
        try await realm.run("kdb5_util", ["create", "-s", "-r", name, "-P", "master"])
        for command in [
            "addprinc -pw \"way in\" clerk", "addprinc -randkey HTTP/localhost",
            "ktadd -k \(realm.keyTable) HTTP/localhost",
        ] { try await realm.run("kadmin.local", ["-r", name, "-q", command]) }
        let server = PeerProcess.Command(
            program: "krb5kdc", arguments: ["-n", "-r", name], environment: realm.environment, port: port)
        return try await PeerProcess.run(server) {
            realm.enter()
            return try await body(realm)
        }
    }

    private func run(_ program: String, _ arguments: [String]) async throws {
        let result = try await PeerProcess.output(
            of: .init(program: program, arguments: arguments, environment: environment))
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "\(program) \(arguments): \(result.error) \(result.output)")
        }
    }
}

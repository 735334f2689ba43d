import Crypto
import Foundation
import SignetTLS
import SignetTesting

/// squid on loopback, which demands a password and speaks plain HTTP at one port and TLS at another.
struct ForwardProxy: Sendable {
    let port: Int
    let securePort: Int
    private let files: IdentityFiles

    /// What squid wrote down: status, method, target and user of each request.
    var seen: [String] {
        // A client that only tests whether the port answers sends no request.
        get throws { try files.lines(of: "access.log").filter { !$0.contains(" error:") } }
    }

    /// What it wants to see.
    enum Demand: Sendable {
        case basic
        /// Of a nonce, three uses.
        case digest
        /// A ticket of a realm.
        case negotiate(KerberosRealm)

        fileprivate var lines: [String] {
            switch self {
            case .basic:
                [
                    "basic program /usr/lib/squid/basic_ncsa_auth @FOLDER@/passwords", "basic realm Way out",
                ]
            case .digest:
                [
                    "digest program /usr/lib/squid/digest_file_auth -c @FOLDER@/digests", "digest realm Way out",
                    "digest nonce_max_count 3", "digest children 2 startup=1 idle=1",
                ]
            case .negotiate(let realm):
                [
                    "negotiate program /usr/lib/squid/negotiate_kerberos_auth -k \(realm.keyTable) -s HTTP/localhost@\(KerberosRealm.name)",
                    "negotiate children 2 startup=1 idle=1",
                ]
            }
        }
    }

    /// Starts squid, runs `body`, and ends squid. Its name is `localhost`; it knows the user `clerk` with the password
    /// `way out`.
    static func run<Value: Sendable>(
        authority: CertificateAuthority, demands: [Demand] = [.basic], during body: (ForwardProxy) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "proxy")
        try await files.writePassword("way out", of: "clerk", as: "passwords")
        let key = Insecure.MD5.hash(data: Data("clerk:Way out:way out".utf8))
        try files.write(
            "clerk:Way out:\(key.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined())\n", as: "digests")
        let (port, secure) = (try Port.free(), try Port.free())
        // As root, squid changes to a user of its own, who has to get into the folder.
        var user = NSUserName()
        if geteuid() == 0 {
            user = "proxy"
            try FileManager.default.setAttributes(
                [.ownerAccountName: user], ofItemAtPath: files.folder.path(percentEncoded: false))
        }
        var environment: [String: String] = [:]
        for case .negotiate(let realm) in demands {
            environment = realm.environment
            try realm.share(with: user)
        }
        let schemes = demands.flatMap(\.lines).map { "auth_param \($0)" }.joined(separator: "\n")
        try files.fill(
            "squid.conf",
            [
                "PORT": "\(port)", "SECURE": "\(secure)", "USER": user,
                "SCHEMES": schemes.replacing("@FOLDER@", with: files.folder.standardizedFileURL.path),
            ], as: "squid.conf")
        let squid = PeerProcess.Command(
            program: "squid", arguments: ["-N", "-f", files.path("squid.conf")], environment: environment, port: port)
        return try await PeerProcess.run(squid) {
            try await body(ForwardProxy(port: port, securePort: secure, files: files))
        }
    }
}

/// nginx as an origin that logs the credentials of each request.
struct WatchedOrigin: Sendable {
    let port: Int
    let plainPort: Int
    private let files: IdentityFiles

    /// Where the TLS port is reached without a network.
    var socket: String { files.path("origin.sock") }

    /// What nginx wrote down: its port, `Proxy-Authorization`, `Authorization`, the client certificate's subject and
    /// the request.
    var seen: [String] {
        get throws { try files.lines(of: "seen.log") }
    }

    /// Its name is `localhost`; it knows the user `guest` with the password `inside`.
    static func run<Value: Sendable>(
        authority: CertificateAuthority, during body: (WatchedOrigin) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        try await files.write(try authority.issueServer(dnsNames: ["localhost"]), as: "server")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        try await files.writePassword("inside", of: "guest", as: "insiders")
        let (port, plain) = (try Port.free(), try Port.free())
        return try await Nginx.run("origin.conf", ["PLAIN": "\(plain)"], in: files, port: port) {
            try await body(WatchedOrigin(port: port, plainPort: plain, files: files))
        }
    }
}

extension IdentityFiles {
    func lines(of name: String) throws -> [String] {
        guard let data = try? Data(contentsOf: folder.appending(path: name)) else { return [] }
        return String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// A password file as Apache, nginx and squid read it.
    func writePassword(_ password: String, of user: String, as name: String) async throws {
        let result = try await PeerProcess.output(
            of: .init(program: "openssl", arguments: ["passwd", "-apr1", password]))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "openssl passwd: \(result.error)") }
        try write("\(user):\(result.output)", as: name)
    }
}

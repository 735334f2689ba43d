import Foundation
import GreetingService
import Logging
import SignetServer
import SignetTLS
import SignetTesting
import Testing

@testable import SignetServerConfiguration

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Configurations from files and from the environment.
@Suite struct ServerConfigurationTests {
    private let folder: Folder
    private let authority: CertificateAuthority

    init() throws {
        folder = try Folder()
        authority = try CertificateAuthority()
        try folder.write(authority.bundle.pem, "clients.pem")
        try folder.write(try authority.issueServer(dnsNames: ["localhost"]).pem(password: nil), "server.pem")
    }

    private func read(
        _ yaml: String? = nil, _ environment: [String: String] = [:]
    ) async throws -> ServerConfiguration {
        let text = yaml?.replacing("@", with: folder.path(""))
        return try await ServerConfiguration.read(
            file: text.map { try folder.write(Array($0.utf8), "server.yaml") },
            environment: environment.mapValues { $0.replacing("@", with: folder.path("")) })
    }

    private func problem(_ yaml: String?, _ environment: [String: String] = [:]) async throws -> String {
        let error = await #expect(throws: ServerConfigurationError.self) { try await read(yaml, environment) }
        return error?.message ?? ""
    }

    private let services = [HostedService(Greeting.dispatcher(), path: "/soap")]

    @Test func everyKeyHasItsVariableAndIsDocumentedOnce() throws {
        let keys = ServerConfiguration.keys
        #expect(Set(keys.map(\.name)).count == keys.count)
        #expect(Set(keys.map(\.variable)).count == keys.count)
        #expect(ServerConfiguration.port.variable == "SIGNET_SERVER_PORT")
        #expect(ServerConfiguration.passwordFile.variable == "SIGNET_TLS_PASSWORD_FILE")
        #expect(
            ServerConfiguration.unprovenConnections.variable == "SIGNET_LIMITS_UNPROVEN_CONNECTIONS_PER_ADDRESS")
        let page = URL(filePath: #filePath)
            .appending(path: "../../../Sources/Signet/Signet.docc/DeployingServices.md").standardized
        let article = try String(contentsOf: page, encoding: .utf8).split(separator: "\n").map(String.init)
        let rows = keys.map { "| `\($0.name)` | \($0.kind) | \($0.meaning) | \($0.usual) |" }
        #expect(article.filter { row in keys.contains { row.hasPrefix("| `\($0.name)` |") } } == rows)
        for key in keys {
            #expect(ServerProgram.listing.contains("# \(key.meaning) (\(key.kind.rawValue); \(key.variable))"))
        }
    }

    /// A value for each key, and what it does.
    @Test(arguments: [false, true]) func everyKeyHasAnEffect(fromTheEnvironment: Bool) async throws {
        let digest = Array(repeating: "ab", count: 32).joined(separator: ":")
        typealias Case = (values: [String: String], check: (ServerConfiguration) -> Bool)
        let plain = ["server.plaintext": "true"]
        let socket = ["server.socket": "/run/x/socket"]
        let tls = ["tls.identity": "@server.pem"]
        let cases: [Case] = [
            (plain.merging(["server.host": "::1"]) { $1 }, { $0.settings.host == "::1" && $0.tls == nil }),
            (plain.merging(["server.port": "9000"]) { $1 }, { $0.settings.port == 9000 }),
            (socket, { $0.settings.unixSocketPath == "/run/x/socket" }),
            (
                plain.merging([
                    "server.wsdl": "@x.wsdl", "server.publicAddress": "https://diary.example/soap",
                ]) { $1 },
                { $0.wsdl != nil }
            ),
            (tls.merging(["server.http2": "false"]) { $1 }, { !$0.settings.allowsHTTP2 }),
            (
                tls.merging(["server.proxies": "10.0.0.1,10.0.0.2", "server.proxyProtocol": "true"]) { $1 },
                { $0.settings.proxies == ["10.0.0.1", "10.0.0.2"] && $0.settings.usesProxyProtocol }
            ),
            (plain.merging(["server.shutdownGrace": "2.5"]) { $1 }, { $0.settings.shutdownGrace == .seconds(2.5) }),
            (tls.merging(["tls.minimumVersion": "1.3"]) { $1 }, { $0.tls?.versions.minimum == .tls13 }),
            (tls.merging(["tls.checkInterval": "7"]) { $1 }, { $0.tls?.identityCheckInterval == .seconds(7) }),
            (
                tls.merging(["health.live": "/l", "health.ready": "/r"]) { $1 },
                { $0.settings.health?.livePath == "/l" && $0.settings.health?.readyPath == "/r" }
            ),
            (plain.merging(["limits.requestBytes": "1"]) { $1 }, { $0.settings.maximumRequestBytes == 1 }),
            (plain.merging(["limits.spooledBytes": "2"]) { $1 }, { $0.settings.maximumSpooledBytes == 2 }),
            (plain.merging(["limits.connections": "3"]) { $1 }, { $0.settings.maximumConnections == 3 }),
            (
                plain.merging(["limits.unprovenConnectionsPerAddress": "4"]) { $1 },
                { $0.settings.maximumUnprovenConnectionsPerAddress == 4 }
            ),
            (
                tls.merging(["limits.callsPerConnection": "5"]) { $1 },
                { $0.settings.maximumCallsPerConnection == 5 }
            ),
            (plain.merging(["limits.backgroundCalls": "6"]) { $1 }, { $0.settings.maximumBackgroundCalls == 6 }),
            (plain.merging(["limits.firstHead": "7"]) { $1 }, { $0.settings.firstHeadArrival == .seconds(7) }),
            (plain.merging(["limits.idle": "8"]) { $1 }, { $0.settings.idle == .seconds(8) }),
            (plain.merging(["limits.requestArrival": "9"]) { $1 }, { $0.settings.requestArrival == .seconds(9) }),
            (plain.merging(["limits.arrivalRate": "10"]) { $1 }, { $0.settings.minimumArrivalRate == 10 }),
            (plain.merging(["limits.answerDelivery": "11"]) { $1 }, { $0.settings.answerDelivery == .seconds(11) }),
            (plain.merging(["log.level": "debug"]) { $1 }, { $0.logLevel == .debug }),
            (
                tls.merging([
                    "clients.certificates": "required", "clients.authorities": "@clients.pem",
                    "clients.revocation": "hard",
                ]) { $1 }, { $0.tls != nil }
            ),
            (
                socket.merging([
                    "clients.certificates": "allowed", "clients.authorities": "@clients.pem", "proxy.field": "X-Cert",
                    "proxy.addressField": "X-Real-IP",
                ]) { $1 }, { $0.settings.tlsProxy?.addressField == "X-Real-IP" }
            ),
            (
                tls.merging([
                    "clients.certificates": "required", "clients.authorities": "@clients.pem",
                    "proxy.field": "Client-Cert", "proxy.certificates": digest, "proxy.authorities": "@clients.pem",
                ]) { $1 },
                {
                    $0.settings.tlsProxy?.recognition
                        == .certificates(sha256: [[UInt8](repeating: 0xAB, count: 32)])
                }
            ),
            (
                ["tls.identity": "@certificate.pem", "tls.key": "@key.pem", "tls.passwordFile": "@password"],
                { $0.tls != nil }
            ),
        ]
        try writeSeparately()
        try folder.write(Array("<definitions xmlns='http://schemas.xmlsoap.org/wsdl/'/>".utf8), "x.wsdl")
        var seen: Set<String> = ["tls.password"]
        for (values, check) in cases {
            seen.formUnion(values.keys)
            let configuration: ServerConfiguration
            if fromTheEnvironment {
                let variables = values.map { name, value in
                    (ServerConfiguration.keys.first { $0.name == name }?.variable ?? "", value)
                }
                configuration = try await read(nil, Dictionary(uniqueKeysWithValues: variables))
            } else {
                configuration = try await read(yaml(values))
            }
            #expect(check(configuration), "\(values)")
        }
        #expect(seen == Set(ServerConfiguration.keys.map(\.name)))
    }

    private func yaml(_ values: [String: String]) -> String {
        let lists = Set(ServerConfiguration.keys.filter { $0.kind == .list }.map(\.name))
        let sections = Dictionary(grouping: values) { $0.key.prefix { $0 != "." } }
        return sections.map { section, entries in
            "\(section):\n"
                + entries.map { name, value in
                    let value =
                        lists.contains(name)
                        ? "[\(value.split(separator: ",").map { "\"\($0)\"" }.joined(separator: ", "))]"
                        : "\"\(value)\""
                    let bare = ServerConfiguration.keys.first { $0.name == name }?.kind
                    let plain = bare == .number || bare == .flag || bare == .seconds
                    return "  \(name.drop { $0 != "." }.dropFirst()): \(plain ? value.filter { $0 != "\"" } : value)\n"
                }.joined()
        }.joined()
    }

    /// An identity whose certificate, encrypted key and password are files of their own.
    private func writeSeparately() throws {
        let identity = try authority.issueServer(dnsNames: ["localhost"])
        try folder.write(CertificateBundle(identity.chain).pem, "certificate.pem", mode: 0o644)
        let whole = String(decoding: try identity.pem(password: "gehéim"), as: UTF8.self)
        let key = try #require(whole.range(of: "-----END ENCRYPTED PRIVATE KEY-----\n"))
        try folder.write(Array(whole[..<key.upperBound].utf8), "key.pem")
        try folder.write(Array("gehéim\n".utf8), "password")
    }

    @Test func theIdentityIsReadFromItsFilesAgain() async throws {
        try writeSeparately()
        let yaml = """
            tls:
              identity: @certificate.pem
              key: @key.pem

            """
        let configuration = try await read(yaml + "  passwordFile: @password\n")
        #expect(try await configuration.check(services).allSatisfy { $0.severity != .error })
        let first = try #require(try await configuration.tls?.identity.current())
        try writeSeparately()
        let second = try #require(try await configuration.tls?.identity.current())
        #expect(first != second)
        let given = try await read(yaml, ["SIGNET_TLS_PASSWORD": "gehéim"])
        #expect(try await given.tls?.identity.current() == second)
        #expect(!"\(given)".contains("gehéim"))
        var dumped = ""
        dump(given, to: &dumped)
        #expect(!dumped.contains("gehéim"))
        // A file of PKCS#12.
        try folder.write(try second.pkcs12(password: "p"), "server.p12")
        let container = try await read("tls:\n  identity: @server.p12\n", ["SIGNET_TLS_PASSWORD": "p"])
        #expect(try await container.tls?.identity.current() == second)

        #expect(try await problem(yaml).contains("encrypted; name its password by tls.passwordFile"))
        #expect(try await problem(yaml, ["SIGNET_TLS_PASSWORD": "wröng"]).contains("cannot be used"))
        #expect(try await !problem(yaml, ["SIGNET_TLS_PASSWORD": "wröng"]).contains("wröng"))
        #expect(
            try await problem(yaml + "  passwordFile: @password\n", ["SIGNET_TLS_PASSWORD": "p"]).contains("both given")
        )
        #expect(
            try await problem(yaml + "  password: geheim\n").contains("line 4: tls.password is a secret"))
        try folder.write(Array("gehéim".utf8), "password", mode: 0o644)
        #expect(
            try await problem(yaml + "  passwordFile: @password\n").contains("can be read by other users"))
    }

    @Test func namesThatAreNoKeysAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        for (yaml, words) in [
            (plain + "  prot: 80\n", "server.yaml, line 3: “server.prot” is no key; “server.port” is one"),
            (plain + "limits: 7\n", "line 3: the section limits has no keys"),
            (plain + "server.port: 1\n", "line 3: write “port:” below “server:”"),
            (plain + "sever:\n  x: 1\n", "“sever” is no section; “server” is one"),
            (plain + "server:\n  port: 1\n", "a name stands here more than once"),
            (plain + "[\n", "this is not YAML"), ("just a text", "there are no keys"), ("- a\n", "there are no keys"),
            ("server:\n  - port\n", "the section server has no keys"),
        ] {
            let text = try await problem(yaml)
            #expect(text.contains(words), "\(yaml): \(text)")
        }
        // Sections of comments, and a file of them.
        _ = try await read(plain + "limits:\n  # idle: 1\ntls:\n")
        #expect(try await problem("# nothing\n").contains("a server needs a certificate"))
        let listing = ServerProgram.listing.replacing("  # plaintext:  # without it: false", with: "  plaintext: true")
        _ = try await read(listing)
        for (variable, words) in [
            ("SIGNET_SERVER_PROT", "SIGNET_SERVER_PROT belongs to no key; “SIGNET_SERVER_PORT” is one"),
            ("SIGNET_LIMITS_X", "--list-keys"), ("signet_server_port", "“SIGNET_SERVER_PORT” is one"),
            ("SIGNET_CLIENT_CERTIFICATES", "“SIGNET_CLIENTS_CERTIFICATES” is one"),
            ("SIGNET_SEVER_PORT", "“SIGNET_SERVER_PORT” is one"),
        ] {
            let text = try await problem(plain, [variable: "1"])
            #expect(text.contains(words), "\(text)")
        }
        // Other programs of this project have variables too.
        _ = try await read(plain, ["SIGNET_CORPUS": "x", "SIGNET_PASSWORD": "x", "SIGNET_STORE": "x"])
        for (file, words) in [
            ("/absent/x.yaml", "/absent/x.yaml is not there"), (folder.path("."), "is a folder"),
            ("/dev/null", "a pipe or a device"),
        ] {
            let error = await #expect(throws: ServerConfigurationError.self) {
                try await ServerConfiguration.read(file: file, environment: [:])
            }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
        }
    }

    /// What the parser of YAML quotes may be a secret that stands in the wrong place.
    @Test func noLineOfTheFileIsShown() async throws {
        for yaml in [
            "tls:\n  password: hunter2\n  password: hunter2\n", "tls:\n  password: hunter2: x\n",
            "tls:\n  password: 'hunter2\n", "tls:\n  password: hunter2\n", "tls:\n  password: [hunter2]\n",
            "-----BEGIN hunter2-----\nhunter2\n",
        ] {
            let text = try await problem(yaml)
            #expect(!text.contains("hunter2"), "\(text)")
        }
    }

    @Test func valuesThatCannotBeReadAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        for (yaml, words) in [
            ("  port: many\n", "server.yaml, line 3: server.port is “many”, which is no whole number"),
            ("  port: [1]\n", "has several values, and needs one"), ("  port: {a: 1}\n", "has several values"),
            ("  host: \"\"\n", "which is no text"), ("  host:\n", "has no value"), ("  host: ~\n", "has no value"),
            ("  http2: maybe\n", "which is no true or false"),
            ("  proxies: 10.0.0.1\n", "is no list; write [\"…\", \"…\"]"),
            ("  proxies: [[a]]\n", "no text"), ("  port: 65536\n", "a port is 0 to 65535"),
            ("  port: -1\n", "a port is 0 to 65535"),
            ("  shutdownGrace: 0\n", "0.001 to 1000000000"), ("  shutdownGrace: nan\n", "0.001 to 1000000000"),
            ("  shutdownGrace: -1\n", "0.001 to 1000000000"), ("  shutdownGrace: inf\n", "0.001 to 1000000000"),
            ("  shutdownGrace: 1e-12\n", "0.001 to 1000000000"),
            ("  shutdownGrace: 10s\n", "is “10s”, which is no number of seconds"),
            ("limits:\n  requestBytes: {max: 5}\n", "has several values"),
            ("limits:\n  requestBytes: 0\n", "must be above zero"),
            ("limits:\n  requestBytes: 99999999999999999999\n", "no whole number"),
            ("  proxyProtocol: true\n", "needs server.proxies"),
            ("  wsdl: /absent\n", "names “/absent”, which is not there"),
            ("log:\n  level: loud\n", "one of debug, info"),
            ("clients:\n  certificates: {required: true}\n", "has several values"),
            ("clients:\n  certificates: maybe\n", "one of no, allowed, required"),
            ("clients:\n  certificates: required\n", "clients.authorities"),
            ("clients:\n  certificates: required\n  authorities: /absent\n", "is not there"),
            ("clients:\n  certificates: required\n  authorities: @server.yaml\n", "cannot be used"),
            ("clients:\n  certificates: required\n  authorities: @\n", "is a folder"),
            (
                "clients:\n  certificates: required\n  authorities: @clients.pem\n  revocation: {mode: hard}\n",
                "has several values"
            ),
        ] {
            let start = yaml.hasPrefix("clients") ? "tls:\n  identity: @server.pem\n" : plain
            let text = try await problem(start + yaml)
            #expect(text.contains(words), "\(yaml): \(text)")
        }
        #expect(try await problem("server:\n  port: 1\n").contains("a server needs a certificate"))
        #expect(
            try await problem(plain, ["SIGNET_SERVER_PORT": "many"]).contains(
                "SIGNET_SERVER_PORT: server.port is no whole number"))
    }

    @Test func filesOfTheIdentityAreJudged() async throws {
        try writeSeparately()
        let pipe = folder.path("pipe")
        #expect(mkfifo(pipe, 0o600) == 0)
        for (yaml, words) in [
            ("  identity: @pipe\n", "a pipe or a device"), ("  identity: @\n", "is a folder"),
            ("  identity: @clients.pem\n", "no private key"),
            ("  identity: @server.pem\n  key: @key.pem\n", "tls.key has no effect: the file of tls.identity has a key"),
            (
                "  identity: @server.pem\n  passwordFile: @password\n",
                "tls.passwordFile has no effect: the key is not encrypted"
            ),
        ] {
            let text = try await problem("tls:\n" + yaml)
            #expect(text.contains(words), "\(yaml): \(text)")
        }
        let other = String(decoding: try authority.issueServer(dnsNames: ["x"]).pem(password: nil), as: UTF8.self)
        let end = try #require(other.range(of: "-----END PRIVATE KEY-----\n"))
        try folder.write(Array(other[..<end.upperBound].utf8), "other.pem")
        #expect(
            try await problem("tls:\n  identity: @certificate.pem\n  key: @other.pem\n").contains(
                "does not belong to the certificate in tls.identity"))
        for (mode, isGood) in [
            (0o600, true), (0o400, true), (0o640, true), (0o660, false), (0o644, false), (0o604, false),
        ] {
            try folder.write(try authority.issueServer(dnsNames: ["x"]).pem(password: nil), "server.pem", mode: mode)
            if isGood {
                _ = try await read("tls:\n  identity: @server.pem\n")
            } else {
                #expect(try await problem("tls:\n  identity: @server.pem\n").contains("chmod 600"))
            }
        }
    }

    @Test func aProxyThatEndsTLSNeedsWhatBelongsToIt() async throws {
        let clients = "clients:\n  certificates: required\n  authorities: @clients.pem\n"
        let digest = String(repeating: "ab", count: 32)
        for (yaml, words) in [
            ("server:\n  socket: /run/x/s\nproxy:\n  field: X\n", "clients.certificates"),
            (clients + "server:\n  plaintext: true\nproxy:\n  field: X\n", "needs server.socket"),
            (
                clients + "tls:\n  identity: @server.pem\nproxy:\n  field: X\n",
                "needs proxy.certificates beside tls.identity"
            ),
            (
                clients + "server:\n  socket: /s\nproxy:\n  field: X\n  certificates: [\(digest)]\n",
                "proxy.certificates has no effect"
            ),
            (
                clients + "tls:\n  identity: @server.pem\nproxy:\n  field: X\n  certificates: [\(digest)]\n",
                "proxy.authorities"
            ),
            (
                clients + "tls:\n  identity: @server.pem\nproxy:\n  field: X\n  certificates: [\(digest)0]\n",
                "no SHA-256"
            ),
        ] {
            let text = try await problem(yaml)
            #expect(text.contains(words), "\(yaml): \(text)")
        }
    }

    @Test func valuesWithoutEffectAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        let tls = "tls:\n  identity: @server.pem\n"
        for (yaml, name) in [
            (plain + "tls:\n  key: @key.pem\n", "tls.key"),
            (plain + "tls:\n  minimumVersion: \"1.3\"\n", "tls.minimumVersion"),
            (tls + "server:\n  plaintext: true\n", "server.plaintext"),
            (plain + "clients:\n  certificates: required\n", "clients.certificates"),
            (plain + "  http2: true\n", "server.http2"),
            ("server:\n  socket: /run/x/s\n  plaintext: true\n", "server.plaintext"),
            (tls + "clients:\n  authorities: @clients.pem\n", "clients.authorities"),
            (tls + "clients:\n  revocation: hard\n", "clients.revocation"),
            (tls + "proxy:\n  addressField: X\n", "proxy.addressField"),
            (tls + "proxy:\n  certificates: [a]\n", "proxy.certificates"),
            ("server:\n  socket: /run/x/s\n  port: 1\n", "server.port"),
            (plain + "  publicAddress: https://diary.example\n", "server.publicAddress"),
        ] {
            let text = try await problem(yaml)
            #expect(text.contains(name) && text.contains("has no effect"), "\(yaml): \(text)")
        }
        // What the server itself finds.
        let budget = try await read(plain + "limits:\n  connections: 3\n  unprovenConnectionsPerAddress: 4\n")
        let beyond = await #expect(throws: SOAPServerError.self) { try await budget.check(services) }
        #expect(beyond?.message.contains("limits.unprovenConnectionsPerAddress (4) has no effect") == true)
    }

    @Test func theEnvironmentTakesPrecedence() async throws {
        let configuration = try await read(
            "server:\n  plaintext: true\n  port: 1\n  host: 127.0.0.2\n", ["SIGNET_SERVER_PORT": "2"])
        #expect(configuration.settings.port == 2)
        #expect(configuration.settings.host == "127.0.0.2")
    }

    @Test func anIdentityThatCannotBeUsedIsFoundByTheCheck() async throws {
        let expired = try authority.issueServer(dnsNames: ["localhost"], .server.expired)
        try folder.write(try expired.pem(password: nil), "server.pem")
        let configuration = try await read("tls:\n  identity: @server.pem\n")
        await #expect(throws: SOAPServerError(.unusableIdentity, "")) { try await configuration.check(services) }
    }

    @Test func theStatusSaysHowItEnded() async throws {
        func status(_ arguments: [String], _ environment: [String: String] = [:]) async -> Int32 {
            await ServerProgram(name: "greeting") { [services] _ in services }.run(arguments, environment: environment)
        }
        #expect(await status(["--help"]) == 0)
        #expect(await status(["--list-keys"]) == 0)
        #expect(await status(["--unknown"]) == 2)
        #expect(await status(["--config"]) == 2)
        #expect(await status(["--config="]) == 2)
        #expect(await status(["--config", "a", "--config", "b"]) == 2)
        #expect(await status(["extra"]) == 2)
        #expect(await status(["--config", "/absent.yaml", "--check-config"]) == 1)
        #expect(await status(["--check-config"]) == 1)
        #expect(await status(["--check-config"], ["SIGNET_SERVER_PLAINTEXT": "true"]) == 0)
        #expect(
            await status(["--check-config"], ["SIGNET_TLS_IDENTITY": folder.path("server.pem")]) == 0)
        // What the start would refuse.
        #expect(await status(["--check-config"], ["SIGNET_SERVER_SOCKET": "/tmp/s"]) == 1)
        // A folder that the service manager makes at the start.
        #expect(await status(["--check-config"], ["SIGNET_SERVER_SOCKET": "/absent/s"]) == 0)
        #expect(
            await status(["--check-config"], ["SIGNET_SERVER_PLAINTEXT": "true", "SIGNET_SERVER_HOST": "no such name"])
                == 1)
        // An address that is not of this machine.
        #expect(
            await status(
                [], ["SIGNET_SERVER_PLAINTEXT": "true", "SIGNET_SERVER_HOST": "192.0.2.1", "SIGNET_SERVER_PORT": "0"])
                == 1)
    }
}

/// A folder that goes with this value.
private final class Folder: Sendable {
    private let url: URL

    init() throws {
        url = FileManager.default.temporaryDirectory.appending(path: "signet-configuration-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func path(_ name: String) -> String { url.path(percentEncoded: false) + "/" + name }

    @discardableResult func write(_ bytes: [UInt8], _ name: String, mode: Int = 0o600) throws -> String {
        try Data(bytes).write(to: url.appending(path: name))
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path(name))
        return path(name)
    }
}

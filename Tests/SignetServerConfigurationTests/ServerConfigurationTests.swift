import Foundation
import GreetingService
import Logging
import SignetServer
import SignetTLS
import SignetTesting
import Testing

@testable import SignetServerConfiguration

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
            (socket, { $0.settings.socketPath == "/run/x/socket" }),
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
                tls.merging(["limits.streamsPerConnection": "5"]) { $1 },
                { $0.settings.maximumStreamsPerConnection == 5 }
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
        #expect(try configuration.check(services).allSatisfy { $0.severity != .error })
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

        #expect(try await problem(yaml).contains("tls.identity"))
        #expect(try await problem(yaml, ["SIGNET_TLS_PASSWORD": "wröng"]).contains("cannot be used"))
        #expect(try await !problem(yaml, ["SIGNET_TLS_PASSWORD": "wröng"]).contains("wröng"))
        #expect(
            try await problem(yaml + "  passwordFile: @password\n", ["SIGNET_TLS_PASSWORD": "p"]).contains("both given")
        )
        #expect(
            try await problem(yaml + "  password: geheim\n").contains("line 4: tls.password is a secret"))
        try folder.write(Array("gehéim".utf8), "password", mode: 0o644)
        #expect(
            try await problem(yaml + "  passwordFile: @password\n").contains("every user of this machine can open"))
    }

    @Test func namesThatAreNoKeysAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        #expect(
            try await problem(plain + "  prot: 80\n").contains(
                "server.yaml, line 3: “server.prot” is no key; “server.port” is one"))
        #expect(try await problem(plain + "limits: 7\n").contains("line 3: “limits” is no key"))
        #expect(try await problem(plain + "other:\n  x: 1\n").contains("“other.x” is no key"))
        #expect(try await problem(plain + "server:\n  port: 1\n").contains("is not YAML"))
        #expect(try await problem("just a text").contains("has no keys"))
        #expect(try await problem("").contains("has no keys"))
        #expect(try await problem("server:\n  - port\n").contains("“server” is no key"))
        #expect(
            try await problem(plain, ["SIGNET_SERVER_PROT": "1"]).contains(
                "SIGNET_SERVER_PROT belongs to no key; “SIGNET_SERVER_PORT” is one"))
        #expect(try await problem(plain, ["SIGNET_LIMITS_X": "1"]).contains("--list-keys"))
        // Other programs of this project have variables too.
        _ = try await read(plain, ["SIGNET_CORPUS": "x", "SIGNET_PASSWORD": "x"])
        let error = await #expect(throws: ServerConfigurationError.self) {
            try await ServerConfiguration.read(file: "/absent/x.yaml", environment: [:])
        }
        #expect(error?.message.contains("/absent/x.yaml cannot be read") == true)
    }

    @Test func valuesThatCannotBeReadAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        for (yaml, words) in [
            ("  port: many\n", "server.port (SIGNET_SERVER_PORT in the environment) is not a whole number"),
            ("  port: [1]\n", "is not a whole number"), ("  host: \"\"\n", "has an empty value"),
            ("  http2: maybe\n", "is not true or false"), ("  proxies: 10.0.0.1\n", "is not a list"),
            ("  shutdownGrace: 0\n", "above zero"), ("  shutdownGrace: .nan\n", "above zero"),
            ("  shutdownGrace: -1\n", "above zero"), ("  shutdownGrace: .inf\n", "above zero"),
            ("  wsdl: /absent\n", "server.wsdl"), ("log:\n  level: loud\n", "one of debug, info"),
            ("clients:\n  certificates: maybe\n", "one of no, allowed, required"),
            ("clients:\n  certificates: required\n", "clients.authorities"),
            ("clients:\n  certificates: required\n  authorities: /absent\n", "cannot be read"),
            ("clients:\n  certificates: required\n  authorities: @server.yaml\n", "cannot be used"),
            ("clients:\n  certificates: required\n  authorities: @\n", "clients.authorities"),
        ] {
            let start = yaml.hasPrefix("clients") ? "tls:\n  identity: @server.pem\n" : plain
            let text = try await problem(start + yaml)
            #expect(text.contains(words), "\(yaml): \(text)")
        }
        #expect(try await problem("server:\n  port: 1\n").contains("a server needs a certificate"))
        #expect(try await problem("server:\n  port: 1\n", ["SIGNET_SERVER_HTTP2": "often"]).contains("server.http2"))
    }

    @Test func valuesWithoutEffectAreErrors() async throws {
        let plain = "server:\n  plaintext: true\n"
        let tls = "tls:\n  identity: @server.pem\n"
        for (yaml, name) in [
            (plain + "tls:\n  key: @key.pem\n", "tls.key"),
            (plain + "tls:\n  minimumVersion: \"1.3\"\n", "tls.minimumVersion"),
            (tls + "server:\n  plaintext: true\n", "server.plaintext"),
            (plain + "clients:\n  certificates: required\n", "clients.certificates"),
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
        #expect(throws: SOAPServerError(.invalidConfiguration, "")) { try budget.check(services) }
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
        #expect(throws: SOAPServerError(.unusableIdentity, "")) { try configuration.check(services) }
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

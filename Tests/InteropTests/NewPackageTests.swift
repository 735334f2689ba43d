import Foundation
import SignetTLS
import SignetTesting
import Synchronization
import Testing

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// The program and the deployment of a package that `signet new` has made, with systemd's own checks, nginx and HAProxy.
@Suite(.serialized) struct NewPackageTests {
    private static let deployment = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../NewPackage/deploy").standardized

    private let files: IdentityFiles
    private let authority: CertificateAuthority

    init() async throws {
        files = try IdentityFiles()
        authority = try CertificateAuthority()
        try await files.write(try authority.issueClient(commonName: "device-7"), as: "client")
        try files.write(authority.bundle.certificates, as: "clients.pem")
        try renew()
    }

    /// Gives the servers another certificate.
    private func renew() throws {
        let identity = try authority.issueServer(dnsNames: ["localhost"])
        let file = files.folder.appending(path: "identity.pem")
        try Data(try identity.pem(password: nil)).write(to: file)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: file.path)
    }

    /// One of the files of the deployment, with other texts in the place of some.
    private func deploy(_ name: String, _ changes: [(String, String)]) throws {
        var text = try String(contentsOf: Self.deployment.appending(path: name), encoding: .utf8)
        for (old, new) in changes {
            try #require(text.contains(old), "\(name) has no “\(old)”")
            text = text.replacing(old, with: new)
        }
        try files.write(text, as: name)
    }

    private func configuration(port: Int, _ more: String = "") throws {
        try deploy(
            "server.yaml",
            [
                ("\"::\"\n", "127.0.0.1\n"), ("port: 8443\n", "port: \(port)\n\(more)"),
                ("/etc/parcels-server/identity.pem", files.path("identity.pem")),
                ("/etc/parcels-server/clients.pem", files.path("clients.pem")),
            ])
    }

    private func program() throws -> String { try SignetProgram.path(of: "ParcelsServer") }

    private func curl(_ port: Int, _ path: String, _ arguments: [String] = []) async throws -> String {
        let outcome = try await PeerProcess.output(
            of: .init(
                program: "curl",
                arguments: [
                    "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "30", "--ipv4", "--cacert",
                    files.path("clients.pem"), "--write-out", " %{http_code} %{ssl_verify_result}",
                    "https://localhost:\(port)\(path)",
                ] + arguments))
        return outcome.output + outcome.error
    }

    private var identity: [String] { ["--cert", files.path("client.pem"), "--key", files.path("client.key")] }

    private static let call = [
        "--header", "Content-Type: text/xml", "--data-binary",
        "<s:Envelope xmlns:s=\"http://schemas.xmlsoap.org/soap/envelope/\"><s:Body/></s:Envelope>",
    ]

    // MARK: Checks

    @Test func systemdAcceptsTheUnit() async throws {
        try deploy("parcels-server.service", [("/usr/local/bin/parcels-server", try program())])
        // With and without the change for a proxy that ends TLS.
        let changed = files.folder.appending(path: "parcels-server.service.d")
        try FileManager.default.createDirectory(at: changed, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
            at: Self.deployment.appending(path: "behind-proxy.conf"), to: changed.appending(path: "behind-proxy.conf"))
        let other = try await PeerProcess.output(
            of: .init(
                program: "systemd-analyze", arguments: ["verify", "--man=no", files.path("parcels-server.service")]))
        #expect(other.status == 0, "\(other)")
        try FileManager.default.removeItem(at: changed)
        let verified = try await PeerProcess.output(
            of: .init(
                program: "systemd-analyze", arguments: ["verify", "--man=no", files.path("parcels-server.service")]))
        #expect(verified.status == 0 && verified.error.isEmpty, "\(verified)")
        let judged = try await PeerProcess.output(
            of: .init(
                program: "systemd-analyze",
                arguments: ["security", "--offline=yes", "--threshold=15", files.path("parcels-server.service")]))
        #expect(judged.status == 0, "\(judged.output.suffix(200))")
        #expect(judged.output.contains("OK"))
    }

    @Test func theConfigurationIsChecked() async throws {
        try configuration(port: 8443)
        let good = try await PeerProcess.output(
            of: .init(
                program: try program(), arguments: ["--config", files.path("server.yaml"), "--check-config"]))
        #expect(good.status == 0, "\(good)")
        #expect(good.output.contains("https://127.0.0.1:8443/soap"))
        let bad = try await PeerProcess.output(
            of: .init(
                program: try program(), arguments: ["--config", files.path("server.yaml"), "--check-config"],
                environment: ["SIGNET_TLS_IDENTITY": files.path("clients.pem")]))
        #expect(bad.status == 1)
        #expect(
            bad.error.contains("tls.identity") && bad.error.contains("can be read by other users"), "\(bad)")
        let help = try await PeerProcess.output(of: .init(program: try program(), arguments: ["--help"]))
        #expect(help.status == 0 && help.output.contains("--check-config"))
        let wrong = try await PeerProcess.output(of: .init(program: try program(), arguments: ["--verbose"]))
        #expect(wrong.status == 2 && wrong.error.contains("--verbose"))
    }

    // MARK: Running

    /// The service manager hears of the start and of the end, the certificate is read again, and SIGTERM ends the program well.
    @Test func theProgramDoesWhatAServiceManagerExpects() async throws {
        let port = try Port.free()
        try configuration(port: port)
        let manager = try NotificationSocket(at: files.path("notify"))
        let process = Process()
        process.executableURL = URL(filePath: try program())
        process.arguments = ["--config", files.path("server.yaml")]
        process.environment = ProcessInfo.processInfo.environment.merging(["NOTIFY_SOCKET": files.path("notify")]) {
            $1
        }
        let log = files.path("log")
        try files.write("", as: "log")
        process.standardError = FileHandle(forWritingAtPath: log)
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        #expect(try await manager.next() == "READY=1")
        #expect(try await curl(port, "/soap", identity + Self.call).contains(" 500 "))
        #expect(try await curl(port, "/health/ready", identity).hasSuffix(" 200 0"))
        #expect(try await curl(port, "/soap", Self.call).contains("000"))

        let before = try await certificate(port)
        try renew()
        kill(process.processIdentifier, SIGHUP)
        var after = before
        for _ in 0..<100 where after == before {
            try await Task.sleep(for: .milliseconds(50))
            after = try await certificate(port)
        }
        #expect(after != before)
        // A certificate that cannot be used changes nothing.
        try files.write("nothing", as: "identity.pem")
        kill(process.processIdentifier, SIGHUP)
        for _ in 0..<100 {
            if try String(contentsOfFile: log, encoding: .utf8).contains("certificates stay as they were") { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(try await certificate(port) == after)

        // An authority that is taken away is not trusted any more.
        try renew()
        try files.write(try CertificateAuthority().bundle.certificates, as: "clients.pem")
        try files.write(authority.bundle.certificates, as: "server-authority.pem")
        kill(process.processIdentifier, SIGHUP)
        var last = ""
        for _ in 0..<100 where !last.contains("000") {
            try await Task.sleep(for: .milliseconds(50))
            last = try await curl(
                port, "/health/live", identity + ["--cacert", files.path("server-authority.pem")])
        }
        #expect(last.contains("000"), "\(last)")

        process.terminate()
        #expect(try await manager.next() == "STOPPING=1")
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        let text = try String(contentsOfFile: log, encoding: .utf8)
        #expect(text.contains("listening") && text.contains("certificates stay as they were"), "\(text)")
    }

    /// Without a certificate of its own there is nothing to read again; the signal does not end the server, also right after its start.
    @Test func aServerWithoutTLSOutlivesTheSignal() async throws {
        let port = try Port.free()
        let process = Process()
        process.executableURL = URL(filePath: try program())
        process.environment = ProcessInfo.processInfo.environment.merging([
            "SIGNET_SERVER_PLAINTEXT": "true", "SIGNET_SERVER_PORT": "\(port)",
        ]) { $1 }
        try files.write("", as: "log")
        process.standardError = FileHandle(forWritingAtPath: files.path("log"))
        try process.run()
        defer { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }
        while process.isRunning, !Port.answers(port) { try await Task.sleep(for: .milliseconds(10)) }
        for _ in 0..<3 { kill(process.processIdentifier, SIGHUP) }
        for _ in 0..<100 {
            if try String(contentsOfFile: files.path("log"), encoding: .utf8).contains("nothing was read again") {
                break
            }
            try await Task.sleep(for: .milliseconds(50))
        }
        #expect(process.isRunning && Port.answers(port))
        process.interrupt()
        while process.isRunning { try await Task.sleep(for: .milliseconds(20)) }
        #expect(process.terminationStatus == 0 && process.terminationReason == .exit)
        let log = try String(contentsOfFile: files.path("log"), encoding: .utf8)
        #expect(log.contains("nothing was read again") && log.contains("ending") && log.contains("ended"), "\(log)")
    }

    private func certificate(_ port: Int) async throws -> String {
        let shown = try await curl(
            port, "/health/live", identity + ["--output", "/dev/null", "--write-out", "%{certs}"])
        return String(shown.split(separator: "-----END CERTIFICATE-----").first ?? "")
    }

    /// The proxies pass the connections of clients on to two servers, which see the clients' certificates and addresses.
    @Test(arguments: ["nginx.conf", "haproxy.cfg"]) func clientsReachTheServersThroughTheProxy(proxy: String)
        async throws
    {
        let (one, two, entrance) = (try Port.free(), try Port.free(), try Port.free())
        try configuration(port: 8443, "  proxies: [127.0.0.1]\n  proxyProtocol: true\n")
        func server(_ port: Int) throws -> PeerProcess.Command {
            .init(
                program: try program(), arguments: ["--config", files.path("server.yaml")],
                environment: ["SIGNET_SERVER_PORT": "\(port)"], port: port)
        }
        let addresses = [("192.0.2.11:8443", "127.0.0.1:\(one)"), ("192.0.2.12:8443", "127.0.0.1:\(two)")]
        let command: PeerProcess.Command
        if proxy == "nginx.conf" {
            try deploy(proxy, addresses + [("listen 443;", "listen 127.0.0.1:\(entrance);"), ("listen [::]:443;", "")])
            try files.write(
                """
                load_module /usr/lib/nginx/modules/ngx_stream_module.so;
                daemon off;
                master_process off;
                pid nginx.pid;
                error_log stderr info;
                events {}
                include nginx.conf;
                """, as: "whole.conf")
            command = .init(
                program: "nginx",
                arguments: ["-p", files.folder.path(percentEncoded: false), "-e", "stderr", "-c", "whole.conf"],
                port: entrance)
        } else {
            try deploy(
                proxy,
                addresses + [
                    ("bind :::443 v4v6", "bind 127.0.0.1:\(entrance)"), ("user haproxy\n", "\n"),
                    ("group haproxy\n", "\n"), ("chroot /var/lib/haproxy\n", "\n"),
                    ("log /dev/log local0\n", "log stderr format raw local0 emerg\n"),
                ])
            command = .init(
                program: "haproxy", arguments: ["-db", "-f", "haproxy.cfg"], folder: files.folder, port: entrance)
        }
        try await PeerProcess.run(try server(one)) { () async throws in
            try await PeerProcess.run(try server(two)) { () async throws in
                try await PeerProcess.run(command) { () async throws in
                    for _ in 0..<4 {
                        let answer = try await curl(entrance, "/soap", identity + Self.call)
                        #expect(answer.contains(" 500 0"), "\(answer)")
                    }
                    // Without a certificate the handshake with the server fails.
                    #expect(try await curl(entrance, "/soap", Self.call).contains("000"))
                }
            }
            // Nothing is lost when one of the servers is gone.
            try await PeerProcess.run(command) { () async throws in
                for _ in 0..<4 {
                    #expect(try await curl(entrance, "/health/ready", identity).hasSuffix(" 200 0"))
                }
            }
        }
    }
}

/// The socket of a service manager.
private final class NotificationSocket: Sendable {
    private let descriptor: Int32

    init(at path: String) throws {
        #if canImport(Glibc)
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
        #else
        descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #endif
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        let bound = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        guard bound == 0 else { throw PeerProcess.Failure(description: "\(path) cannot be bound.") }
    }

    deinit { close(descriptor) }

    /// The next state that a program sends; nil when it sends none within a minute.
    func next() async throws -> String? {
        for _ in 0..<3000 {
            var bytes = [UInt8](repeating: 0, count: 256)
            let count = recv(descriptor, &bytes, bytes.count, Int32(MSG_DONTWAIT))
            if count > 0 { return String(decoding: bytes.prefix(count), as: UTF8.self) }
            try await Task.sleep(for: .milliseconds(20))
        }
        return nil
    }
}

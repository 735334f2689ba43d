import Foundation
import Signet
import SignetTesting
import TestSupport
import Testing

/// Connections that fail at real servers: the likeliest cause must come first. Those to OpenSSL's server are in the tests
/// of the command.
@Suite(.serialized, .timeLimit(.minutes(10))) struct DoctorGalleryTests {
    /// What the client shows.
    private enum Shown { case nothing, device, stranger, selfSigned }

    private struct Setup {
        /// The code of the most likely cause; nil for a connection without a failure.
        let expected: String?
        let url: String
        var shown = Shown.nothing
        var change: (inout ConnectionConfiguration) throws -> Void = { _ in }
    }

    private let files: IdentityFiles
    private let openssl: OpenSSL
    private let ports: [String: Int]

    init() async throws {
        files = try IdentityFiles()
        openssl = try OpenSSL()
        ports = try Dictionary(
            uniqueKeysWithValues: ["SILENT", "OPTIONAL", "NEW", "PLAIN", "EXPIRED", "NAMED", "PORT"].map {
                ($0, try Port.free())
            })
        try openssl.makeRoot("root", subject: "/O=Bank/CN=root authority")
        try openssl.makeRoot("other", subject: "/O=Stranger/CN=other authority")
        let hosts = "subjectAltName=DNS:localhost,DNS:service.example,IP:127.0.0.1\nextendedKeyUsage=serverAuth"
        try openssl.issue("server", by: "root", hosts)
        try openssl.issue("old", by: "root", hosts, days: -1)
        try openssl.issue("device", by: "root", "extendedKeyUsage=clientAuth")
        try openssl.issue("stranger", by: "other", "extendedKeyUsage=clientAuth")
        try openssl.makeRoot("self", subject: "/CN=myself")
        for name in ["server.pem", "server.key", "old.pem", "old.key"] {
            try Data(openssl.bytes(name)).write(to: files.folder.appending(path: name))
        }
        try Data(openssl.bytes("root.pem")).write(to: files.folder.appending(path: "clients.pem"))
        try await files.writePassword("inside", of: "clerk", as: "passwords")
        try files.write(
            "<!DOCTYPE html><html><title>Log in</title><form><input type=\"password\"></form></html>", as: "page.html")
    }

    private func identity(_ shown: Shown) throws -> Identity? {
        switch shown {
        case .nothing: nil
        case .device: try openssl.identity("device")
        case .stranger: try openssl.identity("stranger")
        case .selfSigned: try openssl.identity("self")
        }
    }

    private func check(_ setups: [Setup]) async throws {
        for setup in setups {
            try await ExaminedSetup(
                expected: setup.expected, url: setup.url, anchors: try openssl.bundle("root"),
                identity: try identity(setup.shown), change: setup.change
            ).check()
        }
    }

    @Test func nginx() async throws {
        func url(_ name: String = "PORT", _ path: String = "/soap", host: String = "localhost") -> String {
            "https://\(host):\(ports[name] ?? 0)\(path)"
        }
        try await Nginx.run(
            "nginx-doctor.conf", ports.mapValues(String.init), in: files, port: ports["PORT"] ?? 0
        ) { () async throws in
            try await check([
                Setup(expected: nil, url: url(), shown: .device),
                Setup(expected: nil, url: url(), shown: .device, change: { $0.allowsHTTP2 = false }),
                Setup(expected: nil, url: url("OPTIONAL"), shown: .device),
                Setup(expected: nil, url: url("OPTIONAL")),
                Setup(expected: nil, url: url("OPTIONAL", "/either"), shown: .device),
                Setup(expected: nil, url: url("NEW"), shown: .device),
                Setup(expected: nil, url: url("SILENT", "/open")),
            ])
            try await check([
                Setup(expected: "client-certificate-required", url: url()),
                Setup(expected: "client-certificate-required", url: url("NEW")),
                Setup(expected: "issuer-not-acceptable", url: url(), shown: .stranger),
                Setup(expected: "issuer-not-acceptable", url: url("NEW"), shown: .stranger),
                Setup(expected: "self-signed-not-registered", url: url("OPTIONAL"), shown: .selfSigned),
                Setup(expected: "certificate-not-registered", url: url("PORT", "/unregistered"), shown: .device),
                Setup(expected: "certificate-not-registered", url: url("PORT", "/unauthorized"), shown: .device),
                Setup(expected: "certificate-never-requested", url: url("SILENT"), shown: .device),
                Setup(expected: "certificate-never-requested", url: url("SILENT", "/unauthorized"), shown: .device),
                Setup(expected: "credentials-required", url: url("OPTIONAL", "/either")),
                Setup(expected: "credentials-required", url: url("PORT", "/oauth"), shown: .device),
                Setup(expected: "html-instead-of-soap", url: url("PORT", "/page"), shown: .device),
                Setup(expected: "credentials-required", url: url("PORT", "/password"), shown: .device),
                Setup(expected: "redirect-loses-identity", url: url("PORT", "/elsewhere"), shown: .device),
                Setup(expected: "not-found", url: url("PORT", "/missing"), shown: .device),
                Setup(expected: "html-instead-of-soap", url: url("PORT", "/zipped"), shown: .device),
                Setup(expected: "credentials-required", url: url("PORT", "/digest"), shown: .device),
                Setup(expected: "credentials-required", url: url("PORT", "/bearer"), shown: .device),
                Setup(expected: "credentials-required", url: url("PORT", "/ntlm"), shown: .device),
                Setup(expected: "credentials-required", url: url("PORT", "/negotiate"), shown: .device),
                Setup(expected: "authentication-scheme-unsupported", url: url("PORT", "/hawk"), shown: .device),
                Setup(expected: "request-refused", url: url("PORT", "/upgrade"), shown: .device),
                Setup(expected: "request-refused", url: url("PORT", "/often"), shown: .device),
                Setup(expected: "server-error", url: url("PORT", "/version"), shown: .device),
                Setup(expected: "server-error", url: url("PORT", "/down"), shown: .device),
                Setup(expected: "connection-closed", url: url("PORT", "/closed"), shown: .device),
                Setup(expected: "http-on-tls-port", url: url("PLAIN")),
                Setup(expected: "tls-on-http-port", url: "http://localhost:\(ports["PORT"] ?? 0)/soap"),
                Setup(expected: "server-certificate-expired", url: url("EXPIRED")),
                Setup(expected: "server-name-required", url: url("NAMED", host: "127.0.0.1")),
                Setup(expected: "server-name-unknown", url: url("NAMED")),
                Setup(expected: "server-pin-mismatch", url: url("SILENT", "/open")) {
                    let pins = [1, 2].map { Data(repeating: $0, count: 32).base64EncodedString() }
                    $0.trust = $0.trust.pinned(to: pins.map { .publicKey(sha256: $0) })
                },
            ])
        }
    }

    @Test(arguments: ["1.2", "1.3"]) func apache(version: String) async throws {
        let port = ports["PORT"] ?? 0
        try await PeerProcess.run(try Apache.command(files, port: port, version: version, always: false)) {
            () async throws in
            let late = "https://localhost:\(port)/late/"
            guard version == "1.2" else {
                return try await check([
                    Setup(expected: "requested-late-under-tls13", url: late, shown: .device)
                ])
            }
            try await check([
                Setup(expected: "requested-late", url: late, shown: .device),
                // The identity is accepted, but not with more content than Apache keeps.
                Setup(expected: "late-request-body-too-large", url: late, shown: .device) {
                    $0.allowsIdentityInRenegotiation = true
                },
            ])
        }
    }

    @Test func haproxy() async throws {
        let port = ports["PORT"] ?? 0
        try files.join(["server.pem", "server.key"], as: "both.pem")
        try files.fill("haproxy-http2.cfg", ["PORT": "\(port)"], as: "haproxy.cfg")
        let command = PeerProcess.Command(
            program: "haproxy", arguments: ["-db", "-f", "haproxy.cfg"], folder: files.folder, port: port)
        try await PeerProcess.run(command) { () async throws in
            let url = "https://localhost:\(port)/soap"
            try await check([
                Setup(expected: nil, url: url, shown: .device),
                Setup(expected: "client-certificate-required", url: url),
                Setup(expected: "issuer-not-acceptable", url: url, shown: .stranger),
                Setup(expected: "self-signed-not-registered", url: url, shown: .selfSigned),
            ])
        }
    }

    /// A proxy that demands Digest.
    @Test func squidWithDigest() async throws {
        let proxies = try CertificateAuthority(commonName: "proxies")
        try await ForwardProxy.run(authority: proxies, demands: [.digest]) { proxy async throws in
            try await check([
                Setup(expected: "proxy-credentials-required", url: "https://localhost:9/soap") {
                    $0.proxy = .init(.init(try Proxy("http://localhost:\(proxy.port)")))
                }
            ])
        }
    }

    @Test func squid() async throws {
        let proxies = try CertificateAuthority(commonName: "proxies")
        try await Nginx.run(
            "nginx-doctor.conf", ports.mapValues(String.init), in: files, port: ports["PORT"] ?? 0
        ) { () async throws in
            try await ForwardProxy.run(authority: proxies) { proxy async throws in
                let url = "https://localhost:\(ports["PORT"] ?? 0)/soap"
                func through(_ address: String, _ password: String?) -> (inout ConnectionConfiguration) throws -> Void {
                    { connection in
                        connection.proxy = .init(.init(try Proxy(address)))
                        guard let password else { return }
                        connection.proxy.authentication = .init(
                            credentials: .fixed(.account(user: "clerk", password: password)), allowsPlaintext: true)
                    }
                }
                let plain = "http://localhost:\(proxy.port)"
                try await check([
                    Setup(expected: nil, url: url, shown: .device, change: through(plain, "way out")),
                    Setup(
                        expected: "proxy-credentials-required", url: url, shown: .device, change: through(plain, nil)),
                    Setup(expected: "proxy-credentials-refused", url: url, change: through(plain, "wrong")),
                    Setup(expected: "proxy-unreachable", url: url, change: through("http://localhost:9", nil)),
                    // squid forbids port 25.
                    Setup(expected: "proxy-refused", url: "https://localhost:25/", change: through(plain, "way out")),
                    // The authority of the proxy is unknown; and squid speaks no TLS at its other port.
                    Setup(
                        expected: "proxy-tls-failed", url: url,
                        change: through("https://localhost:\(proxy.securePort)", "way out")),
                    Setup(
                        expected: "proxy-tls-failed", url: url,
                        change: through("https://localhost:\(proxy.port)", "way out")),
                    Setup(
                        expected: "issuer-not-acceptable", url: url, shown: .stranger,
                        change: through(plain, "way out")),
                ])
            }
        }
    }
}

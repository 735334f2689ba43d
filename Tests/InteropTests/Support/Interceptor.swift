import Foundation
import SignetTLS

/// mitmproxy between a client and a service: it ends TLS with certificates of its own authority, for whatever name it
/// is asked, and notes all that it is sent.
struct Interceptor: Sendable {
    /// What the addon `interception.py` notes.
    struct Event: Decodable, Sendable {
        var event: String
        var version: String?
        /// Common names of the client's certificates.
        var certificates: [String]?
        /// The names of the request's fields.
        var fields: [String]?
        var bytes: Int?
    }

    let port: Int
    /// mitmproxy's own, made for this run.
    let authority: CertificateBundle
    private let files: IdentityFiles

    var events: [Event] {
        get throws {
            let text = try String(contentsOf: files.folder.appending(path: "log"), encoding: .utf8)
            return try text.split(separator: "\n").map { try JSONDecoder().decode(Event.self, from: Data($0.utf8)) }
        }
    }

    /// - Parameters:
    ///   - upstream: the port of the service, which speaks TLS; nil for a proxy that goes where it is told.
    ///   - version: the only one that it speaks with clients, as mitmproxy calls it.
    static func run<Value: Sendable>(
        before upstream: Int?, version: String, during body: (Interceptor) async throws -> Value
    ) async throws -> Value {
        let files = try IdentityFiles()
        try files.write("", as: "log")
        let port = try Port.free()
        let settings = [
            "confdir=\(files.path("authority"))", "tls_version_client_min=\(version)",
            "tls_version_client_max=\(version)",
            // A client must be able to connect to the proxy whether or not the service answers.
            "connection_strategy=lazy", "upstream_cert=false",
        ]
        let command = PeerProcess.Command(
            program: "mitmdump",
            arguments: [
                "--mode", upstream.map { "reverse:https://127.0.0.1:\($0)" } ?? "regular", "--ssl-insecure",
                "--listen-host", "127.0.0.1",
                "--listen-port", "\(port)", "--scripts",
                PeerFile.url("interception.py").path(percentEncoded: false),
            ] + settings.flatMap { ["--set", $0] },
            environment: ["INTERCEPTION_LOG": files.path("log")], port: port)
        return try await PeerProcess.run(command) {
            let pem = try Data(contentsOf: files.folder.appending(path: "authority/mitmproxy-ca-cert.pem"))
            return try await body(
                Interceptor(port: port, authority: try CertificateBundle(pem: Array(pem)), files: files))
        }
    }
}

import Foundation
import Signet
import SignetTLS
import SignetTesting

/// Clients of WebEase as others make them. Each calls every operation, in the same order.
enum ClientPeer: String, CaseIterable, Sendable {
    case php = "PHP"
    case gSOAP
    case zeep

    /// What the program calls itself in what it sends.
    var name: String { rawValue.lowercased() }

    /// Runs the program against a service.
    ///
    /// - Parameters:
    ///   - endpoint: its host must be in the server's certificate.
    ///   - authority: issued the server's certificate.
    ///   - credentials: for HTTP Basic; they are not seen in the list of processes.
    func callAll(
        _ version: SOAPVersion, endpoint: String, authority: CertificateAuthority, identity: Identity,
        credentials: (user: String, password: String)? = nil
    ) async throws -> [String: PeerCall] {
        let output = try await report(
            version, endpoint: endpoint, authority: authority, identity: identity, credentials: credentials)
        return try JSONDecoder().decode([String: PeerCall].self, from: Data(output.utf8))
    }

    /// What the program prints about its calls, as JSON.
    func report(
        _ version: SOAPVersion, endpoint: String, authority: CertificateAuthority, identity: Identity,
        credentials: (user: String, password: String)? = nil
    ) async throws -> String {
        let files = try IdentityFiles()
        try await files.write(identity, as: "client")
        try files.join(["client.pem", "client.key"], as: "both.pem")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        try files.write(credentials?.password ?? "", as: "password")
        let wsdl = WebEasePeer.wsdl.path(percentEncoded: false)
        var command: PeerProcess.Command
        switch self {
        case .php:
            command = .init(
                program: "php",
                arguments: [
                    PeerFile.url("webease_client.php").path(percentEncoded: false), "--wsdl=\(wsdl)",
                    "--version=\(version.number)", "--endpoint=\(endpoint)", "--ca=\(files.path("authority.pem"))",
                    "--certificate=\(files.path("both.pem"))",
                ])
            if let credentials {
                command.arguments += ["--user=\(credentials.user)", "--password-file=\(files.path("password"))"]
            }
        case .gSOAP:
            command = .init(
                program: try await GSOAPPeer(.webEase, wsdl: WebEasePeer.wsdl).program("webease_client"),
                arguments: [version.number, endpoint, files.path("authority.pem"), files.path("both.pem")])
            if let credentials { command.arguments += [credentials.user, files.path("password")] }
        case .zeep:
            command = .init(
                program: Tool.python,
                arguments: [
                    PeerFile.url("webease_client.py").path(percentEncoded: false), "--wsdl", wsdl, "--version",
                    version.number, "--endpoint", endpoint, "--ca", files.path("authority.pem"), "--certificate",
                    files.path("client.pem"), "--key", files.path("client.key"),
                ])
            if let credentials {
                command.arguments += ["--user", credentials.user, "--password-file", files.path("password")]
            }
        }
        let result = try await PeerProcess.output(of: command)
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "\(rawValue): \(result.error)\(result.output)")
        }
        return result.output
    }
}

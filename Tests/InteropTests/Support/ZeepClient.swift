import Foundation
import SignetTLS
import SignetTesting

/// The Python client zeep, calling every operation of WebEase.
enum ZeepClient {
    /// Runs `webease_client.py` against a service.
    ///
    /// - Parameters:
    ///   - endpoint: its host must be in the server's certificate.
    ///   - authority: issued the server's certificate.
    /// - Returns: the JSON that it printed: a member a call, each with `result`, `fault` or `error`.
    static func callAll(
        wsdl: URL, endpoint: String, authority: CertificateAuthority, identity: Identity, user: String, password: String
    ) async throws -> Data {
        let files = try IdentityFiles()
        try await files.write(identity, as: "client")
        try files.write(authority.bundle.certificates, as: "authority.pem")
        try files.write(password, as: "password")
        let result = try await PeerProcess.output(
            of: .init(
                program: Tool.python,
                arguments: [
                    PeerFile.url("webease_client.py").path(percentEncoded: false),
                    "--wsdl", wsdl.path(percentEncoded: false), "--endpoint", endpoint,
                    "--ca", files.path("authority.pem"), "--certificate", files.path("client.pem"),
                    "--key", files.path("client.key"), "--user", user, "--password-file", files.path("password"),
                ]))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "zeep: \(result.error)") }
        return Data(result.output.utf8)
    }
}

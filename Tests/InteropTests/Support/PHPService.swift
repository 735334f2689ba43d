import Foundation

/// A service written with PHP's SoapServer: one of the scripts in `Peers`.
struct PHPService: Sendable {
    let script: String
    /// The WSDL that PHP makes the service from.
    let wsdl: URL
    /// What the script needs besides the WSDL and a file for its state.
    var environment: [String: String] = [:]

    /// Starts it, runs `body` with its port on loopback, where it speaks plain HTTP, and ends it.
    func run<Value: Sendable>(during body: (_ port: Int) async throws -> Value) async throws -> Value {
        let files = try IdentityFiles()
        let port = try Port.free()
        let php = PeerProcess.Command(
            program: "php",
            arguments: ["-S", "127.0.0.1:\(port)", PeerFile.url(script).path(percentEncoded: false)],
            environment: [
                "SIGNET_WSDL": wsdl.path(percentEncoded: false), "SIGNET_STATE": files.path("state"),
            ].merging(environment) { _, given in given },
            port: port)
        return try await PeerProcess.run(php) { try await body(port) }
    }
}

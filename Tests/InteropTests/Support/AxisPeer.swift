import Foundation

/// Axis 1.4, whose messages are in SOAP's encoding with every value apart: the classes in `Peers/axis`.
struct AxisPeer {
    private let program: JavaProgram

    /// Compiles the classes.
    init() async throws {
        program = try await JavaProgram(
            ["axis/AxisEcho.java", "axis/SOAPStruct.java"],
            libraries: [
                "axis", "axis-jaxrpc", "axis-saaj", "commons-discovery", "commons-logging", "javax.activation",
                "javax.mail", "wsdl4j",
            ])
    }

    func remove() { program.remove() }

    /// Starts the service, runs `body` with its address, and ends it.
    func serve(during body: (_ url: String) async throws -> Void) async throws {
        let port = try Port.free()
        let configuration = PeerFile.url("axis/server-config.wsdd").path(percentEncoded: false)
        try await PeerProcess.run(program.command(["serve", "\(port)", configuration], port: port)) {
            try await body("http://127.0.0.1:\(port)/axis/services/echo")
        }
    }

    /// Calls every operation of a service.
    ///
    /// - Parameter properties: of the Java machine, such as what it shows and trusts in TLS.
    /// - Returns: a line an operation, `same` or `DIFFERENT` and its name.
    func callAll(_ url: String, properties: [String: String] = [:]) async throws -> String {
        let result = try await PeerProcess.output(of: program.command(["call", url], properties: properties))
        return result.output + result.error
    }
}

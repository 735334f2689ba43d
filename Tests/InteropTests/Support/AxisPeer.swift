import Foundation

/// Axis 1.4, whose messages are in SOAP's encoding with every value apart: the classes in `Peers/axis`.
struct AxisPeer {
    private static let libraries = [
        "axis", "axis-jaxrpc", "axis-saaj", "commons-discovery", "commons-logging", "javax.activation", "javax.mail",
        "wsdl4j",
    ].map { "/usr/share/java/\($0).jar" }

    private let folder: URL
    private var classPath: String { (Self.libraries + [folder.path(percentEncoded: false)]).joined(separator: ":") }

    /// Compiles the classes.
    init() async throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-axis-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let sources = ["AxisEcho", "SOAPStruct"].map { PeerFile.url("axis/\($0).java").path(percentEncoded: false) }
        let result = try await PeerProcess.output(
            of: .init(
                program: "ecj",
                arguments: [
                    "-8", "-proc:none", "-nowarn", "-cp", Self.libraries.joined(separator: ":"), "-d",
                    folder.path(percentEncoded: false),
                ] + sources))
        guard result.status == 0 else {
            throw PeerProcess.Failure(description: "Axis's classes cannot be compiled: \(result.output)\(result.error)")
        }
    }

    func remove() { try? FileManager.default.removeItem(at: folder) }

    private func command(_ arguments: [String], port: Int? = nil) -> PeerProcess.Command {
        .init(program: "java", arguments: ["-cp", classPath, "AxisEcho"] + arguments, folder: folder, port: port)
    }

    /// Starts the service, runs `body` with its address, and ends it.
    func serve(during body: (_ url: String) async throws -> Void) async throws {
        let port = try Port.free()
        let configuration = PeerFile.url("axis/server-config.wsdd").path(percentEncoded: false)
        try await PeerProcess.run(command(["serve", "\(port)", configuration], port: port)) {
            try await body("http://127.0.0.1:\(port)/axis/services/echo")
        }
    }

    /// Calls every operation of a service.
    ///
    /// - Returns: a line an operation, `same` or `DIFFERENT` and its name.
    func callAll(_ url: String) async throws -> String {
        let result = try await PeerProcess.output(of: command(["call", url]))
        return result.output + result.error
    }
}

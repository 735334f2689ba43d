import Foundation

/// A program made with gSOAP: the sources in `Peers/gsoap`, and what gSOAP generates from a WSDL.
struct GSOAPPeer: Sendable {
    /// What `Peers/gsoap/build` knows how to make.
    enum Name: String {
        case webEase = "webease"
        case usernameToken = "username_token"
        case ptz, addressing, archive
    }

    /// The folder of the compiled programs.
    let folder: URL

    /// Compiles the programs, unless that was done before; they are kept in `.build/tools`.
    init(_ name: Name, wsdl: URL) async throws {
        let result = try await PeerProcess.output(
            of: .init(
                program: PeerFile.url("gsoap/build").path(percentEncoded: false),
                arguments: [
                    name.rawValue, wsdl.path(percentEncoded: false), Tool.folder.path(percentEncoded: false),
                ]))
        let path = result.output.trimmingCharacters(in: .newlines)
        guard result.status == 0, !path.isEmpty else {
            throw PeerProcess.Failure(
                description: "The gSOAP peer \(name.rawValue) cannot be made: \(result.error)\(result.output)")
        }
        folder = URL(filePath: path)
    }

    func program(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// Starts a server, runs `body` with its port on loopback, where it speaks plain HTTP, and ends it.
    func run<Value: Sendable>(
        _ server: String, during body: (_ port: Int) async throws -> Value
    ) async throws -> Value {
        let port = try Port.free()
        let command = PeerProcess.Command(program: program(server), arguments: ["\(port)"], port: port)
        return try await PeerProcess.run(command) { try await body(port) }
    }
}

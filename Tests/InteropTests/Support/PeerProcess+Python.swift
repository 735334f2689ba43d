import Foundation
import TestSupport

extension PeerProcess {
    /// Runs a server in Python, which finds its keys in a folder and is told by modes how to behave.
    ///
    /// - Parameter program: Debian's Python, or that with the packages of PyPI.
    static func python<Value: Sendable>(
        _ script: String, by program: String = "python3", in folder: URL, port: Int, _ modes: [String],
        environment: [String: String] = [:], during body: () async throws -> Value
    ) async throws -> Value {
        let arguments = [PeerFile.url(script).path(percentEncoded: false), folder.path, "\(port)"] + modes
        return try await run(
            Command(program: program, arguments: arguments, environment: environment, port: port), during: body)
    }
}

extension OpenSSL {
    /// What a server in Python has written into the file `log` of this folder, a line of JSON for each request.
    func log<Line: Decodable>(of _: Line.Type = Line.self) throws -> [Line] {
        guard let text = try? bytes("log") else { return [] }
        return try text.split(separator: 10).map { try JSONDecoder().decode(Line.self, from: Data($0)) }
    }
}

import Foundation

/// The peers of `broken_peers.py`.
enum BrokenPeers {
    /// Starts one program for all roles, runs `body` with their ports, and ends it.
    static func run<Value: Sendable>(
        _ roles: [String], during body: ([String: Int]) async throws -> Value
    ) async throws -> Value {
        let ports = try roles.map { ($0, try Port.free()) }
        let command = PeerProcess.Command(
            program: "python3",
            arguments: [PeerFile.url("broken_peers.py").path(percentEncoded: false)]
                + ports.flatMap { [$0.0, "\($0.1)"] },
            port: ports.last?.1)
        return try await PeerProcess.run(command) {
            try await body(Dictionary(uniqueKeysWithValues: ports))
        }
    }
}

import Foundation

/// nginx with one of the configurations in `Peers`.
enum Nginx {
    /// Starts nginx, runs `body`, and ends nginx.
    ///
    /// - Parameters:
    ///   - values: what stands in the configuration for `@NAME@`; its port for `@PORT@`.
    ///   - files: the folder that its certificates are in.
    static func run<Value: Sendable>(
        _ configuration: String, _ values: [String: String] = [:], in files: IdentityFiles, port: Int,
        during body: () async throws -> Value
    ) async throws -> Value {
        try files.fill(configuration, values.merging(["PORT": "\(port)"]) { $1 }, as: "nginx.conf")
        let nginx = PeerProcess.Command(
            program: "nginx",
            arguments: ["-p", files.folder.path(percentEncoded: false), "-e", "stderr", "-c", "nginx.conf"],
            port: port)
        return try await PeerProcess.run(nginx, during: body)
    }
}

extension IdentityFiles {
    /// Writes one of the files in `Peers` with values in the place of `@NAME@`; its own folder, without a slash at its
    /// end, stands for `@FOLDER@`.
    func fill(_ template: String, _ values: [String: String], as name: String) throws {
        var text = try String(contentsOf: PeerFile.url(template), encoding: .utf8)
        let all = values.merging(["FOLDER": folder.standardizedFileURL.path]) { $1 }
        for (key, value) in all {
            text = text.replacing("@\(key)@", with: value)
        }
        try write(text, as: name)
    }
}

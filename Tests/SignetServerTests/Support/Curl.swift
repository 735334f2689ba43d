import Foundation
import SignetTLS
import SignetTesting
import Testing

/// The curl command: a client that this project did not write. Its files live in a folder that goes with it.
final class Curl: Sendable {
    struct Answer: Sendable {
        /// The exit status of curl: 0 when it got an answer.
        var exit: Int32
        /// The HTTP status; 0 when there was no answer.
        var status: Int
        var fields: String
        var body: String
        /// What curl said about it.
        var problem: String
    }

    private let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-curl-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    /// The arguments that make curl trust an authority.
    func trusting(_ authority: CertificateAuthority) throws -> [String] {
        let pem = authority.bundle.certificates.map {
            "-----BEGIN CERTIFICATE-----\n\(Data($0.der).base64EncodedString(options: .lineLength64Characters))\n-----END CERTIFICATE-----\n"
        }
        try Data(pem.joined().utf8).write(to: folder.appending(path: "authority.pem"))
        return ["--cacert", path("authority.pem")]
    }

    /// The arguments that make curl show an identity.
    func showing(_ identity: Identity) throws -> [String] {
        let name = "\(UUID().uuidString).p12"
        try Data(try identity.pkcs12(password: "curl")).write(to: folder.appending(path: name))
        return ["--cert-type", "P12", "--cert", "\(path(name)):curl"]
    }

    func write(_ bytes: [UInt8], _ name: String) throws -> String {
        try Data(bytes).write(to: folder.appending(path: name))
        return path(name)
    }

    func callAsFunction(_ url: String, _ arguments: [String]) async throws -> Answer {
        let run = UUID().uuidString
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/curl")
        process.arguments =
            [
                "--disable", "--silent", "--show-error", "--noproxy", "*", "--max-time", "120",
                "--dump-header", path(run + ".head"), "--output", path(run + ".body"), "--write-out", "%{http_code}",
                "--stderr", path(run + ".err"),
            ] + arguments + [url]
        let output = folder.appending(path: run + ".out")
        try Data().write(to: output)
        process.standardOutput = try FileHandle(forWritingTo: output)
        process.standardInput = FileHandle.nullDevice
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
            process.terminationHandler = { _ in continuation.resume() }
            do { try process.run() } catch {
                process.terminationHandler = nil
                continuation.resume(throwing: error)
            }
        }
        return Answer(
            exit: process.terminationStatus, status: Int(text(run + ".out")) ?? 0, fields: text(run + ".head"),
            body: text(run + ".body"), problem: text(run + ".err"))
    }

    private func text(_ name: String) -> String {
        String(decoding: (try? Data(contentsOf: folder.appending(path: name))) ?? Data(), as: UTF8.self)
    }
}

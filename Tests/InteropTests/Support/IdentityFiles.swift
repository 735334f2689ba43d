import Foundation
import SignetTLS
import SignetTesting

/// A folder with certificates and keys in the form that other programs read; it goes with the value.
final class IdentityFiles: Sendable {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "signet-interop-\(UUID().uuidString)")
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }

    deinit { try? FileManager.default.removeItem(at: folder) }

    func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    func write(_ text: String, as name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name))
    }

    /// Writes several of the files into one.
    func join(_ names: [String], as name: String) throws {
        try write(
            try names.map { try String(contentsOf: folder.appending(path: $0), encoding: .utf8) }.joined(), as: name)
    }

    /// Writes certificates as PEM.
    func write(_ certificates: [EncodedCertificate], as name: String) throws {
        let blocks = certificates.map {
            """
            -----BEGIN CERTIFICATE-----
            \(Data($0.der).base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed]))
            -----END CERTIFICATE-----

            """
        }
        try write(blocks.joined(), as: name)
    }

    /// Writes `name.pem`, the chain, and `name.key`, which openssl takes out of the PKCS#12 file of the library.
    /// The file is protected by nothing, as is the key beside it: the folder is.
    func write(_ identity: Identity, as name: String) async throws {
        try write(identity.chain, as: "\(name).pem")
        try Data(try identity.pkcs12(password: "interop", label: nil, iterations: 1)).write(
            to: folder.appending(path: "\(name).p12"))
        let result = try await PeerProcess.output(
            of: .init(
                program: "openssl",
                arguments: [
                    "pkcs12", "-in", path("\(name).p12"), "-passin", "pass:interop", "-nocerts", "-nodes", "-out",
                    path("\(name).key"),
                ]))
        guard result.status == 0 else { throw PeerProcess.Failure(description: "openssl pkcs12: \(result.error)") }
    }
}

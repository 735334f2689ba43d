import Foundation
import Signet
import SignetCredentialsSQLite
import TestSupport

/// `signet` with a store, and the files of an authority: ca, server, distribution, and first.pem with its key.
struct EnrollProgram {
    typealias Outcome = (status: Int32, output: String, error: String)

    let openssl: OpenSSL
    let files: IdentityFiles
    let port: Int

    init() throws {
        openssl = try OpenSSL()
        files = try IdentityFiles()
        port = try Port.free()
        try openssl.makeRoot("ca", subject: "/O=Bank/CN=devices")
        try openssl.issue("server", by: "ca", "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try openssl.issue("distribution", by: "ca", "extendedKeyUsage=clientAuth")
        try openssl.write(try openssl.bytes("distribution.pem") + openssl.bytes("distribution.key"), "first.pem")
        try FileManager.default.createDirectory(
            at: files.folder.appending(path: "keys"), withIntermediateDirectories: false)
        try FileManager.default.createDirectory(
            at: files.folder.appending(path: "store"), withIntermediateDirectories: false,
            attributes: [.posixPermissions: 0o700])
    }

    var store: [String] {
        ["--store", files.path("store/store.sqlite"), "--key-file", files.path("keys/store.key")]
    }

    /// A file of the authority.
    func file(_ name: String) -> String { openssl.folder.appending(path: name).path }

    func callAsFunction(_ arguments: [String]) async throws -> Outcome {
        try await PeerProcess.output(of: .init(program: try SignetProgram.path(), arguments: arguments + store))
    }

    func identities() async throws -> [String: Identity] {
        let database = try await EncryptedDatabase(
            path: files.path("store/store.sqlite"), key: MasterKeyFile(path: files.path("keys/store.key")))
        let store = SQLiteIdentityStore(database)
        var found: [String: Identity] = [:]
        for label in try await store.labels() { found[label] = try await store.identity(label: label) }
        await database.close()
        return found
    }
}

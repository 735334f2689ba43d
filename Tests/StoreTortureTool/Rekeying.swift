#if SQLite
import Foundation
import SignetCredentials
import SignetCredentialsSQLite

/// Gives a store two keys in turn, and writes a line for each change, until this process is killed.
///
/// - Parameter store: its path; the key files are `one` and `two` in the folder above.
func changeKeys(of store: String) async throws {
    let folder = URL(filePath: store).deletingLastPathComponent().deletingLastPathComponent().path
    var (current, next) = (MasterKeyFile(path: folder + "/one"), MasterKeyFile(path: folder + "/two"))
    let database: EncryptedDatabase
    do {
        database = try await EncryptedDatabase(path: store, key: current)
    } catch let error as CredentialStoreError where error.code == .wrongKey {
        swap(&current, &next)
        database = try await EncryptedDatabase(path: store, key: current)
    }
    while true {
        try await database.rekey(to: next)
        swap(&current, &next)
        FileHandle.standardOutput.write(Data("changed\n".utf8))
    }
}
#endif

#if SQLite
import Foundation
import SignetAuthentication
import SignetCredentials
import SignetCredentialsSQLite

/// What the parent and its workers agree on.
struct TortureOptions: Sendable {
    var processes = 8
    var items = 100_000
    /// How long the parent waits between two kills.
    var milliseconds = 150
    var folder = NSTemporaryDirectory() + "store-torture"
    /// Which worker this process is; nil in the parent.
    var worker: Int?
    /// Of which store this process changes the key again and again; for the tests.
    var rekeyed: String?
    /// Whether this process writes until the disk is full; for the tests.
    var fills = false

    var store: String { folder + "/store/store.sqlite" }
    var keyFile: MasterKeyFile { MasterKeyFile(path: folder + "/key") }
    func log(_ worker: Int) -> String { "\(folder)/confirmed-\(worker)" }

    /// The items of one worker, whichever process plays it.
    func items(of worker: Int) -> Range<Int> {
        items * worker / processes..<items * (worker + 1) / processes
    }

    func open() async throws -> SQLiteCredentialStore {
        SQLiteCredentialStore(try await EncryptedDatabase(path: store, key: keyFile))
    }

    /// Reads what was confirmed: for each item its last version. A line that was cut off confirms nothing.
    func confirmed(_ worker: Int) throws -> [Int: Int] {
        guard let content = FileManager.default.contents(atPath: log(worker)) else { return [:] }
        var result: [Int: Int] = [:]
        for line in String(decoding: content, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
            .dropLast()
        {
            let numbers = line.split(separator: " ").compactMap { Int($0) }
            guard numbers.count == 2 else { throw TortureError("a line of the log is not two numbers: \(line)") }
            result[numbers[0]] = numbers[1]
        }
        return result
    }
}

/// One credential of the many.
struct Item {
    let number: Int

    /// How often it is written.
    var versions: Int { number.isMultiple(of: 8) ? 2 : 1 }

    var key: CredentialKey {
        CredentialKey(
            space: ProtectionSpace(
                scheme: "https", host: "host-\(number % 1000).example", port: 443, realm: "realm"),
            account: "account-\(number)")
    }

    func secret(version: Int) -> SecretBytes { SecretBytes("secret of \(number) in version \(version)") }

    func version(of secret: SecretBytes) -> Int? { (1...versions).first { self.secret(version: $0) == secret } }
}

struct TortureError: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}
#endif

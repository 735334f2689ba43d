#if SQLite
import Foundation
import SignetCredentials
import SignetCredentialsSQLite

/// Writes its items, and notes each as confirmed when the store has confirmed it.
struct Worker {
    let number: Int
    let options: TortureOptions

    func run() async throws {
        let store = try await options.open()
        var confirmed = try options.confirmed(number)
        let log = open(options.log(number), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
        guard log >= 0 else { throw TortureError("the log of worker \(number) cannot be opened") }
        defer { close(log) }
        // A line that the process before could not end.
        let whole = FileManager.default.contents(atPath: options.log(number))?.lastIndex(of: UInt8(ascii: "\n"))
        guard ftruncate(log, off_t(whole.map { $0 + 1 } ?? 0)) == 0 else { throw TortureError("the log cannot be cut") }

        for item in options.items(of: number).map(Item.init) where confirmed[item.number] != item.versions {
            var version = try await self.version(of: item, in: store) ?? 0
            if version < confirmed[item.number] ?? 0 {
                throw TortureError("item \(item.number) was confirmed and is lost")
            }
            while version < item.versions {
                version += 1
                let secret = item.secret(version: version)
                if version == 1 {
                    try await store.add(StoredCredential(key: item.key, secret: secret))
                } else {
                    try await store.update(item.key, with: CredentialChange(secret: secret))
                }
                try Self.note(item, version, in: log)
                confirmed[item.number] = version
            }
            // Also what the process before wrote and could not note any more.
            if confirmed[item.number] != version { try Self.note(item, version, in: log) }
            confirmed[item.number] = version

            // Others' writes must not disturb what one reads.
            if item.number.isMultiple(of: 16), let (known, version) = confirmed.randomElement() {
                guard try await self.version(of: Item(number: known), in: store) == version else {
                    throw TortureError("item \(known) is not what was confirmed")
                }
            }
        }
    }

    private func version(of item: Item, in store: SQLiteCredentialStore) async throws -> Int? {
        let found = try await store.find(CredentialQuery(space: item.key.space, account: item.key.account))
        guard let credential = found.first else { return nil }
        guard found.count == 1, let version = item.version(of: credential.secret) else {
            throw TortureError("item \(item.number) is not what was written")
        }
        return version
    }

    /// What was handed to the operating system survives the process; that is all that a killed process can take away.
    private static func note(_ item: Item, _ version: Int, in log: Int32) throws {
        let line = Array("\(item.number) \(version)\n".utf8)
        guard write(log, line, line.count) == line.count else { throw TortureError("the log cannot be written") }
    }
}
#endif

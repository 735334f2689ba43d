#if SQLite
import Foundation
import SignetCredentials
import SignetCredentialsSQLite

#if canImport(Glibc)
import Glibc
#elseif canImport(Darwin)
import Darwin
#endif

/// Writes until the system lets no file grow any more, and looks whether everything that was confirmed is there.
func fill(_ options: TortureOptions) async throws {
    try FileManager.default.createDirectory(
        atPath: options.folder + "/store", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    _ = try MasterKeyFile.create(path: options.folder + "/key")
    let store = try await options.open()
    let content = SecretBytes([UInt8](repeating: 0x61, count: 1_000))
    func add(_ number: Int) async throws {
        try await store.add(StoredCredential(key: Item(number: number).key, secret: content))
    }
    try await add(0)

    // A write beyond the limit would end the process.
    signal(SIGXFSZ, SIG_IGN)
    var limits = rlimit()
    getrlimit(fileSizeResource, &limits)
    let before = limits.rlim_cur
    limits.rlim_cur = 400_000
    guard setrlimit(fileSizeResource, &limits) == 0 else { throw TortureError("the size of files cannot be limited") }
    var confirmed = 1
    var failure: CredentialStoreError?
    while failure == nil, confirmed < 10_000 {
        do {
            try await add(confirmed)
            confirmed += 1
        } catch let error as CredentialStoreError { failure = error }
    }
    guard let failure, [.full, .inputOutput].contains(failure.code) else {
        throw TortureError("instead of a full disk came \(failure.map(String.init(describing:)) ?? "nothing")")
    }
    // What was there can be read while nothing can be written.
    let found = try await store.find(CredentialQuery(space: Item(number: 0).key.space, account: "account-0"))
    guard found.map(\.secret) == [content] else { throw TortureError("nothing can be read from a full disk") }

    limits.rlim_cur = before
    setrlimit(fileSizeResource, &limits)
    let database = try await EncryptedDatabase(path: options.store, key: options.keyFile)
    let report = try await database.check()
    let again = SQLiteCredentialStore(database)
    for number in 0..<confirmed {
        let key = Item(number: number).key
        guard try await again.find(CredentialQuery(space: key.space, account: key.account)).count == 1 else {
            throw TortureError("item \(number) was confirmed and is lost")
        }
    }
    try await again.add(StoredCredential(key: Item(number: 20_000).key, secret: content))
    guard report.isSound else { throw TortureError("afterwards the store is \(report)") }
    print("\(confirmed) items until \(failure.code), none lost, none damaged")
}

#if canImport(Glibc)
private let fileSizeResource = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
#else
private let fileSizeResource = RLIMIT_FSIZE
#endif
#endif

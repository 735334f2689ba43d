#if SQLite
import Foundation
import GRDB
public import SignetCredentials

extension EncryptedDatabase {
    /// Seals everything again with another master key, in one transaction: whatever happens, the store opens with the
    /// old key or with the new one.
    ///
    /// Other processes that have the store open ask their own provider again, once. It must then return the new key;
    /// otherwise they have to open the store again.
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when a record cannot be opened, since it
    ///   would be lost. See ``repair(keepsUnproven:)``.
    public func rekey(to provider: any MasterKeyProvider) async throws {
        let keyID = UUID()
        let derivation = provider.newDerivation()
        let path = path
        let master = try await provider.masterKey(
            for: MasterKeyRequest(path: path, keyID: keyID.uuidString, derivation: derivation, isNew: true))
        try await followingKeys { [queue] in
            try await queue.writeWithoutTransaction { database in
                let (header, keys) = self.current
                let newKeys = RecordKeys(master: master, storeID: header.storeID, keyID: keyID)
                let newHeader = try StoreHeader(keys: newKeys, derivation: derivation)
                try database.returningFromTransaction {
                    let old = try StoreTransaction(database, keys, expecting: header)
                    // Otherwise, an old copy would become the latest one.
                    try self.see(old.register)
                    var records: [StoreTransaction.Record] = []
                    let damaged = try old.inspect { record, _ in records.append(record) }
                    let count = try old.replaceAll(
                        with: records, keys: newKeys, after: max(self.highestGeneration, old.register.generation))
                    let unknown = try old.register.damagedLists()
                    guard damaged.isEmpty, count == records.count, unknown == 0 else {
                        throw CredentialStoreError(
                            .damaged,
                            """
                            \(damaged.count) records and \(unknown) lists of “\(path)” are damaged; with the old key they would be lost \
                            for good. Nothing was changed. Restore a backup, or call repair() first.
                            """)
                    }
                    try newHeader.write(database)
                }
                // This happens before other calls of this process get access to the queue.
                self.adopt(newHeader, newKeys, provider)
                // This overwrites data that the old key opens now, unless another process still reads it; otherwise
                // some time later.
                _ = try? database.checkpoint(.truncate)
            }
        }
    }
}
#endif

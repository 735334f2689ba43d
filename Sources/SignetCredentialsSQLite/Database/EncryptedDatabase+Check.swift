#if SQLite
import Foundation
import GRDB
import SignetCredentials

extension EncryptedDatabase {
    /// Opens every record, and compares the records with the lists of what should be there.
    ///
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` when the store cannot be read at all.
    public func check() async throws -> StoreReport {
        try Self.checkFiles(path)
        return try await read { transaction in
            let problems = try String.fetchAll(transaction.database, sql: "PRAGMA integrity_check(20)")
            var sound = 0
            let damaged = try transaction.inspect { _, isSound in if isSound { sound += 1 } }
            return StoreReport(
                sound: sound, damaged: damaged, damagedLists: try transaction.register.damagedLists(),
                fileProblems: problems.filter { $0 != "ok" }, generation: try transaction.register.highestGeneration())
        }
    }

    /// Removes damaged records, so that they can be added again, and forgets missing ones.
    ///
    /// The remaining records are sealed again under another identifier of the same key, and ``generation()`` continues
    /// from the highest one that is known: no row of an earlier copy can be restored after it.
    ///
    /// - Parameter keepsUnproven: whether to keep records that are undamaged but may not be the latest, because the
    ///   lists were changed: an attacker who changed them may have restored old passwords. When there are such records,
    ///   the caller has to decide.
    /// - Returns: the damaged records.
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when the caller has not decided; with
    ///   `rolledBack` for an old copy. Nothing is changed then.
    @discardableResult
    public func repair(keepsUnproven: Bool? = nil) async throws -> [DamagedRecord] {
        try await followingKeys { [queue] in
            try await queue.writeWithoutTransaction { database in
                let (header, keys) = self.current
                let newKeys = keys.renamed(UUID())
                let newHeader = try StoreHeader(keys: newKeys, derivation: header.derivation)
                let damaged = try database.returningFromTransaction {
                    let old = try StoreTransaction(database, keys, expecting: header)
                    // Otherwise, an old copy would become the latest one.
                    try self.see(old.register)
                    var (sound, unproven): ([StoreTransaction.Record], [StoreTransaction.Record]) = ([], [])
                    let damaged = try old.inspect { record, isSound in
                        if isSound { sound.append(record) } else { unproven.append(record) }
                    }
                    guard keepsUnproven != nil || unproven.isEmpty else {
                        throw CredentialStoreError(
                            .damaged,
                            "\(unproven.count) records of “\(self.path)” are whole, but may not be the latest. Nothing was changed; call repair(keepsUnproven:) and say whether to keep them."
                        )
                    }
                    // Of two records with the same identifier, only the first is kept.
                    try old.replaceAll(
                        with: sound + (keepsUnproven == true ? unproven : []), keys: newKeys,
                        after: max(self.highestGeneration, try old.register.highestGeneration()))
                    try newHeader.write(database)
                    return damaged
                }
                self.adopt(newHeader, newKeys)
                // This overwrites data that an attacker may have inserted now, unless another process still reads it;
                // otherwise some time later.
                _ = try? database.checkpoint(.truncate)
                return damaged
            }
        }
    }
}

extension StoreTransaction {
    /// Calls `body` with every record that can be opened.
    ///
    /// - Parameter body: gets whether the record is known to be the latest; this also holds for one in the wrong place.
    /// - Returns: what is wrong.
    func inspect(_ body: (Record, _ isSound: Bool) -> Void) throws -> [DamagedRecord] {
        var damaged: [DamagedRecord] = []
        var seen: Set<UUID> = []
        let rows = try Row.fetchCursor(database, sql: "SELECT \(Self.columns) FROM record")
        while let row = try rows.next() {
            let found = try open(row)
            if let id = row.bytes("id").flatMap({ UUID(bytes: $0) }) { seen.insert(id) }
            switch found {
            case .damaged(let problem, let record):
                damaged.append(problem)
                if let record, problem.problem == .unproven { body(record, false) }
            case .whole(let record):
                body(record, true)
                if keys.indexes(record.kind, record.fields) != Indexes(row) {
                    damaged.append(
                        DamagedRecord(id: record.id.uuidString, kind: record.kind.name, problem: .misplaced))
                }
            }
        }
        for (id, kind) in try register.all() where !seen.contains(id) {
            damaged.append(DamagedRecord(id: id.uuidString, kind: kind.name, problem: .missing))
        }
        return damaged.sorted { $0.id < $1.id }
    }

    /// Replaces all records of the store by these, sealed with `keys`.
    ///
    /// - Parameter generation: the highest generation that is known.
    /// - Returns: the number of records: of two with the same identity, only one is kept.
    @discardableResult
    func replaceAll(with records: [Record], keys: RecordKeys, after generation: Int64) throws -> Int {
        try database.execute(sql: "DELETE FROM record")
        let new = StoreTransaction(
            database, keys, register: RecordRegister(after: generation, database, keys))
        var count = 0
        for record in records {
            guard let indexes = keys.indexes(record.kind, record.fields) else { continue }
            let isNew = try new.insert(
                record.fields, kind: record.kind, indexes: indexes, id: record.id, revision: record.revision + 1)
            if isNew { count += 1 }
        }
        try new.register.saveAll()
        return count
    }
}

extension StoreTransaction.Indexes {
    init?(_ row: Row) {
        guard let item = row.bytes("item") else { return nil }
        self.init(item: item, space: row.bytes("space"), host: row.bytes("host"), account: row.bytes("account"))
    }
}
#endif

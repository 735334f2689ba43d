#if SQLite
import Foundation
import GRDB
import SignetCredentials

/// The records of a store within one transaction.
struct StoreTransaction {
    let database: Database
    let keys: RecordKeys
    let register: RecordRegister

    struct Record {
        let id: UUID
        let kind: RecordKind
        let revision: Int64
        var fields: RecordFields
    }

    /// The columns that are used to find records.
    struct Indexes: Equatable {
        var item: [UInt8]
        var space: [UInt8]?
        var host: [UInt8]?
        var account: [UInt8]?
    }

    enum Found {
        case whole(Record)
        /// The record is not nil when it can be opened nevertheless.
        case damaged(DamagedRecord, Record?)
    }

    /// - Throws: ``KeyHasChanged`` when the store has another header.
    init(_ database: Database, _ keys: RecordKeys, expecting header: StoreHeader) throws {
        guard try StoreHeader(database) == header else { throw KeyHasChanged() }
        self.init(database, keys, register: try RecordRegister(database, keys))
    }

    init(_ database: Database, _ keys: RecordKeys, register: RecordRegister) {
        self.database = database
        self.keys = keys
        self.register = register
    }

    static let columns = "id, kind, revision, item, space, host, account, sealed"

    /// The records of a kind for which each of the columns has the given value. Without conditions these are all
    /// records of the kind, and the damaged ones then include those that should exist and do not.
    func records(
        _ kind: RecordKind, where conditions: [(column: String, value: [UInt8])] = []
    ) throws -> (whole: [Record], damaged: [DamagedRecord]) {
        // A value belongs to one kind only. The kind's column may have been changed, and must not hide a record.
        let columns = conditions.isEmpty ? ["kind"] : conditions.map(\.column)
        let values: [any DatabaseValueConvertible] =
            conditions.isEmpty ? [kind.rawValue] : conditions.map { Data($0.value) }
        let sql = "SELECT \(Self.columns) FROM record WHERE " + columns.map { "\($0) = ?" }.joined(separator: " AND ")
        var result: (whole: [Record], damaged: [DamagedRecord]) = ([], [])
        var seen: Set<UUID> = []
        let rows = try Row.fetchCursor(
            try database.cachedStatement(sql: sql), arguments: StatementArguments(values))
        while let row = try rows.next() {
            if conditions.isEmpty, let id = row.bytes("id").flatMap({ UUID(bytes: $0) }) { seen.insert(id) }
            switch try open(row) {
            case .whole(let record) where keys.indexes(record.kind, record.fields) == Indexes(row):
                result.whole.append(record)
            case .whole(let record):
                result.damaged.append(
                    DamagedRecord(id: record.id.uuidString, kind: record.kind.name, problem: .misplaced))
            case .damaged(let problem, _): result.damaged.append(problem)
            }
        }
        if conditions.isEmpty { result.damaged += try missing(kind, seen) }
        return result
    }

    private func missing(_ kind: RecordKind, _ seen: Set<UUID>) throws -> [DamagedRecord] {
        let (ids, isComplete) = try register.all(kind)
        let missing = ids.filter { !seen.contains($0) }
            .map { DamagedRecord(id: $0.uuidString, kind: kind.name, problem: .missing) }
        return missing.sorted { $0.id < $1.id }
            + (isComplete ? [] : [DamagedRecord(id: "", kind: kind.name, problem: .unproven)])
    }

    /// - Returns: false when there is a record with this item.
    func insert(_ fields: RecordFields, kind: RecordKind, indexes: Indexes, id: UUID = UUID(), revision: Int64 = 1)
        throws
        -> Bool
    {
        do {
            try database.cachedStatement(sql: "INSERT INTO record (\(Self.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?)")
                .execute(arguments: [
                    Data(id.bytes), kind.rawValue, revision, Data(indexes.item), indexes.space.map { Data($0) },
                    indexes.host.map { Data($0) }, indexes.account.map { Data($0) },
                    Data(try keys.seal(fields, kind: kind, id: id, revision: revision)),
                ])
        } catch let error as DatabaseError where error.resultCode == .SQLITE_CONSTRAINT {
            return false
        }
        try register.set(revision, for: id, kind)
        return true
    }

    /// Replaces the content of a record.
    func replace(_ record: Record) throws {
        let revision = record.revision + 1
        let sealed = try keys.seal(record.fields, kind: record.kind, id: record.id, revision: revision)
        try database.cachedStatement(sql: "UPDATE record SET revision = ?, sealed = ? WHERE id = ?")
            .execute(arguments: [revision, Data(sealed), Data(record.id.bytes)])
        try register.set(revision, for: record.id, record.kind)
    }

    /// Removes the record with this item, whole or damaged, also when its kind was changed.
    ///
    /// - Returns: whether there was such a record.
    func remove(_ kind: RecordKind, item: [UInt8]) throws -> Bool {
        let rows = try Row.fetchAll(
            database, sql: "SELECT \(Self.columns) FROM record WHERE item = ?", arguments: [Data(item)])
        for row in rows {
            guard let id = row.bytes("id") else { continue }
            // Another record that was put in its place must not be lost with it.
            if case .whole(let record) = try open(row), keys.indexes(record.kind, record.fields)?.item != item {
                throw Self.disordered()
            }
            try database.execute(sql: "DELETE FROM record WHERE id = ?", arguments: [Data(id)])
            if let id = UUID(bytes: id) { try register.set(nil, for: id, kind) }
        }
        return !rows.isEmpty
    }

    /// Inserts a record that was just found to be absent.
    func add(_ fields: RecordFields, kind: RecordKind, indexes: Indexes) throws {
        guard try insert(fields, kind: kind, indexes: indexes) else { throw Self.disordered() }
    }

    private static func disordered() -> CredentialStoreError {
        .init(
            .damaged,
            "A record of the store was put in the place of another by another program. Call check() and repair()."
        )
    }

    func open(_ row: Row) throws -> Found {
        let kind = row.integer("kind").flatMap { UInt8(exactly: $0) }.flatMap { RecordKind(rawValue: $0) }
        let id = row.bytes("id").flatMap { UUID(bytes: $0) }
        func damaged(_ problem: DamagedRecord.Problem, _ record: Record? = nil) -> Found {
            .damaged(DamagedRecord(id: id?.uuidString ?? "", kind: kind?.name, problem: problem), record)
        }
        guard let kind, let id, let revision = row.integer("revision"), let sealed = row.bytes("sealed"),
            let fields = keys.open(sealed, kind: kind, id: id, revision: revision)
        else { return damaged(.unreadable) }
        let record = Record(id: id, kind: kind, revision: revision, fields: fields)
        return switch try register.revision(of: id, kind) {
        case .revision(revision): .whole(record)
        case .revision: damaged(.outdated)
        case .absent: damaged(.unregistered)
        case .unknown: damaged(.unproven, record)
        }
    }
}

/// Another process has given the store another master key.
struct KeyHasChanged: Error {}
#endif

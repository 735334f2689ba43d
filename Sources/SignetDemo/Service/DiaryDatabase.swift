#if CommandLine
import Foundation
import GRDB
import SignetSOAP

/// The diary's entries and its registry of devices, in an SQLite database.
struct DiaryDatabase: Sendable {
    private let queue: DatabaseQueue

    /// Opens the database at `path`, or creates it.
    init(path: String) throws {
        queue = try DatabaseQueue(path: path)
        var migrator = DatabaseMigrator()
        migrator.registerMigration("first") { db in
            try db.execute(
                sql: """
                    CREATE TABLE entry (
                      id INTEGER PRIMARY KEY AUTOINCREMENT, patientId TEXT NOT NULL, entryDate TEXT NOT NULL,
                      recordedAt TEXT NOT NULL, systolic INTEGER NOT NULL, diastolic INTEGER NOT NULL, weight TEXT NOT NULL,
                      pulse INTEGER, flagged BOOLEAN NOT NULL, hasNote BOOLEAN NOT NULL, note TEXT, kind TEXT NOT NULL,
                      attachment BLOB, revision INTEGER NOT NULL, source TEXT);
                    CREATE INDEX entryByDate ON entry (patientId, entryDate);
                    CREATE TABLE tag (entry INTEGER NOT NULL REFERENCES entry ON DELETE CASCADE, position INTEGER NOT NULL,
                      text TEXT NOT NULL, PRIMARY KEY (entry, position));
                    CREATE TABLE device (subject TEXT PRIMARY KEY, serialNumber TEXT NOT NULL, struck BOOLEAN NOT NULL);
                    """)
        }
        try migrator.migrate(queue)
    }

    // MARK: Devices

    enum Standing: Sendable { case unknown, registered, struck }

    /// - Parameter subject: that of the device's certificates, which the device authority alone issues.
    func standing(of subject: String) async throws -> Standing {
        try await queue.read { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT struck FROM device WHERE subject = ?", arguments: [subject])
            else { return .unknown }
            return row["struck"] ? .struck : .registered
        }
    }

    /// False when a device with this serial number was registered before.
    func register(serialNumber: String, subject: String) async throws -> Bool {
        try await queue.write { db in
            let known = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM device WHERE serialNumber = ?)",
                arguments: [serialNumber])
            if known == true { return false }
            try db.execute(
                sql: "INSERT INTO device (subject, serialNumber, struck) VALUES (?, ?, FALSE)",
                arguments: [subject, serialNumber])
            return true
        }
    }

    func strike(serialNumber: String) async throws {
        try await queue.write { db in
            try db.execute(sql: "UPDATE device SET struck = TRUE WHERE serialNumber = ?", arguments: [serialNumber])
        }
    }

    // MARK: Entries

    func entries(
        of patient: String, on condition: WebEase.DateComparison?, kinds: [WebEase.EntryKind], limit: Int
    ) async throws -> (entries: [WebEase.LogEntry], truncated: Bool) {
        var sql = "SELECT * FROM entry WHERE patientId = ?"
        var arguments: StatementArguments = [patient]
        if let (clause, dates) = try Self.clause(condition) {
            sql += " AND \(clause)"
            arguments += StatementArguments(dates)
        }
        if !kinds.isEmpty {
            sql += " AND kind IN (\(kinds.map { _ in "?" }.joined(separator: ", ")))"
            arguments += StatementArguments(kinds.map(\.rawValue))
        }
        sql += " ORDER BY entryDate, id LIMIT ?"
        arguments += [limit + 1]
        return try await queue.read { [sql, arguments] db in
            let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
            let entries = try rows.prefix(limit).map { try Self.entry($0, db) }
            return (entries, rows.count > limit)
        }
    }

    func create(_ new: WebEase.NewLogEntry, at now: XSDDateTime) async throws -> WebEase.LogEntry {
        try await queue.write { db in
            try db.execute(
                sql: """
                    INSERT INTO entry (patientId, entryDate, recordedAt, systolic, diastolic, weight, pulse, flagged, hasNote,
                      note, kind, attachment, revision, source) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?)
                    """,
                arguments: [
                    new.patientId, new.entryDate.lexicalForm, now.lexicalForm, new.systolic, new.diastolic,
                    new.weight.description, new.pulse, new.flagged, new.note != nil, new.note?.value, new.kind.rawValue,
                    new.attachment.map { Self.blob($0.bytes) }, new.source,
                ])
            let id = db.lastInsertedRowID
            try Self.writeTags(new.tag, of: id, db)
            return try Self.entry(id, db)
        }
    }

    func update(_ entry: WebEase.LogEntry, at now: XSDDateTime) async throws -> WebEase.LogEntry {
        try await queue.write { db in
            let current = try Self.entry(entry.id, db)
            guard current.revision == entry.revision else {
                throw DeclaredFault(
                    WebEase.EntryConflict(id: entry.id, currentRevision: current.revision),
                    reason: "The entry has been changed since it was read.")
            }
            try db.execute(
                sql: """
                    UPDATE entry SET entryDate = ?, recordedAt = ?, systolic = ?, diastolic = ?, weight = ?, pulse = ?,
                      flagged = ?, hasNote = ?, note = ?, kind = ?, attachment = ?, source = ?, revision = revision + 1
                    WHERE id = ?
                    """,
                arguments: [
                    entry.entryDate.lexicalForm, now.lexicalForm, entry.systolic, entry.diastolic,
                    entry.weight.description,
                    entry.pulse, entry.flagged, entry.note != nil, entry.note?.value, entry.kind.rawValue,
                    entry.attachment.map { Self.blob($0.bytes) }, entry.source, entry.id,
                ])
            try db.execute(sql: "DELETE FROM tag WHERE entry = ?", arguments: [entry.id])
            try Self.writeTags(entry.tag, of: entry.id, db)
            return try Self.entry(entry.id, db)
        }
    }

    func delete(_ id: Int64) async throws {
        try await queue.write { db in
            _ = try Self.entry(id, db)
            try db.execute(sql: "DELETE FROM entry WHERE id = ?", arguments: [id])
        }
    }

    // MARK: Rows

    /// Dates are kept as `YYYY-MM-DD`, whose order as text is that of the calendar.
    private static func clause(_ condition: WebEase.DateComparison?) throws -> (String, [String])? {
        guard let condition else { return nil }
        let value = condition.value.lexicalForm
        switch condition.operator {
        case .equal: return ("entryDate = ?", [value])
        case .before: return ("entryDate < ?", [value])
        case .after: return ("entryDate > ?", [value])
        case .between:
            guard let upper = condition.upper else { throw SOAPFault.client("“between” needs an upper date.") }
            return ("entryDate BETWEEN ? AND ?", [value, upper.lexicalForm])
        case .unrecognized(let name): throw SOAPFault.client("The operator “\(name)” is unknown.")
        }
    }

    private static func writeTags(_ tags: [String], of entry: Int64, _ db: Database) throws {
        for (position, text) in tags.enumerated() {
            try db.execute(
                sql: "INSERT INTO tag (entry, position, text) VALUES (?, ?, ?)", arguments: [entry, position, text])
        }
    }

    private static func entry(_ id: Int64, _ db: Database) throws -> WebEase.LogEntry {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM entry WHERE id = ?", arguments: [id]) else {
            throw DeclaredFault(WebEase.EntryNotFound(id: id), reason: "No entry has the identifier \(id).")
        }
        return try entry(row, db)
    }

    private static func entry(_ row: Row, _ db: Database) throws -> WebEase.LogEntry {
        guard let entryDate = XSDDate(row["entryDate"] as String),
            let recordedAt = XSDDateTime(row["recordedAt"] as String),
            let weight = XSDDecimal(row["weight"] as String)
        else { throw SOAPFault.server("The entry \(row["id"] as Int64) is damaged.") }
        let tags = try String.fetchAll(
            db, sql: "SELECT text FROM tag WHERE entry = ? ORDER BY position", arguments: [row["id"] as Int64])
        return WebEase.LogEntry(
            id: row["id"], patientId: row["patientId"], entryDate: entryDate, recordedAt: recordedAt,
            systolic: row["systolic"], diastolic: row["diastolic"], weight: weight, pulse: row["pulse"],
            flagged: row["flagged"], note: row["hasNote"] ? Nillable(row["note"] as String?) : nil,
            kind: WebEase.EntryKind(rawValue: row["kind"]), tag: tags,
            attachment: (row["attachment"] as Blob?).map { XSDBase64Binary($0.bytes) }, revision: row["revision"],
            source: row["source"])
    }

    private static func blob(_ bytes: [UInt8]) -> Blob { Blob(bytes: bytes) }
}

/// Bytes in a column.
private struct Blob: DatabaseValueConvertible, Sendable {
    let bytes: [UInt8]

    init(bytes: [UInt8]) { self.bytes = bytes }
    var databaseValue: DatabaseValue { Data(bytes).databaseValue }
    static func fromDatabaseValue(_ value: DatabaseValue) -> Blob? {
        Data.fromDatabaseValue(value).map { Blob(bytes: [UInt8]($0)) }
    }
}
#endif

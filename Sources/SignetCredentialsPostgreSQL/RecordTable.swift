import Foundation
import SignetCredentials
import SignetTLS

/// Sealed records in a table.
struct RecordTable {
    struct Record {
        let kind: RecordKind
        let id: UUID
        var revision: Int64
        var fields: RecordFields
    }

    let turn: ConnectionPool.Turn
    let keys: RecordKeys
    /// The table with its schema.
    let name: String

    private static let columns = "id, revision, sealed, item, space"

    /// The record with this item; nil when there is no such record.
    ///
    /// - Parameter isLocking: whether others wait until the transaction ends before they change it.
    func only(_ kind: RecordKind, item: [UInt8], isLocking: Bool = false) throws -> Record? {
        let rows = try turn.run(
            "SELECT \(Self.columns) FROM \(name) WHERE kind = $1 AND item = $2\(isLocking ? " FOR UPDATE" : "")",
            .integer(Int64(kind.rawValue)), .bytes(item))
        return try records(kind, rows).first
    }

    func all(_ kind: RecordKind) throws -> [Record] {
        try records(
            kind,
            turn.run("SELECT \(Self.columns) FROM \(name) WHERE kind = $1", .integer(Int64(kind.rawValue))))
    }

    func all(_ kind: RecordKind, space: [UInt8]) throws -> [Record] {
        let rows = try turn.run(
            "SELECT \(Self.columns) FROM \(name) WHERE kind = $1 AND space = $2", .integer(Int64(kind.rawValue)),
            .bytes(space))
        return try records(kind, rows)
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` for a record that was not sealed for its place.
    private func records(_ kind: RecordKind, _ rows: PostgreSQLRows) throws -> [Record] {
        try rows.rows.map { row in
            guard row.count == 5, let id = row[0].flatMap({ UUID(bytes: $0) }),
                let revision = row[1].flatMap({ PostgreSQLRows.integer($0) }), let sealed = row[2],
                let fields = keys.open(sealed, kind: kind, id: id, revision: revision),
                // Otherwise one account could be found by the name of another one.
                let place = place(kind, fields), row[3] == place.item, row[4] == place.space
            else { throw CredentialStoreError.damagedState }
            return Record(kind: kind, id: id, revision: revision, fields: fields)
        }
    }

    /// Where a record is found, made from its content; nil when the content lacks a part.
    private func place(_ kind: RecordKind, _ fields: RecordFields) -> (item: [UInt8], space: [UInt8])? {
        switch kind {
        case .account: return fields[text: "user"].map { (keys.accountItem($0), []) }
        case .accountCertificate:
            guard let certificate = fields[text: "certificate"], let user = fields[text: "user"] else { return nil }
            return (keys.accountCertificateItem(certificate), keys.accountItem(user))
        case .serverSecret: return fields[text: "purpose"].map { (keys.secretItem($0), []) }
        case .issuedCertificate:
            guard let number = fields[text: "item"], let key = fields[text: "key"] else { return nil }
            return (keys.issuedItem(number), keys.publicKeyIndex(key))
        case .credential, .identity, .exception, .receivedIdentity: return nil
        }
    }

    /// - Returns: false when there is a record at its place already.
    func add(_ fields: RecordFields, kind: RecordKind) throws -> Bool {
        guard let place = place(kind, fields) else { throw CredentialStoreError.damagedState }
        let id = UUID()
        let added = try turn.run(
            "INSERT INTO \(name) VALUES ($1, $2, $3, $4, 1, $5) ON CONFLICT (kind, item) DO NOTHING", .bytes(id.bytes),
            .integer(Int64(kind.rawValue)), .bytes(place.item), .bytes(place.space),
            .bytes(keys.seal(fields, kind: kind, id: id, revision: 1)))
        return added.changed == 1
    }

    func replace(_ record: Record) throws {
        let (revision, isOverflow) = record.revision.addingReportingOverflow(1)
        guard !isOverflow else { throw CredentialStoreError.damagedState }
        let sealed = try keys.seal(record.fields, kind: record.kind, id: record.id, revision: revision)
        try turn.run(
            "UPDATE \(name) SET revision = $2, sealed = $3 WHERE id = $1", .bytes(record.id.bytes), .integer(revision),
            .bytes(sealed))
    }

    // MARK: Accounts

    func account(_ user: String, isLocking: Bool = false) throws -> (record: Record, account: ServerAccount)? {
        guard let record = try only(.account, item: keys.accountItem(user), isLocking: isLocking) else { return nil }
        guard let account = ServerAccount(record.fields) else { throw CredentialStoreError.damagedState }
        return (record, account)
    }

    func owner(of certificate: [UInt8]) throws -> String? {
        try only(.accountCertificate, item: keys.accountCertificateItem(certificate))?.fields[text: "user"]
    }

    /// - Returns: false when one of them belongs to an account already.
    func take(_ certificates: Set<[UInt8]>, of user: String) throws -> Bool {
        // In an order, so that two transactions do not wait for each other.
        for certificate in certificates.map({ Text.hexadecimal($0) }).sorted() {
            var fields = RecordFields()
            fields[text: "certificate"] = certificate
            fields[text: "user"] = user
            guard try add(fields, kind: .accountCertificate) else { return false }
        }
        return true
    }

    func release(_ certificate: [UInt8], of user: String) throws {
        try turn.run(
            "DELETE FROM \(name) WHERE kind = $1 AND item = $2 AND space = $3",
            .integer(Int64(RecordKind.accountCertificate.rawValue)),
            .bytes(keys.accountCertificateItem(certificate)), .bytes(keys.accountItem(user)))
    }

    func removeAccount(_ user: String) throws -> Bool {
        let item = keys.accountItem(user)
        let removed = try turn.run(
            "DELETE FROM \(name) WHERE kind = $1 AND item = $2", .integer(Int64(RecordKind.account.rawValue)),
            .bytes(item))
        // What another server adds from now on is of another account with this name.
        guard removed.changed == 1 else { return false }
        try turn.run(
            "DELETE FROM \(name) WHERE kind = $1 AND space = $2",
            .integer(Int64(RecordKind.accountCertificate.rawValue)), .bytes(item))
        return true
    }
}

extension ConnectionPool.Turn {
    private struct Refused: Error {}

    /// Runs `body` in a transaction, in which nothing is changed when it returns false.
    func attempt(_ body: () throws -> Bool) throws -> Bool {
        do {
            try transaction { if try !body() { throw Refused() } }
            return true
        } catch is Refused { return false }
    }
}

#if SQLite
import Foundation
public import SignetCredentials
public import SignetTLS

/// Keeps identities with their chains in an ``EncryptedDatabase``.
///
/// Unlike ``/SignetCredentials/DirectoryIdentityStore``, it needs no password of its own, and opening an identity takes
/// no slow key derivation.
public struct SQLiteIdentityStore: IdentityStore {
    /// The longest label, in bytes of UTF-8.
    public static let maximumLabelBytes = 4096
    /// The file that contains the identities, sealed with the master key.
    public let database: EncryptedDatabase

    /// - Parameter database: stores of other kinds can use it at the same time.
    public init(_ database: EncryptedDatabase) { self.database = database }

    /// - Throws: ``/SignetCredentials/IdentityStoreError`` with `damaged` when another program has changed the stored
    ///   data; ``/SignetCredentials/CredentialStoreError`` when the store cannot be read.
    public func identity(label: String) async throws -> Identity? {
        let fields: RecordFields? = try await database.read { transaction in
            let (whole, damaged) = try transaction.records(
                .identity, where: [("item", transaction.keys.identityIndex(label: label))])
            if let record = whole.first { return record.fields }
            if damaged.isEmpty { return nil }
            throw Self.damaged(label)
        }
        guard var fields else { return nil }
        defer { fields.wipe() }
        guard fields[text: "label"] == label, let file = fields["pkcs12"], let password = fields[text: "password"],
            let identity = try? Identity(pkcs12: file, password: password)
        else { throw Self.damaged(label) }
        return identity
    }

    /// - Throws: ``/SignetCredentials/IdentityStoreError`` with `invalidLabel`; `IdentityError` with `cannotWrite` for
    ///   a key that stays in its device.
    public func store(_ identity: Identity, label: String) async throws {
        guard (1...Self.maximumLabelBytes).contains(label.utf8.count) else {
            throw IdentityStoreError(
                .invalidLabel,
                "A label has 1 to \(Self.maximumLabelBytes) bytes; this one has \(label.utf8.count). Choose another one."
            )
        }
        // The record is sealed. The format requires this password, which is as strong as a key.
        let password = Text.hexadecimal(MasterKey.random().secret.bytes)
        var fields = RecordFields()
        fields[text: "label"] = label
        fields["pkcs12"] = try identity.pkcs12(password: password, label: label, iterations: 1)
        fields[text: "password"] = password
        try await database.write { [fields] transaction in
            let item = transaction.keys.identityIndex(label: label)
            if var record = try transaction.records(.identity, where: [("item", item)]).whole.first {
                for (name, value) in fields.fields { record.fields[name] = value }
                try transaction.replace(record)
            } else {
                _ = try transaction.remove(.identity, item: item)
                try transaction.add(fields, kind: .identity, indexes: .init(item: item))
            }
        }
        fields.wipe()
    }

    /// How the identity under `label` was obtained, as the caller of ``keep(recipe:label:)`` wrote it; nil when it did not.
    package func recipe(label: String) async throws -> [UInt8]? {
        try await database.read { transaction in
            try transaction.records(.identity, where: [("item", transaction.keys.identityIndex(label: label))])
                .whole.first?.fields["recipe"]
        }
    }

    /// Keeps beside the identity under `label` how it was obtained; nil to forget it. Identities that take its place keep that,
    /// too.
    package func keep(recipe: [UInt8]?, label: String) async throws {
        try await database.write { transaction in
            let item = transaction.keys.identityIndex(label: label)
            guard var record = try transaction.records(.identity, where: [("item", item)]).whole.first else { return }
            record.fields["recipe"] = recipe
            try transaction.replace(record)
        }
    }

    /// A file that a service sent for `label`, and that no identity in use has come from yet.
    package struct ReceivedFile: Sendable, Equatable {
        /// Which service sent it, and in answer to what.
        package var source: String
        package var bytes: [UInt8]
        /// The password that came with it; nil when none came.
        package var password: String?

        package init(from source: String, bytes: [UInt8], password: String?) {
            self.source = source
            self.bytes = bytes
            self.password = password
        }
    }

    package func receivedFile(label: String) async throws -> ReceivedFile? {
        try await database.read { transaction in
            let item = transaction.keys.receivedIdentityIndex(label: label)
            let (whole, damaged) = try transaction.records(.receivedIdentity, where: [("item", item)])
            // A damaged one is of no use any more.
            guard damaged.isEmpty, let fields = whole.first?.fields, let bytes = fields["file"],
                let source = fields[text: "source"]
            else { return nil }
            return ReceivedFile(from: source, bytes: bytes, password: fields[text: "password"])
        }
    }

    /// Keeps a file that a service may send only once; nil to forget it.
    package func keep(received file: ReceivedFile?, label: String) async throws {
        try await database.write { transaction in
            let item = transaction.keys.receivedIdentityIndex(label: label)
            _ = try transaction.remove(.receivedIdentity, item: item)
            guard let file else { return }
            var fields = RecordFields()
            fields[text: "label"] = label
            fields[text: "source"] = file.source
            fields["file"] = file.bytes
            fields[text: "password"] = file.password
            defer { fields.wipe() }
            try transaction.add(fields, kind: .receivedIdentity, indexes: .init(item: item))
        }
    }

    public func remove(label: String) async throws {
        try await database.write { transaction in
            _ = try transaction.remove(.identity, item: transaction.keys.identityIndex(label: label))
            _ = try transaction.remove(.receivedIdentity, item: transaction.keys.receivedIdentityIndex(label: label))
        }
    }

    /// The labels of all undamaged identities, sorted. ``EncryptedDatabase/check()`` lists the damaged ones.
    public func labels() async throws -> [String] {
        try await database.read { try $0.records(.identity).whole.compactMap { $0.fields[text: "label"] }.sorted() }
    }

    public func exclusively<Value: Sendable>(
        label: String, _ body: @Sendable () async throws -> Value
    ) async throws -> Value {
        // A name in clear beside the database would show what is sealed in it.
        let item = try await database.read { $0.keys.identityIndex(label: label) }
        return try await ExclusiveUse.ofFile("\(database.path)-\(Text.hexadecimal(item.prefix(8))).lock", body)
    }

    private static func damaged(_ label: String) -> IdentityStoreError {
        IdentityStoreError(
            .damaged,
            "The identity “\(label)” was changed by another program. Store it anew, or restore a backup.")
    }
}

extension SQLiteIdentityStore: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteIdentityStore(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}
#endif

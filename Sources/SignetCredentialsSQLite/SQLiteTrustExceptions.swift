#if SQLite
import Foundation
import SignetCredentials
public import SignetTLS

/// Keeps exceptions to a ``/SignetTLS/TrustPolicy`` in an ``EncryptedDatabase``.
public struct SQLiteTrustExceptions: TrustExceptionStore {
    /// The file that contains the exceptions, sealed with the master key.
    public let database: EncryptedDatabase

    /// - Parameter database: stores of other kinds can use it at the same time.
    public init(_ database: EncryptedDatabase) { self.database = database }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when an exception cannot be read: ignoring
    ///   it would lose a denial.
    public func exceptions() async throws -> [TrustException] {
        try await database.read { try Self.entries($0).map(\.exception) }
    }

    public func record(_ exception: TrustException) async throws {
        try await database.write { transaction in
            let entries = try Self.entries(transaction)
            let last = entries.last?.order ?? 0
            let item = transaction.keys.blindIndex(.exception, "item", [Self.item(exception)])
            _ = try transaction.remove(.exception, item: item)
            var fields = RecordFields()
            fields[text: "item"] = Self.item(exception)
            // The order in which they were recorded, which times in seconds do not show.
            fields[number: "order"] = last + 1
            fields["exception"] = Array(try JSONEncoder().encode(exception))
            try transaction.add(fields, kind: .exception, indexes: .init(item: item))
        }
    }

    public func revoke(_ exception: TrustException) async throws {
        try await database.write { transaction in
            if try Self.entries(transaction).contains(where: { $0.exception == exception }) {
                _ = try transaction.remove(
                    .exception, item: transaction.keys.blindIndex(.exception, "item", [Self.item(exception)]))
            }
        }
    }

    /// There is at most one for a certificate, host and port.
    private static func item(_ exception: TrustException) -> String {
        "\(Text.hexadecimal(exception.certificate)) \(exception.port) \(exception.host)"
    }

    private static func entries(
        _ transaction: StoreTransaction
    ) throws -> [(order: Int64, exception: TrustException)] {
        let (whole, damaged) = try transaction.records(.exception)
        let entries = whole.compactMap { record -> (order: Int64, exception: TrustException)? in
            guard let order = record.fields[number: "order"], let text = record.fields["exception"],
                let exception = try? JSONDecoder().decode(TrustException.self, from: Data(text))
            else { return nil }
            return (order, exception)
        }
        guard damaged.isEmpty, entries.count == whole.count else {
            throw CredentialStoreError(
                .damaged,
                "An exception to the policy was changed by another program. Call check() and repair(), and record it anew."
            )
        }
        return entries.sorted { $0.order < $1.order }
    }
}

extension SQLiteTrustExceptions: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteTrustExceptions(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}
#endif

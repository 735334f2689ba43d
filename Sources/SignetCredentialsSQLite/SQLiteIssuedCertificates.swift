#if SQLite
public import SignetCredentials
import SignetTLS

/// Keeps what an authority has issued in an ``EncryptedDatabase``.
public struct SQLiteIssuedCertificates: IssuedCertificateStore {
    /// The file that contains the certificates, sealed with the master key.
    public let database: EncryptedDatabase

    /// - Parameter database: stores of other kinds can use it at the same time.
    public init(_ database: EncryptedDatabase) { self.database = database }

    public func add(_ certificate: IssuedCertificate) async throws {
        let number = certificate.certificate.serialNumber ?? []
        try await database.write { transaction in
            let fields = certificate.fields
            _ = try transaction.remove(.issuedCertificate, item: transaction.keys.issuedItem(number))
            guard let indexes = transaction.keys.indexes(.issuedCertificate, fields) else {
                throw CredentialStoreError.damagedCertificate
            }
            try transaction.add(fields, kind: .issuedCertificate, indexes: indexes)
        }
    }

    public func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate? {
        try await database.read { transaction in
            let (whole, damaged) = try transaction.records(
                .issuedCertificate, where: [("item", transaction.keys.issuedItem(serialNumber))])
            guard damaged.isEmpty else { throw CredentialStoreError.damagedCertificate }
            return try whole.first.map { try IssuedCertificate($0.fields) }
        }
    }

    public func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate] {
        try await database.read { transaction in
            let index = transaction.keys.publicKeyIndex(Text.hexadecimal(publicKeySHA256))
            let (whole, damaged) = try transaction.records(.issuedCertificate, where: [("space", index)])
            guard damaged.isEmpty else { throw CredentialStoreError.damagedCertificate }
            return try whole.map { try IssuedCertificate($0.fields) }
        }
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool {
        try await database.write { transaction in
            let (whole, damaged) = try transaction.records(
                .issuedCertificate, where: [("item", transaction.keys.issuedItem(serialNumber))])
            guard damaged.isEmpty else { throw CredentialStoreError.damagedCertificate }
            guard var record = whole.first else { return false }
            var certificate = try IssuedCertificate(record.fields)
            certificate.revoke(revocation)
            record.fields = certificate.fields
            try transaction.replace(record)
            return true
        }
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when one cannot be read: leaving it out would
    ///   make a revoked certificate good again.
    public func certificates() async throws -> [IssuedCertificate] {
        try await database.read { transaction in
            let (whole, damaged) = try transaction.records(.issuedCertificate)
            guard damaged.isEmpty else { throw CredentialStoreError.damagedCertificate }
            return try whole.map { try IssuedCertificate($0.fields) }
        }
    }
}

extension SQLiteIssuedCertificates: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteIssuedCertificates(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}
#endif

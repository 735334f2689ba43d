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
            let fields = Self.fields(certificate)
            _ = try transaction.remove(.issuedCertificate, item: Self.item(number, transaction))
            guard let indexes = transaction.keys.indexes(.issuedCertificate, fields) else { throw Self.damaged }
            try transaction.add(fields, kind: .issuedCertificate, indexes: indexes)
        }
    }

    public func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate? {
        try await database.read { transaction in
            let (whole, damaged) = try transaction.records(
                .issuedCertificate, where: [("item", Self.item(serialNumber, transaction))])
            guard damaged.isEmpty else { throw Self.damaged }
            return try whole.first.map { try Self.certificate($0.fields) }
        }
    }

    public func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate] {
        try await database.read { transaction in
            let index = transaction.keys.publicKeyIndex(Text.hexadecimal(publicKeySHA256))
            let (whole, damaged) = try transaction.records(.issuedCertificate, where: [("space", index)])
            guard damaged.isEmpty else { throw Self.damaged }
            return try whole.map { try Self.certificate($0.fields) }
        }
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool {
        try await database.write { transaction in
            let (whole, damaged) = try transaction.records(
                .issuedCertificate, where: [("item", Self.item(serialNumber, transaction))])
            guard damaged.isEmpty else { throw Self.damaged }
            guard var record = whole.first else { return false }
            var certificate = try Self.certificate(record.fields)
            certificate.revoke(revocation)
            record.fields = Self.fields(certificate)
            try transaction.replace(record)
            return true
        }
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when one cannot be read: leaving it out would
    ///   make a revoked certificate good again.
    public func certificates() async throws -> [IssuedCertificate] {
        try await database.read { transaction in
            let (whole, damaged) = try transaction.records(.issuedCertificate)
            guard damaged.isEmpty else { throw Self.damaged }
            return try whole.map { try Self.certificate($0.fields) }
        }
    }

    private static func item(_ serialNumber: [UInt8], _ transaction: StoreTransaction) -> [UInt8] {
        transaction.keys.blindIndex(.issuedCertificate, "item", [Text.hexadecimal(serialNumber)])
    }

    private static func fields(_ certificate: IssuedCertificate) -> RecordFields {
        var fields = RecordFields()
        fields[text: "item"] = Text.hexadecimal(certificate.certificate.serialNumber ?? [])
        fields[text: "key"] = Text.hexadecimal(certificate.certificate.publicKeySHA256 ?? [])
        fields["certificate"] = certificate.certificate.der
        fields[number: "revoked"] = certificate.revocation?.time
        fields[number: "reason"] = certificate.revocation.map { Int64($0.reason.rawValue) }
        return fields
    }

    private static func certificate(_ fields: RecordFields) throws -> IssuedCertificate {
        guard let der = fields["certificate"] else { throw damaged }
        var certificate = IssuedCertificate(EncodedCertificate(der: der))
        if let time = fields[number: "revoked"] {
            let reason = fields[number: "reason"].flatMap { RevocationReason(rawValue: Int($0)) }
            certificate.revocation = .init(at: time, for: reason ?? .unspecified)
        }
        return certificate
    }

    private static var damaged: CredentialStoreError {
        CredentialStoreError(
            .damaged,
            "An issued certificate was changed by another program. Call check(), and restore a backup: without it, a revoked certificate may count as good."
        )
    }
}

extension SQLiteIssuedCertificates: CustomStringConvertible, CustomReflectable {
    public var description: String { "SQLiteIssuedCertificates(\(database.path))" }
    public var customMirror: Mirror { Mirror(self, children: ["path": database.path], displayStyle: .struct) }
}
#endif

#if SQLite
import Foundation
import GRDB
import SignetCredentials

/// A store's description in clear text: its identifier, the identifier of its key, and how the key is derived.
struct StoreHeader: Sendable, Equatable {
    let storeID: UUID
    let keyID: UUID
    let derivation: KeyDerivation
    let verifier: [UInt8]
    let code: [UInt8]

    /// The bytes whose HMAC is ``code``.
    private static func content(_ storeID: UUID, _ keyID: UUID, _ derivation: KeyDerivation, _ verifier: [UInt8])
        -> [UInt8]
    {
        storeID.bytes + RecordKeys.schemaVersion.bigEndianBytes + keyID.bytes + derivation.encoded + verifier
    }

    /// A header for a store that is sealed with `keys` from now on.
    init(keys: RecordKeys, derivation: KeyDerivation) throws {
        storeID = keys.storeID
        keyID = keys.keyID
        self.derivation = derivation
        verifier = try keys.makeVerifier()
        code = keys.headerCode(Self.content(storeID, keyID, derivation, verifier))
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged` when the header is absent or malformed.
    init(_ database: Database) throws {
        let row = try Row.fetchOne(
            database, sql: "SELECT store, key, derivation, verifier, code FROM header WHERE id = 1")
        guard let row, let storeID = row.bytes("store").flatMap({ UUID(bytes: $0) }),
            let keyID = row.bytes("key").flatMap({ UUID(bytes: $0) }), let encoded = row.bytes("derivation"),
            let verifier = row.bytes("verifier"), let code = row.bytes("code")
        else { throw Self.damaged }
        self.storeID = storeID
        self.keyID = keyID
        derivation = try KeyDerivation(encoded: encoded)
        self.verifier = verifier
        self.code = code
    }

    func write(_ database: Database) throws {
        try database.execute(
            sql: "INSERT OR REPLACE INTO header (id, store, key, derivation, verifier, code) VALUES (1, ?, ?, ?, ?, ?)",
            arguments: [
                Data(storeID.bytes), Data(keyID.bytes), Data(derivation.encoded), Data(verifier), Data(code),
            ])
    }

    /// - Parameter source: the name of the key's source, for the error.
    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `wrongKey` or `damaged`.
    func keys(
        from master: MasterKey, path: String, source: String
    ) throws(CredentialStoreError) -> RecordKeys {
        let keys = RecordKeys(master: master, storeID: storeID, keyID: keyID)
        guard keys.verifies(verifier) else {
            throw CredentialStoreError(
                .wrongKey,
                """
                What \(source) gave does not open the store “\(path)”, which is sealed with \
                \(derivation == .none ? "a key" : "a passphrase"). Give the one that was set last.
                """)
        }
        guard isCode(of: keys) else { throw Self.damaged }
        return keys
    }

    /// The keys, when the header belongs to the known keys under another identifier, since a repair changes nothing
    /// else.
    func keys(renaming known: RecordKeys) -> RecordKeys? {
        let keys = known.renamed(keyID)
        return storeID == known.storeID && keys.verifies(verifier) && isCode(of: keys) ? keys : nil
    }

    private func isCode(of keys: RecordKeys) -> Bool {
        keys.isHeaderCode(code, for: Self.content(storeID, keyID, derivation, verifier))
    }

    static let damaged = CredentialStoreError(
        .damaged,
        "The store does not say which key opens it: its header was cut off or changed. Restore it from a backup.")
}

extension KeyDerivation {
    /// One byte for the kind; for scrypt N, r and p in eight bytes each, and the salt.
    var encoded: [UInt8] {
        switch self {
        case .none: [0]
        case .scrypt(let parameters):
            [1] + Int64(parameters.cost).bigEndianBytes + Int64(parameters.blockSize).bigEndianBytes
                + Int64(parameters.parallelism).bigEndianBytes + parameters.salt
        }
    }

    /// - Throws: ``/SignetCredentials/CredentialStoreError`` with `damaged`; also for parameters so large that trying
    ///   them would be a denial of service.
    init(encoded bytes: [UInt8]) throws {
        if bytes == [0] {
            self = .none
            return
        }
        let rest = bytes.dropFirst()
        guard bytes.first == 1, let cost = Int64(bigEndianBytes: rest.prefix(8)),
            let blockSize = Int64(bigEndianBytes: rest.dropFirst(8).prefix(8)),
            let parallelism = Int64(bigEndianBytes: rest.dropFirst(16).prefix(8)),
            // The limits are checked before the numbers are multiplied.
            (1...Int64(Scrypt.maximumCost)).contains(cost), (1...32).contains(blockSize),
            let parameters = try? Scrypt(
                salt: Array(rest.dropFirst(24)), cost: Int(cost), blockSize: Int(blockSize),
                parallelism: Int(clamping: parallelism))
        else { throw StoreHeader.damaged }
        self = .scrypt(parameters)
    }
}

extension Row {
    /// The value of a column. It may have any type, since an attacker may have changed the file.
    func bytes(_ column: String) -> [UInt8]? {
        let value: DatabaseValue = self[column]
        return Data.fromDatabaseValue(value).map { Array($0) }
    }

    func integer(_ column: String) -> Int64? {
        let value: DatabaseValue = self[column]
        return Int64.fromDatabaseValue(value)
    }
}
#endif

package import Foundation

/// A store's description in clear text: its identifier, the identifier of its key, and how the key is derived.
package struct StoreHeader: Sendable, Equatable {
    package let storeID: UUID
    package let keyID: UUID
    package let derivation: KeyDerivation
    package let verifier: [UInt8]
    package let code: [UInt8]

    /// The bytes whose HMAC is ``code``.
    private static func content(_ storeID: UUID, _ keyID: UUID, _ derivation: KeyDerivation, _ verifier: [UInt8])
        -> [UInt8]
    {
        storeID.bytes + RecordKeys.schemaVersion.bigEndianBytes + keyID.bytes + derivation.encoded + verifier
    }

    /// A header for a store that is sealed with `keys` from now on.
    package init(keys: RecordKeys, derivation: KeyDerivation) throws {
        storeID = keys.storeID
        keyID = keys.keyID
        self.derivation = derivation
        verifier = try keys.makeVerifier()
        code = keys.headerCode(Self.content(storeID, keyID, derivation, verifier))
    }

    /// A header as it was stored.
    ///
    /// - Throws: ``CredentialStoreError`` with `damaged` when a part is absent or malformed.
    package init(store: [UInt8]?, key: [UInt8]?, derivation: [UInt8]?, verifier: [UInt8]?, code: [UInt8]?) throws {
        guard let storeID = store.flatMap({ UUID(bytes: $0) }), let keyID = key.flatMap({ UUID(bytes: $0) }),
            let derivation, let verifier, let code
        else { throw Self.damaged }
        self.storeID = storeID
        self.keyID = keyID
        self.derivation = try KeyDerivation(encoded: derivation)
        self.verifier = verifier
        self.code = code
    }

    /// - Parameter source: the name of the key's source, for the error.
    /// - Throws: ``CredentialStoreError`` with `wrongKey` or `damaged`.
    package func keys(
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
    package func keys(renaming known: RecordKeys) -> RecordKeys? {
        let keys = known.renamed(keyID)
        return storeID == known.storeID && keys.verifies(verifier) && isCode(of: keys) ? keys : nil
    }

    private func isCode(of keys: RecordKeys) -> Bool {
        keys.isHeaderCode(code, for: Self.content(storeID, keyID, derivation, verifier))
    }

    package static let damaged = CredentialStoreError(
        .damaged,
        "The store does not say which key opens it: its header was cut off or changed. Restore it from a backup.")
}

extension KeyDerivation {
    /// One byte for the kind; for scrypt N, r and p in eight bytes each, and the salt.
    package var encoded: [UInt8] {
        switch self {
        case .none: [0]
        case .scrypt(let parameters):
            [1] + Int64(parameters.cost).bigEndianBytes + Int64(parameters.blockSize).bigEndianBytes
                + Int64(parameters.parallelism).bigEndianBytes + parameters.salt
        }
    }

    /// - Throws: ``CredentialStoreError`` with `damaged`; also for parameters so large that trying
    ///   them would be a denial of service.
    package init(encoded bytes: [UInt8]) throws {
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

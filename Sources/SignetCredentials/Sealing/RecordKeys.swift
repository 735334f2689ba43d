import Crypto
package import Foundation

/// The keys derived from one master key, and the operations with them.
///
/// Every record is sealed with AES-256-GCM (NIST SP 800-38D) under its own key, derived by HKDF-SHA-256 (RFC 5869) from
/// the master key and the record's identifier, so that a key is used with few nonces. The kind and place of a record
/// are associated data: a record that was moved elsewhere cannot be opened.
package struct RecordKeys: Sendable {
    /// The version of the sealed format and of the tables.
    package static let schemaVersion: UInt32 = 1

    package let storeID: UUID
    package private(set) var keyID: UUID
    private let records: SymmetricKey
    private let registers: SymmetricKey
    private let indexes: SymmetricKey
    private let header: SymmetricKey

    package init(master: MasterKey, storeID: UUID, keyID: UUID) {
        self.storeID = storeID
        self.keyID = keyID
        let input = unsafe master.secret.withUnsafeBytes { unsafe SymmetricKey(data: $0) }
        func key(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.deriveKey(
                inputKeyMaterial: input, salt: storeID.bytes, info: Array("signet store \(purpose)".utf8),
                outputByteCount: 32)
        }
        records = key("records")
        registers = key("registers")
        indexes = key("indexes")
        header = key("header")
    }

    /// The same keys for data that is sealed under another identifier: data sealed under one identifier cannot be
    /// opened under the other.
    package func renamed(_ keyID: UUID) -> RecordKeys {
        var keys = self
        keys.keyID = keyID
        return keys
    }

    /// - Returns: nonce, ciphertext and tag.
    package func seal(_ fields: RecordFields, kind: RecordKind, id: UUID, revision: Int64) throws -> [UInt8] {
        var plain = fields.encoded
        defer { plain.resetBytes() }
        return try seal(
            plain, with: recordKey(id), associated: associated([kind.rawValue], id.bytes, revision.bigEndianBytes))
    }

    /// - Returns: nil when it was not sealed for this place.
    package func open(_ sealed: [UInt8], kind: RecordKind, id: UUID, revision: Int64) -> RecordFields? {
        guard
            var plain = open(
                sealed, with: recordKey(id), associated: associated([kind.rawValue], id.bytes, revision.bigEndianBytes))
        else { return nil }
        defer { plain.resetBytes() }
        return RecordFields(encoded: plain)
    }

    package func sealRegister(_ content: [UInt8], number: Int64, generation: Int64) throws -> [UInt8] {
        try seal(
            content, with: registerKey(number, generation),
            associated: associated([0], number.bigEndianBytes, generation.bigEndianBytes))
    }

    package func openRegister(_ sealed: [UInt8], number: Int64, generation: Int64) -> [UInt8]? {
        open(
            sealed, with: registerKey(number, generation),
            associated: associated([0], number.bigEndianBytes, generation.bigEndianBytes))
    }

    /// An index value for a search that does not reveal the value itself: its HMAC-SHA-256 (RFC 2104).
    ///
    /// - Parameter purpose: makes equal values with different meanings differ.
    package func blindIndex(_ kind: RecordKind, _ purpose: String, _ parts: [String]) -> [UInt8] {
        var text = RecordFields()
        for (number, part) in ([purpose] + parts).enumerated() { text[text: String(number)] = part }
        return Array(HMAC<SHA256>.authenticationCode(for: [kind.rawValue] + text.encoded, using: indexes))
    }

    package func headerCode(_ content: [UInt8]) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: content, using: header))
    }

    package func isHeaderCode(_ code: [UInt8], for content: [UInt8]) -> Bool {
        HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: content, using: header)
    }

    private static let verified = Array("This is the key.".utf8)

    /// A value that only the owner of the key can have made. It distinguishes a wrong key from a damaged file.
    package func makeVerifier() throws -> [UInt8] {
        try seal(Self.verified, with: header, associated: associated([255]))
    }

    package func verifies(_ verifier: [UInt8]) -> Bool {
        open(verifier, with: header, associated: associated([255])) == Self.verified
    }

    private func recordKey(_ id: UUID) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: records, salt: id.bytes, info: Array("record".utf8), outputByteCount: 32)
    }

    private func registerKey(_ number: Int64, _ generation: Int64) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: registers, salt: number.bigEndianBytes + generation.bigEndianBytes,
            info: Array("register".utf8), outputByteCount: 32)
    }

    /// Every part has a fixed length, so that two different lists of parts never give the same bytes.
    private func associated(_ parts: [UInt8]...) -> [UInt8] {
        parts.reduce(storeID.bytes + Self.schemaVersion.bigEndianBytes + keyID.bytes, +)
    }

    private func seal(_ plain: [UInt8], with key: SymmetricKey, associated: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(plain, using: key, nonce: AES.GCM.Nonce(), authenticating: associated)
        return Array(box.nonce) + box.ciphertext + box.tag
    }

    private func open(_ sealed: [UInt8], with key: SymmetricKey, associated: [UInt8]) -> [UInt8]? {
        guard let box = try? AES.GCM.SealedBox(combined: sealed),
            var plain = try? AES.GCM.open(box, using: key, authenticating: associated)
        else { return nil }
        defer { plain.resetBytes(in: plain.startIndex..<plain.endIndex) }
        return Array(plain)
    }
}

extension UUID {
    package var bytes: [UInt8] { unsafe withUnsafeBytes(of: uuid) { unsafe Array($0) } }

    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 16 else { return nil }
        var value = uuid_t(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
        unsafe withUnsafeMutableBytes(of: &value) { unsafe $0.copyBytes(from: bytes) }
        self.init(uuid: value)
    }
}

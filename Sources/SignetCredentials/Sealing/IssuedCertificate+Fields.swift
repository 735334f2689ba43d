import SignetTLS

extension IssuedCertificate {
    /// The content of its record.
    package var fields: RecordFields {
        var fields = RecordFields()
        fields[text: "item"] = Text.hexadecimal(certificate.serialNumber ?? [])
        fields[text: "key"] = Text.hexadecimal(certificate.publicKeySHA256 ?? [])
        fields["certificate"] = certificate.der
        fields[number: "revoked"] = revocation?.time
        fields[number: "reason"] = revocation.map { Int64($0.reason.rawValue) }
        return fields
    }

    /// - Throws: ``CredentialStoreError`` with `damaged` when the fields are not those of a certificate.
    package init(_ fields: RecordFields) throws(CredentialStoreError) {
        guard let der = fields["certificate"] else { throw .damagedCertificate }
        self.init(EncodedCertificate(der: der))
        if let time = fields[number: "revoked"] {
            let reason = fields[number: "reason"].flatMap { RevocationReason(rawValue: Int($0)) }
            revocation = .init(at: time, for: reason ?? .unspecified)
        }
    }
}

extension RecordKeys {
    package func issuedItem(_ serialNumber: [UInt8]) -> [UInt8] {
        issuedItem(Text.hexadecimal(serialNumber))
    }

    package func issuedItem(_ serialNumber: String) -> [UInt8] {
        blindIndex(.issuedCertificate, "item", [serialNumber])
    }

    package func secretItem(_ purpose: String) -> [UInt8] { blindIndex(.serverSecret, "purpose", [purpose]) }

    package func publicKeyIndex(_ sha256: String) -> [UInt8] { blindIndex(.issuedCertificate, "key", [sha256]) }
}

extension CredentialStoreError {
    package static var damagedCertificate: CredentialStoreError {
        CredentialStoreError(
            .damaged,
            "An issued certificate was changed by another program. Check the store, and restore a backup: without it, a revoked certificate may count as good."
        )
    }

    package static var damagedState: CredentialStoreError {
        CredentialStoreError(
            .damaged,
            "An account or a secret of the server was changed by another program. Check the store, and restore a backup; or remove the account, and add it anew."
        )
    }
}

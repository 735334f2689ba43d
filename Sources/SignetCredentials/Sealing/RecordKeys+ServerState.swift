import SignetTLS

/// What the records of a server's state are found by.
extension RecordKeys {
    package func accountItem(_ user: String) -> [UInt8] { blindIndex(.account, "user", [user]) }

    package func accountCertificateItem(_ sha256: [UInt8]) -> [UInt8] {
        accountCertificateItem(Text.hexadecimal(sha256))
    }

    package func accountCertificateItem(_ sha256: String) -> [UInt8] {
        blindIndex(.accountCertificate, "certificate", [sha256])
    }

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

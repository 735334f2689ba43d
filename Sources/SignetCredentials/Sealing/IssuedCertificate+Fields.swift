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

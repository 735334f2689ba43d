import SignetAuthentication
import SignetTLS

extension ServerAccount {
    /// Writes the content of its record. Fields that this version does not know stay as they are.
    package func write(into fields: inout RecordFields) {
        fields[text: "user"] = user
        fields[text: "locked"] = isLocked ? "yes" : nil
        fields[text: "hash"] = hash?.text
        fields["password"] = password?.bytes
        var number = 0
        while number < digests.count || fields["realm \(number)"] != nil {
            let digest = number < digests.count ? digests[number] : nil
            fields[text: "realm \(number)"] = digest?.realm
            fields[text: "algorithm \(number)"] = digest?.algorithm.rawValue
            fields["digest \(number)"] = digest?.value.bytes
            number += 1
        }
        let certificates = certificates.map { Text.hexadecimal($0) }.sorted()
        fields[text: "certificates"] = certificates.isEmpty ? nil : certificates.joined(separator: " ")
    }

    /// - Returns: nil when the fields are not those of an account.
    package init?(_ fields: RecordFields) {
        guard let user = fields[text: "user"] else { return nil }
        self.init(user)
        isLocked = fields[text: "locked"] != nil
        if let text = fields[text: "hash"] {
            guard let hash = PasswordHash(text) else { return nil }
            self.hash = hash
        }
        password = fields["password"].map { SecretBytes($0) }
        while let realm = fields[text: "realm \(digests.count)"] {
            guard let name = fields[text: "algorithm \(digests.count)"],
                let algorithm = DigestAlgorithm(rawValue: name),
                let value = fields["digest \(digests.count)"]
            else { return nil }
            digests.append(.init(realm: realm, algorithm: algorithm, value: SecretBytes(value)))
        }
        for text in (fields[text: "certificates"] ?? "").split(separator: " ") {
            guard let certificate = Text.bytes(hexadecimal: String(text)) else { return nil }
            certificates.insert(certificate)
        }
    }
}

import SwiftASN1

extension TrustPolicy {
    /// How strictly certificates are read. The rules against forgery are the same in both profiles.
    public enum Profile: Sendable, Hashable, CaseIterable {
        /// The rules that public authorities follow (RFC 5280 and the CA/B Baseline Requirements), for the trust
        /// anchors of the operating system.
        case webPKI
        /// The rules for certificates that companies, devices and laboratories issue, for example with OpenSSL or
        /// Active Directory Certificate Services, for trust anchors that the user chose.
        case privateAuthority
    }
}

/// A rule that only one profile has.
struct ProfileRule: Sendable {
    /// Where a certificate stands in a path.
    enum Place: Sendable { case leaf, intermediate, anchor }

    let rule: TrustError.Rule
    let places: Set<Place>
    /// What is wrong, as the end of the sentence “The certificate …”; nil when nothing is wrong.
    let complaint: @Sendable (CertificateContent) throws -> String?

    private init(
        _ rule: TrustError.Rule, _ places: Set<Place>,
        _ complaint: @escaping @Sendable (CertificateContent) throws -> String?
    ) {
        self.rule = rule
        self.places = places
        self.complaint = complaint
    }

    static func all(of profile: TrustPolicy.Profile) -> [ProfileRule] {
        switch profile {
        case .webPKI: webPKI
        case .privateAuthority: []
        }
    }

    /// Few rules apply to trust anchors, of which only name and key count (RFC 5280 §6.1.1 d): operating systems have
    /// some that break most of these rules.
    private static let webPKI: [ProfileRule] = [
        ProfileRule(.serialNumber, [.leaf, .intermediate]) {
            let digits = $0.serialNumber.drop { $0 == 0 }
            if digits.isEmpty { return "has the serial number zero" }
            return digits.count > 20 ? "has a serial number of more than 20 octets" : nil
        },
        ProfileRule(.keyIdentifiers, [.leaf, .intermediate]) {
            try $0.authorityKeyIdentifier() == nil ? "lacks an authorityKeyIdentifier with a key identifier" : nil
        },
        ProfileRule(.keyIdentifiers, [.intermediate]) {
            try $0.subjectKeyIdentifier() == nil ? "lacks a subjectKeyIdentifier" : nil
        },
        ProfileRule(.criticality, [.leaf, .intermediate, .anchor]) { content in
            for (identifier, name) in [
                (.subjectKeyIdentifier, "subjectKeyIdentifier"), (.authorityKeyIdentifier, "authorityKeyIdentifier"),
                (.authorityInformationAccess, "authorityInfoAccess"),
            ] as [(ASN1ObjectIdentifier, String)] where content.isCritical(identifier) == true {
                return "has a critical \(name), which must not be"
            }
            return content.isCritical(.policyConstraints) == false ? "has policyConstraints that are not critical" : nil
        },
        ProfileRule(.criticality, [.intermediate]) {
            $0.isCritical(.basicConstraints) == false ? "has basicConstraints that are not critical" : nil
        },
        ProfileRule(.criticality, [.leaf]) { content in
            if content.isCritical(.extendedKeyUsage) == true {
                return "has a critical extendedKeyUsage, which must not be"
            }
            guard let isCritical = content.isCritical(.subjectAltName), isCritical != content.subject.isEmpty else {
                return nil
            }
            return isCritical
                ? "has a critical subjectAltName although it has a subject"
                : "has a subjectAltName that is not critical and no subject"
        },
        ProfileRule(.extendedKeyUsage, [.leaf]) {
            guard let purposes = try $0.extendedKeyUsage() else { return "has no extendedKeyUsage" }
            return purposes.contains(.anyExtendedKeyUsage) ? "is for any purpose (extendedKeyUsage)" : nil
        },
        ProfileRule(.extendedKeyUsage, [.anchor]) {
            $0.isCritical(.extendedKeyUsage) != nil ? "is a root with an extendedKeyUsage" : nil
        },
        ProfileRule(.endEntity, [.leaf]) {
            try $0.keyUsage()?.certificateSigning == true ? "is a peer's own and may sign certificates (keyUsage)" : nil
        },
        ProfileRule(.nameForms, [.leaf]) {
            for case .dns(let name) in try $0.subjectAltNames()
            where name.contains("_") || !DNSName.isHost(name) && DNSName.wildcardBase(name) == nil {
                return
                    "has “\(DistinguishedName.printable(name))” in its subjectAltName, neither a host nor a wildcard over two labels"
            }
            return nil
        },
        ProfileRule(.nameForms, [.intermediate, .anchor]) {
            guard let constraints = try $0.nameConstraints() else { return nil }
            for case .dns(let name) in constraints.permitted + constraints.excluded where name.hasPrefix(".") {
                return "constrains names to “\(DistinguishedName.printable(name))”; no dot may lead"
            }
            return nil
        },
        ProfileRule(.keySize, [.leaf, .intermediate, .anchor]) {
            guard let bits = PublicKey.modulusBits(publicKeyInfo: $0.publicKeyInfo), !bits.isMultiple(of: 8) else {
                return nil
            }
            return "has an RSA key of \(bits) bits, which are no whole bytes"
        },
    ]
}

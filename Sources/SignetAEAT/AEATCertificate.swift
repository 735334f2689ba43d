public import SignetTLS

/// The kinds of certificate holders that the Spanish tax agency (AEAT) tells apart.
public enum AEATCertificate: Sendable, Hashable, CaseIterable {
    /// The certificate of a person, also of a person who represents an entity.
    case person
    /// The certificate of an entity itself: a seal (certificado de sello).
    case seal

    /// The kind that a certificate states; nil when it states no kind, or both.
    ///
    /// Qualified certificates name their type: for electronic signatures, which persons make, or for seals (ETSI EN 319
    /// 412-5 §4.2.3). Certificates without such a type, and some with one, name a policy: those of ETSI EN 319 411-2
    /// §5.3 for natural (QCP-n) and legal persons (QCP-l), and the Spanish ones below 2.16.724.1.3.5 (*Perfiles de
    /// certificados electrónicos*). Policies that an authority has defined for itself are not recognized.
    public init?(_ certificate: EncodedCertificate) {
        // Extensions that cannot be read may state a kind.
        guard let types = certificate.qualifiedTypes, let policies = certificate.policies else { return nil }
        let kinds = Set((types + policies).compactMap { Self.identifiers[$0] })
        guard kinds.count == 1, let kind = kinds.first else { return nil }
        self = kind
    }

    private static let identifiers: [String: AEATCertificate] = [
        // id-etsi-qct-esign, id-etsi-qct-eseal
        "0.4.0.1862.1.6.1": .person, "0.4.0.1862.1.6.2": .seal,
        // QCP-n, QCP-l, and the two with the key in a device
        "0.4.0.194112.1.0": .person, "0.4.0.194112.1.1": .seal, "0.4.0.194112.1.2": .person, "0.4.0.194112.1.3": .seal,
        // seals of administrations, of two editions, each with high and medium level
        "2.16.724.1.3.5.2.1": .seal, "2.16.724.1.3.5.2.2": .seal, "2.16.724.1.3.5.6.1": .seal,
        "2.16.724.1.3.5.6.2": .seal,
        // public employees, with a pseudonym and without
        "2.16.724.1.3.5.4.1": .person, "2.16.724.1.3.5.4.2": .person, "2.16.724.1.3.5.7.1": .person,
        "2.16.724.1.3.5.7.2": .person,
        // a person who represents a legal person
        "2.16.724.1.3.5.8": .person,
    ]
}

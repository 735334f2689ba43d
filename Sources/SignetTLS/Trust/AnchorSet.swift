/// Trust anchors, indexed by their subjects.
struct AnchorSet: Sendable, Hashable {
    private(set) var bySubject: [DistinguishedName: [EncodedCertificate]] = [:]

    init(_ certificates: [EncodedCertificate] = []) { add(certificates) }

    mutating func add(_ certificates: [EncodedCertificate]) {
        for certificate in certificates {
            // A certificate that cannot be read cannot be a trust anchor.
            guard let subject = certificate.content?.subject, !contains(certificate) else { continue }
            bySubject[subject, default: []].append(certificate)
        }
    }

    var isEmpty: Bool { bySubject.isEmpty }

    func contains(_ certificate: EncodedCertificate) -> Bool {
        guard let subject = certificate.content?.subject else { return false }
        return bySubject[subject]?.contains(certificate) ?? false
    }
}

package import SignetTLS
import Synchronization

/// What is looked for among the identities of the Keychain.
package enum KeychainIdentityQuery: Sendable, Hashable {
    /// `kSecAttrLabel` and `kSecAttrAccessGroup`; what is nil narrows nothing down.
    case attributes(label: String?, accessGroup: String?)
    /// `kSecValuePersistentRef`, which the Keychain takes beside no attribute.
    case reference([UInt8])

    fileprivate var name: String {
        switch self {
        case .attributes(let label?, _): "identity “\(label)” of the Keychain"
        case .attributes(nil, _): "identity of the Keychain"
        case .reference: "identity of the Keychain with the persistent reference given"
        }
    }

    /// Whether `found` is what was asked for. The Keychain does not always look at both attributes: that of macOS that
    /// is kept in files knows no access groups.
    fileprivate func matches(_ found: FoundIdentity) -> Bool {
        switch self {
        case .attributes(let label, let accessGroup):
            (label == nil || label == found.label) && (accessGroup == nil || accessGroup == found.accessGroup)
        case .reference: true
        }
    }
}

/// An identity that was found in the Keychain, whose key was not touched yet.
package struct FoundIdentity: Sendable {
    /// Its own certificate.
    package let certificate: EncodedCertificate
    /// `kSecAttrLabel` and `kSecAttrAccessGroup`; nil where the Keychain tells none.
    package let label, accessGroup: String?
    /// Makes the identity, with the issuers that are sent with it.
    package let make: @Sendable (_ issuers: [EncodedCertificate]) throws(IdentityError) -> Identity

    package init(
        _ certificate: EncodedCertificate, label: String?, accessGroup: String?,
        make: @escaping @Sendable (_ issuers: [EncodedCertificate]) throws(IdentityError) -> Identity
    ) {
        (self.certificate, self.label, self.accessGroup, self.make) = (certificate, label, accessGroup, make)
    }
}

/// The call of Apple's Keychain Services that finds identities. What stands behind it on Apple's systems only translates names.
package protocol KeychainIdentityCalls: Sendable {
    /// `SecItemCopyMatching` for all items of `kSecClassIdentity` that match, and perhaps for others. It may block.
    func identities(_ query: KeychainIdentityQuery) -> (status: Int32, found: [FoundIdentity])
}

extension IdentitySource {
    /// The Keychain is searched each time; the identity made last is given again as long as the certificate found is
    /// the same and its key may be used again.
    ///
    /// - Throws when it is asked: ``IdentityStoreError`` with `notFound`; ``CredentialStoreError`` with `ambiguous`, and when the
    ///   Keychain does not answer; `IdentityError` when the key cannot be used.
    package static func keychain(
        _ query: KeychainIdentityQuery, _ calls: any KeychainIdentityCalls, issuers: [EncodedCertificate],
        where isWanted: @escaping @Sendable (EncodedCertificate) -> Bool
    ) -> IdentitySource {
        let name = query.name
        let queue = BlockingQueue("KeychainIdentities")
        let last = Mutex<Identity?>(nil)
        return IdentitySource(description: name) {
            try await queue.run {
                // Given up before the search, which may fail: what was away, such as a card, comes back with another
                // reference to its key.
                let kept = last.withLock { $0.take() }
                let (status, found) = calls.identities(query)
                guard [KeychainStatus.success, KeychainStatus.itemNotFound].contains(status) else {
                    throw KeychainStatus.error(status, "look for the \(name)")
                }
                let matching = found.filter(query.matches)
                // An identity can stand in several places of the Keychain.
                var seen: Set<EncodedCertificate> = []
                let wanted = matching.filter { isWanted($0.certificate) && seen.insert($0.certificate).inserted }
                guard let first = wanted.first else {
                    throw IdentityStoreError(
                        .notFound,
                        """
                        There is no \(name) that is wanted: the Keychain answered with \(found.count), of which \
                        \(matching.count) have the attributes asked for. Install it, or look for another.
                        """)
                }
                guard wanted.count == 1 else {
                    throw CredentialStoreError(
                        .ambiguous,
                        "The Keychain has several identities that are wanted: \(wanted.map(\.certificate.subject).joined(separator: "; ")). Say which, by its reference or its certificate."
                    )
                }
                // To make one asks the system for the key, its public half, and what it can sign with.
                let identity =
                    if let kept, kept.leaf == first.certificate, kept.keychainKey?.isReusable == true { kept } else {
                        try first.make(issuers)
                    }
                last.withLock { $0 = identity }
                return identity
            }
        }
    }
}

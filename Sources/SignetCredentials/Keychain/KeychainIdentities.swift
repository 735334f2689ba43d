package import SignetTLS
import Synchronization

/// Which identities of the Keychain to look for.
package enum KeychainIdentityQuery: Sendable, Hashable {
    /// `kSecAttrLabel` and `kSecAttrAccessGroup`; nil matches anything.
    case attributes(label: String?, accessGroup: String?)
    /// `kSecValuePersistentRef`, which the Keychain accepts only without attributes.
    case reference([UInt8])

    fileprivate var name: String {
        switch self {
        case .attributes(let label?, _): "identity “\(label)” of the Keychain"
        case .attributes(nil, _): "identity of the Keychain"
        case .reference: "identity of the Keychain with the persistent reference given"
        }
    }

    /// Whether `found` matches the query. The Keychain does not always check both attributes: macOS's file-based
    /// Keychain has no access groups.
    fileprivate func matches(_ found: FoundIdentity) -> Bool {
        switch self {
        case .attributes(let label, let accessGroup):
            (label == nil || label == found.label) && (accessGroup == nil || accessGroup == found.accessGroup)
        case .reference: true
        }
    }
}

/// An identity that was found in the Keychain, whose key has not been used yet.
package struct FoundIdentity: Sendable {
    /// Its own certificate.
    package let certificate: EncodedCertificate
    /// `kSecAttrLabel` and `kSecAttrAccessGroup`; nil when the Keychain does not return them.
    package let label, accessGroup: String?
    /// Makes the identity, with the issuers' certificates that are sent with it.
    package let make: @Sendable (_ issuers: [EncodedCertificate]) throws(IdentityError) -> Identity

    package init(
        _ certificate: EncodedCertificate, label: String?, accessGroup: String?,
        make: @escaping @Sendable (_ issuers: [EncodedCertificate]) throws(IdentityError) -> Identity
    ) {
        (self.certificate, self.label, self.accessGroup, self.make) = (certificate, label, accessGroup, make)
    }
}

/// The call of Apple's Keychain Services that finds identities. The implementation on Apple's systems only translates
/// names.
package protocol KeychainIdentityCalls: Sendable {
    /// `SecItemCopyMatching` for all items of `kSecClassIdentity` that match; the result may include others. It may
    /// block.
    func identities(_ query: KeychainIdentityQuery) -> (status: Int32, found: [FoundIdentity])
}

extension IdentitySource {
    /// The Keychain is searched each time. The last identity is returned again if the same certificate was found and
    /// its key may be used again.
    ///
    /// - Throws: each lookup: ``IdentityStoreError`` with `notFound`; ``CredentialStoreError`` with `ambiguous`, and
    ///   when the Keychain does not answer; `IdentityError` when the key cannot be used.
    package static func keychain(
        _ query: KeychainIdentityQuery, _ calls: any KeychainIdentityCalls, issuers: [EncodedCertificate],
        where isWanted: @escaping @Sendable (EncodedCertificate) -> Bool
    ) -> IdentitySource {
        let name = query.name
        let queue = BlockingQueue("KeychainIdentities")
        let last = Mutex<Identity?>(nil)
        return IdentitySource(description: name) {
            try await queue.run {
                // The last identity is forgotten before the search, which may fail: after a card was removed and
                // inserted, its key has another reference.
                let kept = last.withLock { $0.take() }
                let (status, found) = calls.identities(query)
                guard [KeychainStatus.success, KeychainStatus.itemNotFound].contains(status) else {
                    throw KeychainStatus.error(status, "look for the \(name)")
                }
                let matching = found.filter(query.matches)
                // The Keychain may have an identity in several places.
                var seen: Set<EncodedCertificate> = []
                let wanted = matching.filter { isWanted($0.certificate) && seen.insert($0.certificate).inserted }
                guard let first = wanted.first else {
                    throw IdentityStoreError(
                        .notFound,
                        """
                        There is no \(name) that is accepted: the Keychain answered with \(found.count), of which \
                        \(matching.count) have the attributes asked for. Install it, or look for another.
                        """)
                }
                guard wanted.count == 1 else {
                    throw CredentialStoreError(
                        .ambiguous,
                        "The Keychain has several identities that are accepted: \(wanted.map(\.certificate.subject).joined(separator: "; ")). Say which, by its reference or its certificate."
                    )
                }
                // Making it asks the system for the key, its public half, and its algorithms.
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

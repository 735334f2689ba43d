#if SQLite
import SignetAuthentication
import SignetCredentials

extension RecordKeys {
    /// The index values of a record, made from its content; nil when the content lacks a part.
    func indexes(_ kind: RecordKind, _ fields: RecordFields) -> StoreTransaction.Indexes? {
        switch kind {
        case .credential: StoredCredential(fields).map { indexes($0.key) }
        case .identity: fields[text: "label"].map { .init(item: identityIndex(label: $0)) }
        case .receivedIdentity: fields[text: "label"].map { .init(item: receivedIdentityIndex(label: $0)) }
        case .exception: fields[text: "item"].map { .init(item: blindIndex(.exception, "item", [$0])) }
        case .account: fields[text: "user"].map { .init(item: accountItem($0)) }
        case .accountCertificate: fields[text: "certificate"].map { .init(item: accountCertificateItem($0)) }
        case .serverSecret: fields[text: "purpose"].map { .init(item: secretItem($0)) }
        case .issuedCertificate:
            fields[text: "item"].map {
                .init(item: issuedItem($0), space: publicKeyIndex(fields[text: "key"] ?? ""))
            }
        }
    }

    func indexes(_ key: CredentialKey) -> StoreTransaction.Indexes {
        .init(
            item: itemIndex(key), space: spaceIndex(key.space), host: hostIndex(key.space.host),
            account: accountIndex(key.account))
    }

    func itemIndex(_ key: CredentialKey) -> [UInt8] {
        // A scheme is never empty, so the empty text can stand for any scheme.
        blindIndex(.credential, "item", Self.parts(key.space) + [key.path, key.scheme ?? "", key.account])
    }

    func spaceIndex(_ space: ProtectionSpace) -> [UInt8] { blindIndex(.credential, "space", Self.parts(space)) }
    func hostIndex(_ host: String) -> [UInt8] { blindIndex(.credential, "host", [host.lowercased()]) }
    func accountIndex(_ account: String) -> [UInt8] { blindIndex(.credential, "account", [account]) }
    func identityIndex(label: String) -> [UInt8] { blindIndex(.identity, "label", [label]) }

    func receivedIdentityIndex(label: String) -> [UInt8] { blindIndex(.receivedIdentity, "label", [label]) }

    private static func parts(_ space: ProtectionSpace) -> [String] {
        [space.isProxy ? "proxy" : "origin", space.scheme, space.host, String(space.port), space.realm]
    }
}
#endif

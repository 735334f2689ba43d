public import SignetTLS

/// Keeps identities with their chains in the Keychain of Apple's systems. Each label has one generic password, whose
/// secret is a PKCS#12 file with its password.
///
/// An identity whose key never leaves the Secure Enclave or a card cannot be stored here: look it up with
/// `IdentitySource.keychain(label:accessGroup:issuers:where:)`.
public struct KeychainIdentityStore: IdentityStore {
    /// Distinguishes the items of this store from other generic passwords of the program (`kSecAttrService`).
    public static let service = "signet.identity"
    /// The longest label, in bytes of UTF-8.
    public static let maximumLabelBytes = 4096

    private let calls: any KeychainCalls
    private let accessGroup: String?
    private let accessibility: KeychainAccessibility
    private let queue = BlockingQueue("KeychainIdentityStore")

    package init(calls: any KeychainCalls, accessGroup: String?, accessibility: KeychainAccessibility) {
        self.calls = calls
        self.accessGroup = accessGroup
        self.accessibility = accessibility
    }

    /// - Throws: ``IdentityStoreError`` with `damaged` for an item that another program has written;
    ///   ``CredentialStoreError`` when the Keychain does not return the item.
    public func identity(label: String) async throws -> Identity? {
        let secret: SecretBytes? = try await queue.run {
            guard let item = try stored(label) else { return nil }
            let (status, items) = calls.copyMatching(item, limit: .one, returning: .data)
            if status == KeychainStatus.itemNotFound { return nil }
            guard status == KeychainStatus.success, let secret = items.first?[.data]?.secret else {
                throw KeychainStatus.error(status, "read the identity “\(label)”")
            }
            return secret
        }
        guard let secret else { return nil }
        let bytes = secret.bytes
        guard bytes.count > Self.passwordBytes,
            let identity = try? Identity(
                pkcs12: Array(bytes.dropFirst(Self.passwordBytes)),
                password: String(decoding: bytes.prefix(Self.passwordBytes), as: UTF8.self))
        else {
            throw IdentityStoreError(
                .damaged,
                "What the Keychain has for the identity “\(label)” was not written by this store. Store it anew.")
        }
        return identity
    }

    /// - Throws: ``IdentityStoreError`` with `invalidLabel`; `IdentityError` with `cannotWrite` for a key that stays in
    ///   its device; ``CredentialStoreError`` when the Keychain does not accept the item.
    public func store(_ identity: Identity, label: String) async throws {
        guard (1...Self.maximumLabelBytes).contains(label.utf8.count) else {
            throw IdentityStoreError(
                .invalidLabel,
                "A label has 1 to \(Self.maximumLabelBytes) bytes; this one has \(label.utf8.count). Choose another one."
            )
        }
        // The Keychain encrypts the item. The format requires this password, which is as strong as a key.
        let password = Self.makePassword()
        let file = try identity.pkcs12(password: password, label: label, iterations: 1)
        let secret = SecretBytes(Array(password.utf8) + file)
        try await queue.run {
            let status: Int32
            if let item = try stored(label) {
                status = calls.update(item, [.data: .secret(secret)])
            } else {
                var item = key(label)
                item[.accessibility] = .accessibility(accessibility)
                item[.label] = .text(label)
                item[.data] = .secret(secret)
                status = calls.add(item)
            }
            guard status == KeychainStatus.success else {
                throw KeychainStatus.error(status, "keep the identity “\(label)”")
            }
        }
    }

    public func remove(label: String) async throws {
        try await queue.run {
            guard let item = try stored(label) else { return }
            let status = calls.delete(item)
            guard [KeychainStatus.success, KeychainStatus.itemNotFound].contains(status) else {
                throw KeychainStatus.error(status, "remove the identity “\(label)”")
            }
        }
    }

    public func labels() async throws -> [String] {
        try await queue.run { Set(try matching(key(nil)).compactMap { $0[.account]?.text }).sorted() }
    }

    /// The primary key of the one item for a label; nil when there is none.
    private func stored(_ label: String) throws -> KeychainItem? {
        let found = try matching(key(label))
        let groups = Set(found.compactMap { $0[.accessGroup]?.text }).sorted()
        guard groups.count <= 1 else {
            throw CredentialStoreError(
                .ambiguous,
                "The Keychain has several identities “\(label)”, in the access groups \(groups.joined(separator: ", ")). Name the group when the store is made."
            )
        }
        return found.first.map { item in
            var key = key(label)
            key[.accessGroup] = item[.accessGroup]
            return key
        }
    }

    private func matching(_ query: KeychainItem) throws -> [KeychainItem] {
        let (status, items) = calls.copyMatching(query, limit: .all, returning: .attributes)
        if status == KeychainStatus.itemNotFound { return [] }
        guard status == KeychainStatus.success else { throw KeychainStatus.error(status, "look for identities") }
        return items
    }

    private func key(_ label: String?) -> KeychainItem {
        var item: KeychainItem = [.service: .text(Self.service)]
        item[.account] = label.map { .text($0) }
        item[.accessGroup] = accessGroup.map { .text($0) }
        return item
    }

    private static let passwordBytes = 64

    private static func makePassword() -> String {
        let digits = Array("0123456789abcdef")
        var random = SystemRandomNumberGenerator()
        return String((0..<passwordBytes).compactMap { _ in digits.randomElement(using: &random) })
    }
}

extension KeychainIdentityStore: CustomStringConvertible, CustomReflectable {
    public var description: String { "KeychainIdentityStore(\(accessGroup ?? "default access group"))" }
    public var customMirror: Mirror { Mirror(self, children: ["accessGroup": accessGroup as Any]) }
}

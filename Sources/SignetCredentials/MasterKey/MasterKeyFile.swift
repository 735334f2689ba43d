/// Reads the master key from a file that only its owner can read, and that is not in the folder of the store.
public struct MasterKeyFile: MasterKeyProvider {
    /// The file with the key: 32 bytes, or their hexadecimal or Base64 text.
    public let path: String
    /// Whether the key may be in the folder of the store, where one copy of the folder contains both.
    public let isAllowedBesideStore: Bool

    /// - Parameters:
    ///   - path: the file with the key: 32 bytes, or their hexadecimal or Base64 text.
    ///   - isAllowedBesideStore: whether the key may be in the folder of the store. A thief of that folder, or of a
    ///     backup of it, then has both.
    public init(path: String, isAllowedBesideStore: Bool = false) {
        self.path = path
        self.isAllowedBesideStore = isAllowedBesideStore
    }

    /// Creates a file with a new key, mode 0600. The folder must exist.
    ///
    /// - Throws: ``CredentialStoreError`` with `alreadyThere` when the file exists: overwriting a
    ///   key would lose it, and everything sealed with it.
    public static func create(path: String) throws -> MasterKeyFile {
        var content = MasterKey.random().fileContent
        defer { content.resetBytes() }
        guard try PrivateFile.create(path, content) else {
            throw CredentialStoreError(.alreadyThere, "There is a file “\(path)” already; it was left as it is.")
        }
        return MasterKeyFile(path: path)
    }

    public var name: String { "the key file “\(path)”" }

    public func masterKey(for request: MasterKeyRequest) throws -> MasterKey {
        if !isAllowedBesideStore,
            PrivateFile.isSameFolder(PrivateFile.folder(of: path), PrivateFile.folder(of: request.path))
        {
            throw CredentialStoreError(
                .keyUnavailable,
                """
                The key file “\(path)” lies beside the store that it opens, so that a copy of the folder is a copy of every \
                secret. Move it elsewhere, or allow it expressly.
                """)
        }
        guard let content = try PrivateFile.read(path, maximum: 256) else {
            throw CredentialStoreError(
                .keyUnavailable, "There is no key file “\(path)”. Name the one that the store was made with.")
        }
        return try MasterKey(encoded: content, source: "The file “\(path)”")
    }
}

/// Reads the master key from a credential that systemd gives to the service (`LoadCredentialEncrypted=`).
public struct SystemdCredential: MasterKeyProvider {
    private let credential: String
    private let environment: @Sendable (String) -> String?

    /// - Parameter name: the name of the credential in the unit.
    public init(name: String) { self.init(name: name, environment: ProcessEnvironment.value) }

    init(name: String, environment: @escaping @Sendable (String) -> String?) {
        credential = name
        self.environment = environment
    }

    public var name: String { "the systemd credential “\(credential)”" }

    public func masterKey(for request: MasterKeyRequest) throws -> MasterKey {
        guard !credential.isEmpty, !credential.hasPrefix("."), !credential.contains("/") else {
            throw CredentialStoreError(.keyUnavailable, "“\(credential)” is not the name of a systemd credential.")
        }
        guard let folder = environment("CREDENTIALS_DIRECTORY"), folder.hasPrefix("/") else {
            throw CredentialStoreError(
                .keyUnavailable,
                """
                systemd has given this process no credentials: CREDENTIALS_DIRECTORY is not set. Add \
                LoadCredentialEncrypted=\(credential) to the unit and start it by systemctl.
                """)
        }
        let path = "\(folder)/\(credential)"
        // systemd may own the file as the superuser and give the service access by an access control list, which
        // appears in the group's bits.
        guard let content = try PrivateFile.read(path, maximum: 256, absent: 0o027, isRootAllowed: true) else {
            throw CredentialStoreError(
                .keyUnavailable, "systemd has given this process no credential “\(credential)”. Add it to the unit.")
        }
        return try MasterKey(encoded: content, source: "The systemd credential “\(credential)”")
    }
}

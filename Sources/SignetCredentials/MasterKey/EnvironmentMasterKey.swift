/// Reads the master key from an environment variable, in hexadecimal or Base64.
///
/// Other processes of the same user can read the environment of a process, its children inherit it, and crash reports
/// show it: a key file or a systemd credential is better. The warning says so each time.
public struct EnvironmentMasterKey: MasterKeyProvider {
    private let variable: String
    private let warn: @Sendable (String) -> Void
    private let environment: @Sendable (String) -> String?

    /// - Parameters:
    ///   - variable: the name of the environment variable.
    ///   - warn: gets a message for a log, that the key came from the environment.
    public init(variable: String, warn: @escaping @Sendable (String) -> Void) {
        self.init(variable: variable, warn: warn, environment: ProcessEnvironment.value)
    }

    init(
        variable: String, warn: @escaping @Sendable (String) -> Void,
        environment: @escaping @Sendable (String) -> String?
    ) {
        self.variable = variable
        self.warn = warn
        self.environment = environment
    }

    public var name: String { "the environment variable \(variable)" }

    public func masterKey(for request: MasterKeyRequest) throws -> MasterKey {
        guard let text = environment(variable), !text.isEmpty else {
            throw CredentialStoreError(.keyUnavailable, "The environment variable \(variable) with the key is not set.")
        }
        let key = try MasterKey(
            encoded: SecretBytes(MasterKey.decode(text)?.bytes ?? []), source: "The environment variable \(variable)")
        warn(
            "The master key of “\(request.path)” came from the environment variable \(variable), which other processes of this user can read."
        )
        return key
    }
}

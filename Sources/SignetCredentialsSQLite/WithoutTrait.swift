#if !SQLite
/// Replaces the store when the trait is missing, so that the compiler says what to do.
@available(
    *, unavailable,
    message:
        "SignetCredentialsSQLite needs Signet's trait SQLite: name it in the manifest, .package(url: …, traits: [\"SQLite\"])."
)
public enum EncryptedDatabase: Sendable {}
#endif

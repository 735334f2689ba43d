#if !Server
/// Replaces the configuration when the trait is missing, so that the compiler says what to do.
@available(
    *, unavailable,
    message:
        "SignetServerConfiguration needs Signet's trait Server: name it in the manifest, .package(url: …, traits: [\"Server\"])."
)
public enum ServerConfiguration: Sendable {}
#endif

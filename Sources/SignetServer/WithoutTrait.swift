#if !Server
/// Replaces the server when the trait is missing, so that the compiler says what to do.
@available(
    *, unavailable,
    message:
        "SignetServer needs Signet's trait Server: name it in the manifest, .package(url: …, traits: [\"Server\"])."
)
public enum SOAPServer: Sendable {}
#endif

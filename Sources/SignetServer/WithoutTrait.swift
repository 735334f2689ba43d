#if !Server
/// Stands in the place of the server where the trait is missing, so that the compiler says what to do.
@available(
    *, unavailable,
    message:
        "SignetServer needs Signet's trait Server: name it in the manifest, .package(url: …, traits: [\"Server\"])."
)
public enum SOAPServer: Sendable {}
#endif

#if !Observability
public import SignetSOAP

// These declarations replace the middlewares when the trait is missing, so that the compiler says what to do.

/// Records metrics of calls where the trait `Observability` is on; without it a use of the name does not compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum MetricsMiddleware: Sendable {}

/// Records how long identities are valid where the trait `Observability` is on; without it a use of the name does not
/// compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum IdentityMetrics: Sendable {}

/// Records spans of calls where the trait `Observability` is on; without it a use of the name does not compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum TracingMiddleware: Sendable {}

/// Logs calls where the trait `Observability` is on; without it a use of the name does not compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum LoggingMiddleware: Sendable {}

/// Tells events of calls where the trait `Observability` is on; without it a use of the name does not compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum ServiceWatch: Sendable {}

/// An event of calls where the trait `Observability` is on; without it a use of the name does not compile.
@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum ServiceEvent: Sendable {}

extension CallSettings {
    /// Adds the middlewares of a client where the trait `Observability` is on; without it a call does not compile.
    @available(
        *, unavailable,
        message:
            "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
    )
    public mutating func observe() {}
}

extension ServiceDispatcher {
    /// Adds the middlewares of a service where the trait `Observability` is on; without it a call does not compile.
    @available(
        *, unavailable,
        message:
            "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
    )
    public mutating func observe() {}
}
#endif

#if !Observability
public import SignetSOAP

// They stand in the place of the middlewares where the trait is missing, so that the compiler says what to do.

@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum MetricsMiddleware: Sendable {}

@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum TracingMiddleware: Sendable {}

@available(
    *, unavailable,
    message:
        "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
)
public enum LoggingMiddleware: Sendable {}

extension CallSettings {
    @available(
        *, unavailable,
        message:
            "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
    )
    public mutating func observe() {}
}

extension ServiceDispatcher {
    @available(
        *, unavailable,
        message:
            "SignetObservability needs Signet's trait Observability: name it as in .package(url: …, traits: [\"Observability\"])."
    )
    public mutating func observe() {}
}
#endif

#if Observability
public import Metrics
public import SignetSOAP

/// Counts and times the calls of a client and the requests of a service, and reports them to the metrics system that
/// the program has chosen (SwiftMetrics).
///
/// ```swift
/// MetricsSystem.bootstrap(metrics)                    // once in a program
/// service.calls.observe(tracing: nil)                 // a client: MetricsMiddleware is among what it sets
/// dispatcher.observe(tracing: nil)                    // a service
/// ```
///
/// Placed before a `RetryMiddleware`, it counts a call once and its retries separately; placed after one, it counts
/// each attempt as a call. The names of the metrics and of their dimensions are in one table, in
/// the article Observability. Each dimension has a bounded number of values: names from the WSDL, codes, types of
/// errors, origins that a client was made for. No value comes from a message.
public struct MetricsMiddleware: Sendable, Observer {
    var isByObserve = false
    private let service: String
    private let factory: (any MetricsFactory)?
    /// Seconds since 1970.
    private let now: @Sendable () -> Int64

    /// - Parameters:
    ///   - service: for a client, the value of the dimension `service`, which distinguishes services whose operations
    ///     have the same names. For a service it is `ServiceDispatcher/name`.
    ///   - factory: makes the metrics. When nil, the factory of `MetricsSystem` at the time of each call makes them.
    public init(service: String = "", factory: (any MetricsFactory)? = nil) {
        self.init(service: service, factory: factory, now: { .now })
    }

    init(service: String, factory: (any MetricsFactory)?, now: @escaping @Sendable () -> Int64) {
        self.service = service
        self.factory = factory
        self.now = now
    }

    /// Records how many connections a client has now, if its transport knows: the connections to all origins, of all
    /// clients that share the transport. Call it as often as the metrics are collected.
    ///
    /// ```swift
    /// metrics.recordConnections(of: client.caller)
    /// ```
    public func recordConnections(of caller: ServiceCaller) {
        guard let counts = caller.transport.connectionCounts else { return }
        let metrics = recording(service)
        for (state, count) in [("lent", counts.lent), ("idle", counts.idle), ("opening", counts.opening)] {
            metrics.set("signet.client.pool.connections", [("state", state)], count)
        }
        metrics.set("signet.client.pool.waiting", [], counts.waiting)
    }

    private func recording(_ service: String) -> Recording {
        Recording(factory: factory ?? MetricsSystem.factory, service: service)
    }
}

extension MetricsMiddleware: CallMiddleware {
    public func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        try await ObservedCall.run(call, next) { observed in
            let metrics = recording(service)
            metrics.ended("signet.client.calls", "signet.client.call.duration", observed)
            let operation = Dimension("operation", call.operation)
            metrics.count("signet.client.retries", [operation], observed.attempts - 1)
            metrics.count(
                "signet.client.authentication.legs", [operation],
                observed.exchanges.reduce(0) { $0 + max(0, $1.report.legs.count - 1) })
            for exchange in observed.exchanges { record(exchange, metrics) }
        }
    }

    private func record(_ exchange: ExchangeOutcome, _ metrics: Recording) {
        let connection = exchange.report.connection
        let server = Dimension("server", "\(exchange.endpoint.origin)")
        // A transport that reports no connections leaves the number 0.
        if connection.number != 0, !connection.reused {
            let dimensions = [server, ("tls", connection.tls?.version ?? "none")]
            metrics.count("signet.client.connections", dimensions, 1)
            metrics.time("signet.client.connection.duration", dimensions, connection.establishment)
        }
        for (owner, end) in [
            ("server", connection.tls?.notAfter), ("client", connection.tls?.clientCertificateNotAfter),
        ] {
            guard let end else { continue }
            let (left, overflow) = end.subtractingReportingOverflow(now())
            if !overflow { metrics.set("signet.client.certificate.remaining", [server, ("owner", owner)], left) }
        }
    }
}

extension MetricsMiddleware: ServiceMiddleware {
    public func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer {
        try await ObservedRequest.run(context, next) {
            recording(context.service).ended("signet.server.requests", "signet.server.request.duration", $0)
        }
    }
}

private typealias Dimension = (String, String)

/// Writes metrics. A name always has the same dimensions, because some metrics systems require that.
private struct Recording {
    let factory: any MetricsFactory
    let service: String

    func ended(_ counter: String, _ timer: String, _ observed: some Observed) {
        let dimensions = [("operation", observed.operation), ("outcome", observed.outcome.name)]
        count(counter, dimensions, 1)
        time(timer, dimensions, observed.duration)
    }

    /// Writes nothing when `count` is below one.
    func count(_ label: String, _ dimensions: [Dimension], _ count: Int) {
        guard count > 0 else { return }
        Counter(label: label, dimensions: all(dimensions), factory: factory).increment(by: count)
    }

    func time(_ label: String, _ dimensions: [Dimension], _ duration: Duration) {
        Timer(label: label, dimensions: all(dimensions), factory: factory).record(duration: duration)
    }

    func set(_ label: String, _ dimensions: [Dimension], _ value: some BinaryInteger) {
        Meter(label: label, dimensions: all(dimensions), factory: factory).set(value)
    }

    private func all(_ dimensions: [Dimension]) -> [Dimension] { [("service", service)] + dimensions }
}
#endif

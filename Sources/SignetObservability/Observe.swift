#if Observability
public import SignetSOAP

extension CallSettings {
    /// Adds middlewares that trace, count and log every call of a client. They are outside the present middlewares, so
    /// that a repeated call is one call.
    ///
    /// ```swift
    /// var service = try ServiceConfiguration("https://device.example/diary")
    /// service.calls.observe(logging: LoggingMiddleware(logger))
    /// ```
    ///
    /// Tracing stands outermost, so that lines of the log can name the trace. What an earlier call of this method has
    /// put there is replaced. Add other middlewares with `append` or `insert`: an assignment to `middlewares` takes the
    /// observers away.
    ///
    /// - Parameters:
    ///   - tracing: nil for no spans.
    ///   - metrics: nil for no metrics.
    ///   - logging: nil for no lines.
    public mutating func observe(
        tracing: TracingMiddleware? = TracingMiddleware(), metrics: MetricsMiddleware? = MetricsMiddleware(),
        logging: LoggingMiddleware? = nil
    ) {
        middlewares.removeAll { isByObserve($0) }
        httpMiddlewares.removeAll { isByObserve($0) }
        let all: [(any CallMiddleware)?] = [tracing?.byObserve, metrics?.byObserve, logging?.byObserve]
        middlewares.insert(contentsOf: all.compactMap { $0 }, at: 0)
        if let tracing { httpMiddlewares.insert(tracing.byObserve, at: 0) }
    }
}

extension ServiceDispatcher {
    /// Adds middlewares that trace, count and log every request of a service, outside the present middlewares.
    ///
    /// ```swift
    /// var dispatcher = DiaryHandlers().dispatcher
    /// dispatcher.observe(logging: LoggingMiddleware(logger))
    /// ```
    ///
    /// Tracing stands outermost, so that lines of the log can name the trace. What an earlier call of this method has
    /// put there is replaced. Add other middlewares with `append` or `insert`: an assignment to `middlewares` takes the
    /// observers away.
    ///
    /// - Parameters:
    ///   - tracing: nil for no spans.
    ///   - metrics: nil for no metrics.
    ///   - logging: nil for no lines.
    public mutating func observe(
        tracing: TracingMiddleware? = TracingMiddleware(), metrics: MetricsMiddleware? = MetricsMiddleware(),
        logging: LoggingMiddleware? = nil
    ) {
        middlewares.removeAll { isByObserve($0) }
        let all: [(any ServiceMiddleware)?] = [tracing?.byObserve, metrics?.byObserve, logging?.byObserve]
        middlewares.insert(contentsOf: all.compactMap { $0 }, at: 0)
    }
}

/// A middleware that records whether `observe` added it: `observe` replaces only its own, and leaves those that a
/// program has added.
protocol Observer: Sendable {
    /// Whether `observe` has added this middleware.
    var isByObserve: Bool { get set }
}

extension Observer {
    fileprivate var byObserve: Self {
        var copy = self
        copy.isByObserve = true
        return copy
    }
}

private func isByObserve(_ middleware: any Sendable) -> Bool {
    (middleware as? any Observer)?.isByObserve == true
}
#endif

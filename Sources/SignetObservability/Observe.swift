#if Observability
public import SignetSOAP

extension CallSettings {
    /// Has every call of a client traced, counted and logged, outside of the middlewares that are there now: a call
    /// that is repeated is one call.
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
    /// Has every request of a service traced, counted and logged, outside of the middlewares that are there now.
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

/// A middleware that knows how it came into the list: those that a program has put there itself stay.
protocol Observer: Sendable {
    /// Whether `observe` has put it there.
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

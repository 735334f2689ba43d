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
    /// Tracing stands outermost, so that lines of the log can name the trace.
    ///
    /// - Parameters:
    ///   - tracing: nil for no spans.
    ///   - metrics: nil for no metrics.
    ///   - logging: nil for no lines.
    public mutating func observe(
        tracing: TracingMiddleware? = TracingMiddleware(), metrics: MetricsMiddleware? = MetricsMiddleware(),
        logging: LoggingMiddleware? = nil
    ) {
        let all: [(any CallMiddleware)?] = [tracing, metrics, logging]
        middlewares.insert(contentsOf: all.compactMap { $0 }, at: 0)
        if let tracing { httpMiddlewares.insert(tracing, at: 0) }
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
    /// Tracing stands outermost, so that lines of the log can name the trace.
    ///
    /// - Parameters:
    ///   - tracing: nil for no spans.
    ///   - metrics: nil for no metrics.
    ///   - logging: nil for no lines.
    public mutating func observe(
        tracing: TracingMiddleware? = TracingMiddleware(), metrics: MetricsMiddleware? = MetricsMiddleware(),
        logging: LoggingMiddleware? = nil
    ) {
        let all: [(any ServiceMiddleware)?] = [tracing, metrics, logging]
        middlewares.insert(contentsOf: all.compactMap { $0 }, at: 0)
    }
}
#endif

#if Observability
import HTTPTypes
public import Logging
public import SignetSOAP

/// Logs one line for each call of a client and for each request of a service, when the call or request has ended.
///
/// ```swift
/// service.calls.observe(logging: LoggingMiddleware(logger))
/// dispatcher.observe(logging: LoggingMiddleware(logger))
/// ```
///
/// The line names the operation, its outcome, its duration and the number of attempts. It contains nothing from
/// messages and HTTP fields, and no text of an error: the caller gets that text. `CallSettings/logger` and
/// `ServiceDispatcher/logger` are for diagnosing a problem: they write several lines for each exchange at debug and
/// trace level, and nothing at the end of a call.
public struct LoggingMiddleware: Sendable, Observer {
    var isByObserve = false
    private let logger: Logger
    private let level: Logger.Level
    private let failureLevel: Logger.Level

    /// - Parameters:
    ///   - logger: receives the lines.
    ///   - level: the level of the line for a call or request that was answered without a fault, and for a request
    ///     whose message the caller has to change (`fault.client` and similar codes), because any client can send as
    ///     many of these as it wants.
    ///   - failureLevel: the level of the line for every other outcome.
    public init(_ logger: Logger, level: Logger.Level = .info, failureLevel: Logger.Level = .warning) {
        self.logger = logger
        self.level = level
        self.failureLevel = failureLevel
    }

    private func write(
        _ message: Logger.Message, _ observed: some Observed, isFailure: Bool, _ more: Logger.Metadata
    ) {
        let metadata: Logger.Metadata = [
            "operation": "\(observed.operation)", "outcome": "\(observed.outcome.name)",
            "duration": "\(observed.duration)",
        ]
        logger.log(level: isFailure ? failureLevel : level, message, metadata: metadata.merging(more) { $1 })
    }
}

extension LoggingMiddleware: CallMiddleware {
    public func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        try await ObservedCall.run(call, next) { observed in
            var metadata: Logger.Metadata = [
                "server": "\(observed.endpoint.origin)", "attempts": "\(observed.attempts)",
            ]
            if let last = observed.exchanges.last {
                if case .success(let status) = last.result { metadata["status"] = "\(status.code)" }
                let connection = last.report.connection.number
                if connection != 0 { metadata["connection"] = "\(connection)" }
            }
            write("call", observed, isFailure: !observed.outcome.isSuccess, metadata)
        }
    }
}

extension LoggingMiddleware: ServiceMiddleware {
    public func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer {
        try await ObservedRequest.run(context, next) { observed in
            var metadata: Logger.Metadata = ["service": "\(context.service)"]
            if !context.requestID.isEmpty { metadata["request"] = "\(context.requestID)" }
            if let peer = context.peer.remoteAddress { metadata["peer"] = "\(peer)" }
            write("request", observed, isFailure: observed.outcome.isServicesError, metadata)
        }
    }
}
#endif

#if Server
public import SignetSOAP

/// Sees every HTTP request of a server, before its content is read, and the head of its answer: for tracing, metrics,
/// access logs, limits of your own, fields of the answer.
///
/// Middlewares stand outermost: each request whose head could be read comes to them, also one that the server refuses
/// for its certificate, a second `Host`, its path, method, credentials, media type or size. The client has proved
/// nothing at that time. The server does all its checks behind them, and on the request that came: no middleware can
/// change their outcome, nor ``OperationContext/peer``. What knows the operation and the caller is a
/// `ServiceMiddleware` of the dispatcher.
///
/// ```swift
/// struct Pause: ServerHTTPMiddleware {
///     let isPaused: @Sendable () -> Bool
///
///     func intercept(
///         _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
///     ) async throws -> ServerResponse {
///         if isPaused() { return ServerResponse(status: .serviceUnavailable, fields: [.retryAfter: "60"]) }
///         var response = try await next(request)
///         response.fields[.cacheControl] = "no-store"
///         return response
///     }
/// }
/// ```
public protocol ServerHTTPMiddleware: Sendable {
    /// Calls `next` to go on, and returns what it gives, with other fields if need be; or returns an answer of its own
    /// without calling `next`. The content of the request is then not read for the service, and a client that waits to
    /// be asked for it (`Expect: 100-continue`) is not.
    ///
    /// A handler runs in the task that calls `next`, so that it finds the task-local values that are set around the
    /// call. That of a one-way operation runs in a task of its own, which inherits them, and may go on when `next` has
    /// returned.
    ///
    /// The content of the answer is sent when all middlewares have returned. That the client did not receive it is told
    /// to the log only.
    ///
    /// An answer with a field that belongs to the server (``ServerResponse/fields``), with a status that is not from
    /// 200 to 599, or with content where its status allows none, is not sent: the log is told, and the client gets 500.
    ///
    /// - Parameters:
    ///   - request: the request, without its content.
    ///   - next: goes on, at last to the server's own checks and the service. It can be called once, and throws when
    ///     it is called again. It also throws when the content does not come or the task is cancelled; the connection
    ///     is then closed, whatever the middleware returns. Of the request that it gets, the fields alone count, for handlers
    ///     (``OperationContext/request``).
    /// - Throws: any error. It is logged, and the client gets 500 without a word of it.
    func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse
}
#endif

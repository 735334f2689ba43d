#if Server
public import SignetSOAP

/// Sees every HTTP request of a server before its content is read, and the head of the answer: for tracing, metrics,
/// access logs, limits of your own, fields of the answer.
///
/// Middlewares are outermost: they see each request whose head could be read, also a request that the server refuses
/// for its certificate, a second `Host`, its path, method, credentials, media type or size. The client has proved
/// nothing at that time. The server makes all its checks after the middlewares, and on the request as it arrived: no
/// middleware can change their outcome, nor ``/SignetSOAP/OperationContext/peer``. A `ServiceMiddleware` of the
/// dispatcher knows the operation and the caller.
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
    /// Calls `next` to continue, and returns its answer, with other fields if necessary; or returns an answer of its
    /// own without calling `next`. In the latter case the server does not read the content of the request for the
    /// service, and does not ask a client for it that waits to be asked (`Expect: 100-continue`).
    ///
    /// A handler runs in the task that calls `next`, so that it sees the task-local values that are set around the
    /// call. The handler of a one-way operation runs in a task of its own, which inherits them, and may continue after
    /// `next` has returned.
    ///
    /// The content of the answer is sent when all middlewares have returned. If the client does not receive it, only
    /// the log says so.
    ///
    /// The server does not send an answer with a field that only the server sets (``ServerResponse/fields``), with a
    /// status that is not from 200 to 599, or with content where its status allows none: it logs the error, and the
    /// client gets 500.
    ///
    /// - Parameters:
    ///   - request: the request, without its content.
    ///   - next: calls the next middleware, and after the last one the server's own checks and the service. It can be
    ///     called once, and throws when it is called again. It also throws when the content does not arrive or the task
    ///     is cancelled; the server then closes the connection, whatever the middleware returns. Of the request passed
    ///     to it, only the fields have an effect, for handlers (``/SignetSOAP/OperationContext/request``).
    /// - Throws: any error. The server logs it, and answers with 500 without its text.
    func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse
}
#endif

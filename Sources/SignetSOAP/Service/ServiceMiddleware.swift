/// Sees every operation of a service around its handler: for tracing, metrics, logging.
///
/// It runs after the request was read and every verifier has accepted it, so that ``OperationContext/peer`` contains
/// what is proved about the caller. Requests that were refused before do not reach it. A service has the middlewares in
/// ``ServiceDispatcher/middlewares``.
///
/// ```swift
/// struct Tracing: ServiceMiddleware {
///     func intercept(
///         _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
///     ) async throws -> OperationAnswer {
///         let parent = HTTPField.Name("traceparent").flatMap { context.request?.fields[$0] }
///         return try await withSpan(context.operation, parent: parent) { try await next(context) }
///     }
/// }
/// ```
public protocol ServiceMiddleware: Sendable {
    /// Calls `next` to continue, and returns its answer.
    ///
    /// Of the context that `next` gets, ``OperationContext/peer``, ``OperationContext/request`` and
    /// ``OperationContext/headerBlocks`` have an effect for the handler and the middlewares in between. Everything else
    /// stays unchanged: it belongs to the request that was read, or decides how its answer is sent.
    ///
    /// The handler runs in the task that calls `next`, so that it sees the task-local values that are set around the
    /// call. For a one-way operation, all of this happens after the service has told the client that the message is
    /// accepted.
    ///
    /// - Parameters:
    ///   - context: the context for the handler; its ``OperationContext/operation`` is the name in the WSDL.
    ///   - next: calls the next middleware, and after the last one the handler, and writes the handler's output. It
    ///     throws what the handler throws: a ``SOAPFault``, a ``DeclaredFault``, or an error that the client does not
    ///     see. It can be called once, and throws when it is called again, because a handler has added to the answer by
    ///     then.
    /// - Returns: the answer of `next` for this request. The answer to another request is not sent; it counts as an
    ///   error.
    /// - Throws: what `next` throws, or an error of its own, which has the same effect as an error of the handler: a
    ///   fault is sent, and any other error is logged and answered by a fault that says only “Internal error.”
    func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer
}

/// The result of an operation that did not fail. Only the `next` of a ``ServiceMiddleware`` returns it, so that a
/// middleware cannot forget to run the handler.
public struct OperationAnswer: Sendable {
    /// The message to send; nil for a one-way operation.
    let message: OutgoingMessage?
    /// Identifies the request that this answers: each request has its own header blocks for its answer.
    let request: AnswerHeaderBlocks
}

/// Errors in the use of middlewares, for the log of the operator.
enum MiddlewareMisuse: Error, CustomStringConvertible {
    case secondPassage
    case foreignAnswer

    var description: String {
        switch self {
        case .secondPassage:
            "A service middleware called next twice, but an operation is performed once for each request; call it once."
        case .foreignAnswer:
            "A service middleware returned the answer to another request; return what next gave for this one."
        }
    }
}

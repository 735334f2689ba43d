/// Sees every operation of a service around its handler: for tracing, metrics, logging.
///
/// It runs when the request was read and every verifier has let it pass, so that ``OperationContext/peer`` holds what
/// is proved of the caller. Requests that were refused before do not come here. A service has those that stand in
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
    /// Calls `next` to go on, and returns what it gives.
    ///
    /// Of the context that `next` gets, ``OperationContext/peer``, ``OperationContext/request`` and
    /// ``OperationContext/headerBlocks`` count for the handler and the middlewares in between. All else stays as it is:
    /// it belongs to the request that was read, or decides how its answer is sent.
    ///
    /// The handler runs in the task that calls `next`, so that it finds the task-local values that are set around the
    /// call. For a one-way operation all of this happens after its caller was told that the message is accepted.
    ///
    /// - Parameters:
    ///   - context: what the handler is to know; its ``OperationContext/operation`` is the name in the WSDL.
    ///   - next: runs what stands behind this middleware, at last the handler, and writes its output. It throws what
    ///     the handler throws: a ``SOAPFault``, a ``DeclaredFault``, or an error that the peer is not told of. It can be
    ///     called once, and throws when it is called again: a handler has added to the answer by then.
    /// - Returns: what `next` gave for this request. The answer to another request is not sent; it counts as an error.
    /// - Throws: what `next` throws, or an error of its own, which is dealt with as if the handler had thrown it: a
    ///   fault is sent, and any other error is logged and answered by a fault that says no more than “Internal error.”
    func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer
}

/// What an operation came to that did not fail. It can only be had by calling the `next` of a ``ServiceMiddleware``, so
/// that none can forget the handler.
public struct OperationAnswer: Sendable {
    /// Nil for a one-way operation.
    let message: OutgoingMessage?
    /// Tells which request this answers: each has header blocks of its own for its answer.
    let request: AnswerHeaderBlocks
}

/// What a middleware must not do; for the log of the operator.
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

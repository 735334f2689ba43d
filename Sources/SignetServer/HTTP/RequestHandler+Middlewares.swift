#if Server
import HTTPTypes
import Logging
import SignetSOAP
import Synchronization

/// Passes requests through the middlewares.
extension RequestHandler {
    /// The progress of a request through the middlewares.
    private struct Passage {
        var hasBegun = false
        /// Why the request could not be answered.
        var failure: (any Error)?
    }

    /// Passes a request through all middlewares, and answers it when one of them fails.
    ///
    /// - Parameter serve: handles the request after the middlewares. It is called at most once, and never after this
    ///   function has returned.
    /// - Throws: what `serve` throws.
    func intercept(
        _ request: ServerRequest, _ serve: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let passage = Mutex(Passage())
        let outcome: Result<ServerResponse, any Error>
        do {
            outcome = .success(
                try await pass(request, through: settings.httpMiddlewares[...]) { request in
                    passage.withLock { $0.hasBegun = true }
                    do { return try await serve(request) } catch {
                        passage.withLock { $0.failure = error }
                        throw error
                    }
                })
        } catch { outcome = .failure(error) }
        // The connection can carry no answer any more.
        if let failure = passage.withLock({ $0.failure }) { throw failure }
        switch outcome {
        case .failure(let error):
            if error is CancellationError, Task.isCancelled { throw error }
            return failed("a middleware has failed", "\(error)")
        case .success(let response):
            if let problem = response.problem(answering: request.method) {
                return failed("the answer of a middleware cannot be sent", problem)
            }
            if !passage.withLock({ $0.hasBegun }) {
                settings.logger.debug(
                    "answered by a middleware", metadata: metadata("status", "\(response.status.code)"))
            }
            return response
        }
    }

    private func pass(
        _ request: ServerRequest, through rest: ArraySlice<any ServerHTTPMiddleware>,
        to last: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        guard let middleware = rest.first else { return try await last(request) }
        let hasGoneOn = Atomic(false)
        return try await middleware.intercept(request) {
            guard !hasGoneOn.exchange(true, ordering: .relaxed) else { throw SecondPassage() }
            return try await pass($0, through: rest.dropFirst(), to: last)
        }
    }
}

/// The error that a middleware gets when it calls `next` again: the content of a request can be read only once.
private struct SecondPassage: Error, CustomStringConvertible {
    var description: String { "A middleware called next twice, but a request can be answered once only; call it once." }
}
#endif

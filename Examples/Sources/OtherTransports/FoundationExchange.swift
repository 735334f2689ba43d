import Foundation
import Signet
import Synchronization

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Passes what the tasks of a transport receive to their exchanges.
final class FoundationExchanges: NSObject, URLSessionDataDelegate {
    private let all = Mutex<[URLSessionTask: FoundationExchange]>([:])

    /// The exchange of a task, which gets all that arrives for it from now on.
    func expect(_ task: URLSessionTask, for request: ClientRequest) -> FoundationExchange {
        let exchange = FoundationExchange(request)
        all.withLock { $0[task] = exchange }
        return exchange
    }

    private func exchange(of task: URLSessionTask) -> FoundationExchange? { all.withLock { $0[task] } }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
    ) { completionHandler(exchange(of: dataTask)?.received(response) == true ? .allow : .cancel) }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        if exchange(of: dataTask)?.received(data) != true { dataTask.cancel() }
    }

    func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
        all.withLock { $0.removeValue(forKey: task) }?.end(error)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
        newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
    ) { completionHandler(nil) }
}

/// What has arrived of one answer.
final class FoundationExchange: Sendable {
    private struct State {
        var continuation: CheckedContinuation<ClientResponse, any Error>?
        var isOver = false
        var response: ClientResponse?
        var receiver: (any ContentReceiver)?
        var limit: Int64 = 0
    }

    private let request: ClientRequest
    private let state = Mutex(State())

    fileprivate init(_ request: ClientRequest) { self.request = request }

    /// - Returns: the answer, whose content the receiver of the request has if it takes it.
    /// - Throws: the error of the system, `CancellationError`, or ``/SignetHTTP/TransportError``.
    func run(_ task: URLSessionTask) async throws -> ClientResponse {
        var response = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isOver = state.withLock { state in
                    if !state.isOver { state.continuation = continuation }
                    return state.isOver
                }
                if isOver { continuation.resume(throwing: CancellationError()) } else { task.resume() }
            }
        } onCancel: {
            task.cancel()
            end(.failure(CancellationError()))
        }
        guard let receiver = state.withLock({ $0.receiver }) else { return response }
        do { try await receiver.receive(response.body) } catch {
            throw TransportError(
                .contentRefused, "The content of the answer was not taken completely: \(error)",
                mayHaveBeenProcessed: true, cause: error)
        }
        response.body = []
        return response
    }

    private func end(_ result: Result<ClientResponse, any Error>) {
        let continuation = state.withLock { state in
            defer { (state.continuation, state.isOver) = (nil, true) }
            return state.continuation
        }
        continuation?.resume(with: result)
    }

    private func refuse(_ code: TransportError.Code, _ message: String) {
        end(.failure(TransportError(code, message, mayHaveBeenProcessed: true)))
    }

    /// - Returns: whether to go on.
    func received(_ answer: URLResponse) -> Bool {
        guard let answer = answer as? HTTPURLResponse, (100..<1_000).contains(answer.statusCode) else {
            refuse(.malformedResponse, "\(request.endpoint.origin) does not speak HTTP.")
            return false
        }
        // The final answer follows.
        if answer.statusCode < 200 { return true }
        var response = ClientResponse(status: .init(code: answer.statusCode))
        for (name, value) in answer.allHeaderFields {
            guard let name = name as? String, let name = HTTPField.Name(name), let value = value as? String else {
                continue
            }
            response.fields.append(HTTPField(name: name, value: value))
        }
        let receiver = request.contentReceiver.flatMap { $0.takes(response.status, response.fields) ? $0 : nil }
        state.withLock { state in
            state.response = response
            state.receiver = receiver
            state.limit = receiver == nil ? Int64(request.maximumResponseBytes) : request.maximumStreamedBytes
        }
        return true
    }

    /// - Returns: whether to go on.
    func received(_ data: Data) -> Bool {
        let (count, limit) = state.withLock { state in
            state.response?.body += data
            return (Int64(state.response?.body.count ?? 0), state.limit)
        }
        guard count > limit else { return true }
        refuse(.responseTooLarge, "The answer is larger than the \(limit) bytes that the call allows.")
        return false
    }

    func end(_ error: (any Error)?) {
        if let error { return end(.failure(error)) }
        if let response = state.withLock({ $0.response }) { return end(.success(response)) }
        refuse(.malformedResponse, "\(request.endpoint.origin) does not speak HTTP.")
    }
}

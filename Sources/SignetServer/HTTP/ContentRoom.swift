#if Server
import Synchronization

/// Limits how much content the requests of a connection have in memory at a time. A client of HTTP/2 sends many at once:
/// beyond the limit all wait but the oldest, whose content is limited by itself.
final class ContentRoom: Sendable {
    private struct State {
        var last = 0
        /// How many bytes each request holds, until its end.
        var held: [Int: Int] = [:]
        var total = 0
        var waiting: [Int: CheckedContinuation<Void, Never>] = [:]
    }

    private let limit: Int
    private let state = Mutex(State())

    /// - Parameter limit: the size of the content of all requests together, in bytes.
    init(limit: Int) { self.limit = limit }

    /// Gives a number to a request that begins.
    ///
    /// - Parameter stream: that of HTTP/2, by which the client knows which request is the oldest: the tasks of requests can begin in
    ///   another order. Nil over HTTP/1.1, where one request follows the other.
    func enter(_ stream: Int?) -> Int {
        state.withLock { state in
            state.last = stream ?? (state.last + 1)
            state.held[state.last] = 0
            return state.last
        }
    }

    /// Content of a request has arrived. Returns when the request may read more, or its task is cancelled.
    func hold(_ count: Int, for request: Int) async {
        let mayGoOn = state.withLock { state in
            state.held[request, default: 0] += count
            state.total += count
            return self.mayGoOn(request, state)
        }
        guard !mayGoOn else { return }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let mayGoOn = state.withLock { state in
                    if Task.isCancelled || self.mayGoOn(request, state) { return true }
                    state.waiting[request] = continuation
                    return false
                }
                if mayGoOn { continuation.resume() }
            }
        } onCancel: {
            state.withLock { $0.waiting.removeValue(forKey: request) }?.resume()
        }
    }

    /// A request has ended.
    func leave(_ request: Int) {
        let ready = state.withLock { state in
            state.total -= state.held.removeValue(forKey: request) ?? 0
            return state.waiting.keys.filter { mayGoOn($0, state) }.compactMap {
                state.waiting.removeValue(forKey: $0)
            }
        }
        for continuation in ready { continuation.resume() }
    }

    private func mayGoOn(_ request: Int, _ state: State) -> Bool {
        state.total <= limit || state.held.keys.min() == request
    }
}
#endif

import NIOCore
import Synchronization

/// A promise that several tasks may complete; only the first result counts.
final class FirstAnswer<Value: Sendable>: Sendable {
    private let promise: Mutex<EventLoopPromise<Value>?>
    let future: EventLoopFuture<Value>

    init(_ promise: EventLoopPromise<Value>) {
        self.promise = Mutex(promise)
        future = promise.futureResult
    }

    func give(_ result: Result<Value, any Error>) {
        let promise = promise.withLock { promise in
            defer { promise = nil }
            return promise
        }
        promise?.completeWith(result)
    }
}

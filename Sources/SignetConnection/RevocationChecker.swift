package import SignetHTTP
package import SignetTLS
import Synchronization

/// Finds out for all connections of a transport or a server whether certificates are revoked. It remembers what it has
/// found out, and asks once for all connections that wait for the same answer.
package final class RevocationChecker: Sendable {
    private typealias Answer = Result<[UInt8], RevocationFetchFailure>

    private struct State {
        var cache = RevocationCache()
        /// The requests without an answer yet.
        var running: [RevocationRequest: Task<Answer, Never>] = [:]
    }

    private let transport: any ClientTransport
    private let now: @Sendable () -> Int64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - transport: fetches over plain HTTP; it has no credentials for any origin, and looks up no revocation.
    ///   - now: seconds since 1970.
    package init(over transport: any ClientTransport, now: @escaping @Sendable () -> Int64) {
        self.transport = transport
        self.now = now
    }

    /// Looks up the certificates of a trusted path, within the policy's limit of time.
    package func report(of path: CertificationPath, by policy: RevocationPolicy) async -> RevocationReport {
        var check = RevocationCheck(of: path, policy: policy)
        let end = ContinuousClock.now + policy.timeLimit
        while true {
            switch begin(&check) {
            case .finished(let report):
                return report
            case .running(let request, let task):
                guard ContinuousClock.now < end, !Task.isCancelled else { return check.timeOut() }
                let answer = await answer(of: task, until: end)
                _ = check.receive(answer, at: now())
                // The cache has the answer before the request is forgotten, so that no other check asks again.
                state.withLock { state in
                    state.cache.add(check.learned, at: now())
                    state.running[request] = nil
                }
            }
        }
    }

    private enum Step {
        case finished(RevocationReport)
        case running(RevocationRequest, Task<Answer, Never>)
    }

    /// Goes on as far as the cache has answers, and sends the next request unless another check has sent it.
    private func begin(_ check: inout RevocationCheck) -> Step {
        state.withLock { state in
            switch check.update(state.cache, at: now()) {
            case .finished(let report): return .finished(report)
            case .fetch(let request):
                if let task = state.running[request] { return .running(request, task) }
                let task = Task { await fetch(request) }
                state.running[request] = task
                return .running(request, task)
            }
        }
    }

    private func answer(of task: Task<Answer, Never>, until end: ContinuousClock.Instant) async -> Answer {
        // Another connection, which has more time, may wait for the same answer: it is not cancelled.
        let late = TransportError(.deadlineExceeded, "The time for looking up revocation is over.")
        do { return try await race(until: end, exceeded: late) { await task.value } } catch {
            return .failure(.timeout)
        }
    }

    private func fetch(_ request: RevocationRequest) async -> Answer {
        do {
            let response = try await transport.send(try ClientRequest(request))
            guard response.status == .ok else { return .failure(.status(response.status.code)) }
            return .success(response.body)
        } catch let error as TransportError {
            return switch error.code {
            case .deadlineExceeded, .connectTimeout, .readTimeout: .failure(.timeout)
            case .responseTooLarge: .failure(.tooLarge)
            default: .failure(.unreachable(error.message.withoutFullStop))
            }
        } catch {
            return .failure(.unreachable("\(error)".withoutFullStop))
        }
    }
}

extension ClientRequest {
    /// - Throws: ``/SignetHTTP/EndpointError`` for an address in a certificate that is no usable URL.
    fileprivate init(_ request: RevocationRequest) throws(EndpointError) {
        var fields = HTTPFields()
        fields[.accept] = request.accept
        fields[.contentType] = request.contentType
        self.init(
            try Endpoint(request.url), method: request.method == .get ? .get : .post, fields: fields,
            body: .init(request.body), maximumResponseBytes: request.maximumBytes)
        deadlines.total = request.timeLimit
        deadlines.connect = request.timeLimit
        deadlines.read = request.timeLimit
    }
}

extension String {
    /// The text as the middle of a sentence.
    fileprivate var withoutFullStop: String { hasSuffix(".") ? String(dropLast()) : self }
}

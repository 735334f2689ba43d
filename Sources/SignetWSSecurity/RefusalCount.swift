import SignetSOAP
import Synchronization

/// Counts how often services have refused the credentials of one token. All copies of the token share it.
final class RefusalCount: Sendable {
    private struct Service: Sendable {
        var refusals = 0
        /// The newest attempt for which an account was asked.
        var newest: UInt64 = 0
        /// The newest attempt when a refusal was counted last. Answers to older attempts concern credentials that were
        /// given before that refusal, so they are not counted.
        var counted: UInt64 = 0
    }

    private static let maximumServices = 1000
    private let services = Mutex<[Origin: Service]>([:])

    /// Records that an account is asked for, and returns the number of refusals so far.
    func asked(for attempt: CallAttempt) -> Int {
        services.withLock { services in
            let origin = attempt.endpoint.origin
            if services.count >= Self.maximumServices, services[origin] == nil { services = [:] }
            var service = services[origin] ?? Service()
            service.newest = max(service.newest, attempt.number)
            services[origin] = service
            return service.refusals
        }
    }

    func learn(from answer: AnswerHead) {
        guard let attempt = answer.attempt else { return }
        services.withLock { services in
            guard var service = services[attempt.endpoint.origin], attempt.number > service.counted else { return }
            if answer.isRefusal {
                service.refusals += 1
                service.counted = service.newest
            } else if answer.fault == nil, (200..<300).contains(answer.status) {
                service.refusals = 0
            }
            services[attempt.endpoint.origin] = service
        }
    }
}

extension AnswerHead {
    /// The code of WS-Security is the first subcode in SOAP 1.2, and the code in SOAP 1.1.
    fileprivate var isRefusal: Bool { (fault?.subcodes.first ?? fault?.code) == .failedAuthentication }
}

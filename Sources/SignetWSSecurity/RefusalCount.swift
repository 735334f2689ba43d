import SignetSOAP
import Synchronization

/// How often services have refused what one token gave, shared by the token's copies.
final class RefusalCount: Sendable {
    private struct Service: Sendable {
        var refusals = 0
        /// The newest attempt that was asked for.
        var newest: UInt64 = 0
        /// The newest attempt when a refusal was counted: what older ones bring tells of what was given before.
        var counted: UInt64 = 0
    }

    private static let maximumServices = 1000
    private let services = Mutex<[Origin: Service]>([:])

    /// Notes that an account is asked for, and tells how many were refused.
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

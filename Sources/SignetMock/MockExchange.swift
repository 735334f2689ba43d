#if Server
package import Foundation
package import Logging
import SignetSOAP
import SignetServer
import Synchronization

/// One request to a mock, and how it was answered.
package struct MockEvent: Sendable, Hashable, Encodable {
    package var time: Date
    /// Address and port of the client.
    package var client: String?
    package var method: String
    package var path: String
    /// Nil when the request was refused before its operation was known.
    package var operation: String?
    /// Nil when the connection ended without an answer.
    package var status: Int?
    /// Where the answer is from.
    package var answer: String?
    /// Why the request was refused, and what else is wrong with it.
    package var remarks: [String]
}

/// What middlewares, handler and log have learned about one request.
final class MockExchange: Sendable {
    struct Facts: Sendable {
        var operation: String?
        var answer: String?
        /// A recorded answer, to be sent instead of what the service answers.
        var replay: ServerResponse?
        var failure: InjectedFailure?
        var remarks: [String] = []
    }

    /// The exchange of the current task.
    @TaskLocal static var current: MockExchange?

    /// The reason of the fault that stands for a recorded answer until it is replaced.
    static let replaced = "The recorded answer is sent instead of this fault."

    private let facts = Mutex(Facts())

    var all: Facts { facts.withLock { $0 } }

    func note(_ change: (inout Facts) -> Void) { facts.withLock { change(&$0) } }
}

/// Injects failures, sends recorded answers, and reports each request when it was answered.
struct MockHTTP: ServerHTTPMiddleware {
    let report: @Sendable (MockEvent) -> Void

    func intercept(
        _ request: ServerRequest, next: @Sendable (ServerRequest) async throws -> ServerResponse
    ) async throws -> ServerResponse {
        let exchange = MockExchange()
        let time = Date()
        let answered: Result<ServerResponse, any Error>
        do {
            answered = .success(try await MockExchange.$current.withValue(exchange) { try await next(request) })
        } catch { answered = .failure(error) }
        var facts = exchange.all
        facts.remarks.removeAll { $0.hasSuffix(MockExchange.replaced) }
        let outcome = answered.map { response in
            let response = facts.replay ?? response
            return facts.failure?.applied(to: response) ?? response
        }
        var event = MockEvent(
            time: time, client: request.remoteAddress, method: request.method.rawValue,
            path: Endpoint.withoutQueryValues(request.path),
            operation: facts.operation, answer: facts.answer, remarks: facts.remarks)
        switch outcome {
        case .success(let response): event.status = response.ending == nil ? response.status.code : nil
        case .failure(let error): event.remarks.append("the request did not arrive: \(error)")
        }
        report(event)
        return try outcome.get()
    }
}

/// Notes the operation, also of an input that is refused.
struct MockOperations: ServiceMiddleware {
    func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer {
        MockExchange.current?.note { $0.operation = context.operation }
        return try await next(context)
    }
}

/// Adds what server and dispatcher log about a request to its report; logs the rest elsewhere.
package struct MockLog: LogHandler {
    /// Refusals for a fault of the client alone are at debug.
    package var logLevel = Logger.Level.debug
    package var metadata: Logger.Metadata = [:]
    private let showsRefusals: Bool
    private let others: @Sendable (String) -> Void

    /// - Parameters:
    ///   - showsRefusals: whether `others` also gets what is logged about refused requests of a server that is no mock.
    ///   - others: gets lines that belong to no request of a mock.
    package init(showsRefusals: Bool = false, others: @escaping @Sendable (String) -> Void) {
        (self.showsRefusals, self.others) = (showsRefusals, others)
    }

    package subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    package func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        let reason = all["reason"] ?? all["error"] ?? all["fault"]
        guard event.level >= .notice || reason != nil else { return }
        let line = "\(event.message)\(reason.map { ": \($0)" } ?? "")"
        guard let exchange = MockExchange.current else {
            if event.level >= .info || showsRefusals { others(line) }
            return
        }
        exchange.note { facts in if !facts.remarks.contains(line) { facts.remarks.append(line) } }
    }
}
#endif

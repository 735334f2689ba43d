#if Observability
import SignetHTTP
import SignetSOAP

/// What a call and a request have in common when they have ended.
protocol Observed {
    /// The operation's name in the WSDL.
    var operation: String { get }
    var outcome: Outcome { get }
    var duration: Duration { get }
}

/// A call that has ended.
struct ObservedCall: Observed {
    let operation: String
    let endpoint: Endpoint
    let outcome: Outcome
    let duration: Duration
    /// The attempts that were sent for it, the newest 1,000, without those that a middleware further out had sent
    /// before.
    let exchanges: [ExchangeOutcome]
    /// The number of attempts.
    let attempts: Int

    /// Makes the call, and reports its end.
    static func run<Input, Output>(
        _ call: ServiceCall<Input>, _ next: (ServiceCall<Input>) async throws -> ServiceAnswer<Output>,
        ended: (Self) -> Void
    ) async throws -> ServiceAnswer<Output> {
        let start = ContinuousClock.now
        let before = call.exchangeCount
        func end(_ outcome: Outcome) {
            let (exchanges, attempts) = call.exchanges(since: before)
            ended(
                Self(
                    operation: call.operation, endpoint: call.endpoint, outcome: outcome,
                    duration: ContinuousClock.now - start, exchanges: exchanges, attempts: attempts))
        }
        do {
            let answer = try await next(call)
            end(.success)
            return answer
        } catch {
            end(Outcome(error))
            throw error
        }
    }
}

/// A request whose handler has ended.
struct ObservedRequest: Observed {
    let operation: String
    let outcome: Outcome
    let duration: Duration

    /// Runs the handler, and reports its end.
    static func run(
        _ context: OperationContext, _ next: (OperationContext) async throws -> OperationAnswer, ended: (Self) -> Void
    ) async throws -> OperationAnswer {
        let start = ContinuousClock.now
        func end(_ outcome: Outcome) {
            ended(Self(operation: context.operation, outcome: outcome, duration: ContinuousClock.now - start))
        }
        do {
            let answer = try await next(context)
            end(.success)
            return answer
        } catch {
            end(Outcome(error, of: context))
            throw error
        }
    }
}
#endif

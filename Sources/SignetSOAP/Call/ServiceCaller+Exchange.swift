import HTTPTypes
import Synchronization

/// A received answer, split into its parts.
struct ReceivedExchange {
    /// The answer, with the envelope in place of the parts, and without the elements that were handed over.
    var response: ClientResponse
    /// The message as it arrived, if it has parts.
    var message: ReceivedMessage?
    /// The rest of an answer whose elements were handed over.
    var elements: ReceivedElements?
}

/// How the exchanges of a call are made.
struct ExchangePlan: Sendable {
    /// The operation's name.
    let operation: String
    /// The record of exchanges; nil when no middleware reads it.
    let record: ExchangeRecord?
    /// Makes the receiver of the elements of an answer; nil when no elements are handed over.
    var elements: (@Sendable () -> any ElementReceiver)?
    /// Whether elements were handed over; nothing may be sent after that.
    var areElementsGiven: @Sendable () -> Bool = { false }
}

extension ServiceCaller {
    /// Sends a request through the HTTP middlewares.
    func send(_ request: ClientRequest, by plan: ExchangePlan) async throws -> ReceivedExchange {
        let operation = plan.operation
        do {
            var response = try await sendThroughMiddlewares(request, plan)
            // A middleware may have made an answer itself, which no transport has delivered in pieces.
            let intake = response.contentReceiver as? AnswerIntake ?? intake(plan)
            let message: ReceivedMessage?
            do { message = try intake.message(response) } catch let error as AttachmentError {
                throw unreadable(error, operation, ServiceError.ReceivedResponse(response))
            }
            if let message {
                response.body = message.root
                response.fields[.contentType] = message.contentType
            }
            let elements = try await intake.remainder(
                of: response, message, takesOthers: settings.readsMislabelledAnswers)
            if let elements { response.body = Array(elements.remainder.bytes) }
            return ReceivedExchange(response: response, message: message, elements: elements)
        } catch let failure as ElementFailure {
            throw failure.error
        } catch let error as TransportError where error.code == .contentRefused {
            if let failure = error.cause as? ElementFailure { throw failure.error }
            guard let cause = error.cause as? AttachmentError else { throw error }
            throw unreadable(cause, operation, nil)
        } catch let refusal as any AnsweredRefusal {
            throw refusal.withFault(
                limits: settings.xmlLimits, isUsable: !settings.headerProviders.contains(where: \.verifiesAnswers))
        }
    }

    private func sendThroughMiddlewares(_ request: ClientRequest, _ plan: ExchangePlan) async throws -> ClientResponse {
        guard !settings.httpMiddlewares.isEmpty else { return try await sendOnce(request, plan) }
        let exchange = ClientExchange(plan.operation, request)
        return try await pass(exchange, through: settings.httpMiddlewares[...]) { exchange in
            try OwnFields(settings).check(exchange.fields, after: request.fields)
            try request.body.check()
            var request = request
            request.fields = exchange.fields
            return try await sendOnce(request, plan)
        }
    }

    private func pass(
        _ exchange: ClientExchange, through rest: ArraySlice<any ClientHTTPMiddleware>,
        to last: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        guard let middleware = rest.first else { return try await last(exchange) }
        return try await middleware.intercept(exchange) { try await pass($0, through: rest.dropFirst(), to: last) }
    }

    /// Makes one exchange, and reports it once to ``CallSettings/onExchange``.
    private func sendOnce(_ request: ClientRequest, _ plan: ExchangePlan) async throws -> ClientResponse {
        guard !plan.areElementsGiven() else { throw ServiceError.elementsTaken }
        try checkCredentials(of: request, plan.operation)
        let intake = intake(plan)
        var request = request
        request.contentReceiver = intake
        var response = try await sendReporting(request, of: plan.operation, plan.record)
        response.contentReceiver = intake
        return response
    }

    /// Checks for credentials in plain HTTP. It is the last check before the transport, because middlewares may have
    /// added credentials.
    ///
    /// - Throws: `TransportError` with the code `invalidRequest` when an attacker on the network path could read the
    ///   credentials.
    private func checkCredentials(of request: ClientRequest, _ operation: String) throws(TransportError) {
        let origin = request.endpoint.origin
        guard origin.scheme == .http, request.fields[.authorization] != nil, !settings.allowsPlaintextCredentials,
            !transport.isLocal(origin)
        else { return }
        throw TransportError(
            .invalidRequest,
            "The field Authorization of the call \(operation) would be sent to \(origin) over plain HTTP, where an attacker "
                + "on the network path can read it: use https, or set allowsPlaintextCredentials of the calls "
                + "(signet: --allow-plaintext)."
        )
    }

    private func sendReporting(
        _ request: ClientRequest, of operation: String, _ record: ExchangeRecord?
    ) async throws -> ClientResponse {
        guard settings.onExchange != nil || record != nil else { return try await route.send(request) }
        let known = Mutex(ExchangeReport())
        var request = request
        request.failureReport = { report in known.withLock { $0 = report } }
        let start = ContinuousClock.now
        func report(_ result: Result<HTTPResponse.Status, any Error>, _ report: ExchangeReport) {
            let outcome = ExchangeOutcome(
                operation: operation, endpoint: request.endpoint, result: result, report: report)
            record?.append(outcome)
            settings.onExchange?(outcome)
        }
        do {
            let response = try await route.send(request)
            report(.success(response.status), response.report)
            return response
        } catch {
            var failed = known.withLock { $0 }
            failed.duration = ContinuousClock.now - start
            report(.failure(error), failed)
            throw error
        }
    }

    /// Makes the receiver of one answer.
    private func intake(_ plan: ExchangePlan) -> AnswerIntake {
        var limits = settings.attachments.limits
        limits.rootBytes = min(limits.rootBytes, settings.maximumResponseBytes)
        return AnswerIntake(limits: limits, elements: plan.elements?())
    }

    /// The transport, wrapped to follow redirects when the settings allow them.
    private var route: any ClientTransport {
        settings.redirects == .refuse ? transport : RedirectingTransport(transport, settings.redirects)
    }

    private func unreadable(
        _ error: AttachmentError, _ operation: String, _ answer: ServiceError.ReceivedResponse?
    ) -> ServiceError {
        ServiceError(
            .malformedAnswer, "The answer to \(operation) cannot be read: \(error)", answer: answer, cause: error)
    }
}

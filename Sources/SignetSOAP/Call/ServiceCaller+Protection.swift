extension ServiceCaller {
    private var protectors: [any HeaderBlockProvider] { settings.headerProviders.filter(\.needsWholeMessages) }

    /// Passes a request to the providers that protect whole messages.
    func protected(_ message: RequestMessage, _ attempt: CallAttempt?) async throws -> RequestMessage {
        guard let attempt, !protectors.isEmpty else { return message }
        guard case .message(var outgoing, let action) = message.content, !outgoing.isPackage else {
            throw ServiceError(
                .unwritableInput,
                "The message of \(attempt.operation) has parts by MTOM or is sent in pieces, and a header provider has to protect it as a whole. Nothing was sent: send binary values in the envelope, without MTOM."
            )
        }
        let whole = try await protected(
            SOAPMessage(outgoing.envelope, attachments: outgoing.attachments), for: attempt)
        (outgoing.envelope, outgoing.attachments) = (whole.envelope, whole.attachments)
        var message = message
        message.content = .message(outgoing, action: action)
        return message
    }

    /// Passes a message to the providers that protect whole messages.
    package func protected(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage {
        var message = message
        for provider in protectors { message = try await provider.protect(message, for: attempt) }
        return message
    }

    /// Passes an answer to the providers that verify whole messages. An answer that is no envelope is passed on unchanged; the
    /// answer reader refuses it.
    func verified(_ received: ReceivedExchange, _ attempt: CallAttempt?) async throws -> ReceivedExchange {
        let verifiers = settings.headerProviders.filter(\.verifiesAnswers)
        guard let attempt, !verifiers.isEmpty else { return received }
        let answer = ReceivedAnswer(received.response, hidesLocation: false)
        guard received.message?.isXOP != true else {
            throw ServiceError(
                .malformedAnswer,
                "The answer to \(attempt.operation) has parts by MTOM, and a header provider has to verify it as a whole. It was not used.",
                answer: answer.facts)
        }
        guard SOAPVersion.ofEnvelope(answer.body, charset: answer.charset, settings.xmlLimits) != nil else {
            var received = received
            // They came with nothing that could be verified.
            received.message = received.message?.replaced(by: SOAPMessage(received.response.body))
            return received
        }
        guard MediaType.isUTF8(answer.charset) else {
            throw ServiceError(
                .malformedAnswer,
                "The answer to \(attempt.operation) is in the encoding “\(answer.charset ?? "")”, and a header provider has to verify it as a whole, in UTF-8. It was not used.",
                answer: answer.facts)
        }
        var received = received
        do {
            var message = SOAPMessage(received.response.body, attachments: received.message?.attachments ?? [])
            for provider in verifiers.reversed() { message = try await provider.verify(message, for: attempt) }
            received.response.body = message.envelope
            received.message = received.message?.replaced(by: message)
        } catch {
            // The program must not act on an unverified fault, so the error only quotes it.
            let fault = FaultReader.fault(in: answer.body, charset: answer.charset, limits: settings.xmlLimits)
            guard let fault else { throw error }
            throw ServiceError(
                .unverifiedFault,
                "\(endpoint) answered \(attempt.operation) with a fault that is not proved to come from the service: \(fault) It was not used. \(error)",
                answer: answer.facts, cause: error)
        }
        return received
    }
}

extension ServiceCaller {
    private var protectors: [any HeaderBlockProvider] { settings.headerProviders.filter(\.needsWholeMessages) }

    /// Passes a request to the providers that protect whole messages.
    func protected(_ request: ClientRequest, _ attempt: CallAttempt?) async throws -> ClientRequest {
        guard let attempt, !protectors.isEmpty else { return request }
        guard let envelope = request.body.bytes, !Self.hasParts(request.fields[.contentType]) else {
            throw ServiceError(
                .unwritableInput,
                "The message of \(attempt.operation) has attachments or is sent in pieces, and a header provider has to protect it as a whole. Nothing was sent: send binary values in the envelope, without MTOM and without attachments."
            )
        }
        var request = request
        request.body = HTTPBody(try await protected(envelope, for: attempt))
        return request
    }

    /// Passes an envelope to the providers that protect whole messages.
    package func protected(_ envelope: [UInt8], for attempt: CallAttempt) async throws -> [UInt8] {
        var envelope = envelope
        for provider in protectors { envelope = try await provider.protect(envelope, for: attempt) }
        return envelope
    }

    /// Passes an answer to the providers that verify whole messages. An answer that is no envelope is passed on unchanged; the
    /// answer reader refuses it.
    func verified(_ received: ReceivedExchange, _ attempt: CallAttempt?) async throws -> ReceivedExchange {
        let verifiers = settings.headerProviders.filter(\.verifiesAnswers)
        guard let attempt, !verifiers.isEmpty else { return received }
        let answer = ReceivedAnswer(received.response, hidesLocation: false)
        guard received.message == nil else {
            throw ServiceError(
                .malformedAnswer,
                "The answer to \(attempt.operation) has attachments, and a header provider has to verify it as a whole. It was not used.",
                answer: answer.facts)
        }
        guard SOAPVersion.ofEnvelope(answer.body, charset: answer.charset, settings.xmlLimits) != nil else {
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
            for provider in verifiers.reversed() {
                received.response.body = try await provider.verify(received.response.body, for: attempt)
            }
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

    private static func hasParts(_ contentType: String?) -> Bool {
        contentType.map { MediaType($0).essence.hasPrefix("multipart/") } ?? false
    }
}

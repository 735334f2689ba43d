import HTTPTypes

/// Turns an HTTP answer into the output of an operation, or into the error that describes the answer.
struct AnswerReader: Sendable {
    let caller: ServiceCaller
    /// The operation's name.
    let operation: String
    /// The version of the request; nil without SOAP.
    let version: SOAPVersion?
    /// The message as it arrived, if it has parts.
    let message: ReceivedMessage?
    /// The message as an excerpt of a longer one, from which elements were removed.
    var excerpt: XMLExcerpt?

    /// The content of the body of an answer.
    private enum Content {
        case output
        case fault(any Error)
        /// Another element.
        case other(ReceivedName)
    }

    var endpoint: Endpoint { caller.endpoint }

    func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ response: ClientResponse
    ) throws -> ServiceAnswer<Output> {
        let answer = try checked(response)
        let message = try resolved(answer.body, operation.request, operation.faults, answer)
        // The output may be the content of the body itself, unless that is a fault.
        let isContent = operation.output == nil && !holdsFault(message)
        let isNamed = operation.namesAnswer
        var place: ContentPlace?
        var output: Output?
        // In SOAP's encoding, values to which the answer refers follow the answer.
        let (head, content) = try read(
            message, answer, operation.faults, besides: operation.output, handsOverBody: isContent,
            notesFurtherElements: !operation.isEncoded
        ) {
            (reader) throws(XMLError) in
            if Output.self == XMLAny.self { place = ContentPlace(&reader) }
            if !isNamed {
                let input = operation.input
                if let input, input.localName != operation.output?.localName, reader.isElement(input) {
                    reader.noteRequestName()
                }
                output = try reader.result(Output.self) { holdsOneValue(message) }
            } else if isContent || operation.output.map({ reader.takes($0) }) == true {
                output = try reader.structure(Output.self)
            }
            return output != nil
        }
        switch (content, output) {
        case (.output, let output?):
            let deviations = message.lost + head.deviations
            var result = ServiceAnswer(output, headerBlocks: head.headerBlocks, deviations: deviations)
            result.contentPlace = place
            return result
        case (.fault(let error), _): throw error
        case (.other(let name), _):
            throw unexpected(name, operation.output, answer)
        case (.output, nil), (nil, _):
            throw ServiceError(
                .malformedAnswer, "The answer to \(operation.name) has an empty body.", answer: answer.facts)
        }
    }

    /// Checks what precedes the repeated elements of an answer as ``answer(to:_:)`` does, and reads none of the output.
    ///
    /// - Returns: the header blocks.
    func open<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ response: ClientResponse
    ) throws -> [ReceivedHeaderBlock] {
        let answer = try checked(response)
        let message = Message(bytes: answer.body, charset: nil, tolerance: caller.settings.tolerance)
        let isContent = operation.output == nil && !holdsFault(message)
        let (head, content) = try read(
            message, answer, operation.faults, besides: operation.output, handsOverBody: isContent
        ) { (reader) throws(XMLError) in
            guard !operation.namesAnswer || isContent || operation.output.map({ reader.takes($0) }) == true else {
                return false
            }
            try reader.skipElement()
            return true
        }
        switch content {
        case .fault(let error): throw error
        case .other(let name): throw unexpected(name, operation.output, answer)
        case .output, nil: return head.headerBlocks
        }
    }

    /// The error for an answer whose elements cannot be read. A defect of the elements must not hide a fault.
    func failure<Input, Output>(
        _ error: XMLError, of operation: ServiceOperation<Input, Output>, _ response: ClientResponse
    ) -> any Error {
        let answer = ReceivedAnswer(response, hidesLocation: false)
        let message = Message(bytes: answer.body, charset: answer.charset, tolerance: caller.settings.tolerance)
        return fault(message, operation.faults) ?? serviceError(for: .malformed(error, nil), answer)
    }

    /// Reads the answer to a call without SOAP: the element that the WSDL declares, without an envelope.
    func answer<Input, Output>(
        to operation: HTTPOperation<Input, Output>, _ response: ClientResponse
    ) throws -> ServiceAnswer<Output> {
        let answer = try checked(response)
        guard answer.isSuccess else { throw refusal(answer) }
        let result: Result<ServiceAnswer<Output>, ServiceError>
        do throws(XMLError) {
            result = try XMLReader.read(answer.body, limits: caller.settings.xmlLimits, charset: answer.charset) {
                (reader) throws(XMLError) in
                reader.tolerance = caller.settings.tolerance
                try reader.root()
                guard reader.takes(operation.output) else {
                    return .failure(unexpected(ReceivedName(reader), operation.output, answer))
                }
                let place = Output.self == XMLAny.self ? ContentPlace(&reader) : nil
                var result = ServiceAnswer(try reader.structure(Output.self))
                try reader.finish()
                result.deviations = reader.deviations
                result.contentPlace = place
                return .success(result)
            }
        } catch {
            throw serviceError(for: .malformed(error, nil), answer)
        }
        return try result.get()
    }

    /// Checks that the service accepted a one-way message: with an answer without content, or with an envelope without
    /// a fault, which some services send although the WSDL declares none.
    func acceptance(_ response: ClientResponse) throws {
        let answer = ReceivedAnswer(response, hidesLocation: version == nil)
        try checkStatus(answer)
        guard !answer.body.isEmpty else { return }
        try checkMediaType(answer)
        let message = Message(bytes: answer.body, charset: answer.charset, tolerance: caller.settings.tolerance)
        let (_, content) = try read(message, answer, []) { (_) throws(XMLError) in false }
        if case .fault(let error) = content { throw error }
    }

    private func unexpected(_ name: ReceivedName, _ wanted: XMLName?, _ answer: ReceivedAnswer) -> ServiceError {
        let isSame = name.localName == wanted?.localName
        let found = "“\(name.localName.prefix(200))”\(isSame ? " \(name.place)" : "")"
        let expected =
            "“\(wanted?.localName ?? "Body")”\(isSame ? " \(wanted.map { ReceivedName($0).place } ?? "")" : "")"
        return ServiceError(
            .malformedAnswer, "The answer to \(operation) holds \(found) where \(expected) is expected.",
            answer: answer.facts
        )
    }

    // MARK: HTTP

    /// Returns the answer after a check that its status and content allow reading it.
    private func checked(_ response: ClientResponse) throws(ServiceError) -> ReceivedAnswer {
        let answer = ReceivedAnswer(response, hidesLocation: version == nil)
        try checkStatus(answer)
        guard !answer.body.isEmpty else {
            throw ServiceError(.emptyAnswer, "\(endpoint) answered \(operation) with nothing.", answer: answer.facts)
        }
        try checkMediaType(answer)
        return answer
    }

    /// The language of the messages, for error texts.
    var language: String { version?.description ?? "XML" }

    private func checkStatus(_ answer: ReceivedAnswer) throws(ServiceError) {
        if (300..<400).contains(answer.status) {
            let isRefused = answer.response.fields[.location].map { $0 != Endpoint.withoutUserInformation($0) } ?? false
            let hint =
                isRefused ? " The user information in it was refused: no credentials are taken from a redirect." : ""
            let fault = fault(beside: answer)
            throw ServiceError(
                .redirected,
                "\(endpoint) redirected the call to \(answer.facts.location.map(Endpoint.withoutQueryValues) ?? "no address"). The redirect was not followed: if the service has moved, configure its new address.\(hint)\(fault.words)",
                answer: answer.facts, cause: fault.error)
        }
        if answer.body.isEmpty, !answer.isSuccess { throw refusal(answer) }
    }

    func refusal(_ answer: ReceivedAnswer, cause: (any Error)? = nil) -> ServiceError {
        ServiceError(
            .refused, "\(endpoint) refused the call of \(operation).\(hint(answer))", answer: answer.facts, cause: cause
        )
    }

    /// An explanation for a refusal that contains no SOAP.
    private func hint(_ answer: ReceivedAnswer) -> String {
        var hint = ""
        if answer.status == 415, let version {
            hint =
                " It does not take \(version.mediaType), the media type of \(version): does it speak another version?"
        }
        let facts = answer.facts
        if let refusal = facts.certificateRefusal { hint += refusal.hint(sent: facts.sentCertificate) }
        if answer.isUnavailable { hint += Self.unavailability(facts) }
        return hint
    }

    /// An explanation for an answer by which the service, or a gateway in front of it, is unavailable now.
    private static func unavailability(_ answer: ServiceError.ReceivedResponse) -> String {
        let who =
            answer.status == 503
            ? "The service is not available now" : "A gateway in front of the service did not get an answer from it"
        let after = answer.retryAfter.map { "; it may be asked again after \($0)" } ?? ""
        return " \(who)\(after).\(answer.firstLine.isEmpty ? "" : " It says: “\(answer.firstLine)”.")"
    }

    // MARK: SOAP

    /// Whether an element of the body is a fault.
    private func holdsFault(_ message: Message) -> Bool {
        FaultReader.isFault(in: message.bytes, charset: message.charset, limits: caller.settings.xmlLimits)
    }

    /// Whether the first element of the body holds one element, beside the one that names it (SOAP 1.2 Part 2 §4.2.1).
    private func holdsOneValue(_ message: Message) -> Bool {
        let count = try? XMLReader.read(message.bytes, limits: caller.settings.xmlLimits, charset: message.charset) {
            (reader) throws(XMLError) in
            try reader.root()
            while try reader.nextChild(), !SOAPVersion.all.contains(where: { reader.isElement($0.body) }) {
                try reader.skipElement()
            }
            guard try reader.nextChild() else { return 0 }
            var count = 0
            while try reader.nextChild() {
                if reader.namespaceURI != XMLReader.procedures { count += 1 }
                try reader.skipElement()
            }
            return count
        }
        return count == 1
    }

    /// An answer in SOAP's encoding with every value in its place.
    private func resolved(
        _ bytes: [UInt8], _ operation: OperationRequest, _ faults: [FaultBinding], _ answer: ReceivedAnswer
    ) throws -> Message {
        let charset = answer.charset
        // Accessors have no namespace, but some services give them one (SOAP 1.1 §5.1).
        let tolerance = operation.isEncoded ? caller.settings.tolerance.union(.namespace) : caller.settings.tolerance
        var message = Message(bytes: bytes, charset: charset, tolerance: tolerance)
        guard operation.isEncoded, ReferenceResolver.isNeeded(bytes) else { return message }
        // Resolving keeps only one element of the body. A fault beside another element would be lost, so it is looked
        // for first.
        let hasFault = MarkupScanner.namesInBody(bytes, charset: charset).dropFirst().contains(FaultReader.name)
        if hasFault, let fault = fault(message, faults) { throw fault }
        do throws(XMLError) {
            let resolved = try ReferenceResolver.resolution(
                of: bytes, charset: charset, limits: caller.settings.xmlLimits)
            if caller.settings.tolerance == .strict, let error = resolved.error { throw error }
            (message.bytes, message.charset, message.lost) = (resolved.bytes, "utf-8", resolved.lost)
            return message
        } catch {
            throw fault(message, faults) ?? serviceError(for: .malformed(error, nil), answer)
        }
    }

    /// The fault in an answer that is refused for another reason, and the words that report it.
    func fault(beside answer: ReceivedAnswer) -> (words: String, error: (any Error)?) {
        guard version != nil else { return ("", nil) }
        let fault = FaultReader.fault(in: answer.body, charset: answer.charset, limits: caller.settings.xmlLimits)
        return (fault.map { " The answer holds a fault: \($0)" } ?? "", fault)
    }

    /// The fault in an answer that cannot be read otherwise.
    private func fault(_ message: Message, _ faults: [FaultBinding]) -> (any Error)? {
        FaultReader.fault(
            in: message.bytes, charset: message.charset, version, limits: caller.settings.xmlLimits, bindings: faults)
    }

    private struct Message {
        var bytes: [UInt8]
        var charset: String?
        var tolerance: XMLTolerance
        /// What the message contains and its values do not.
        var lost: [XMLDeviation] = []
    }

    /// - Parameter output: reads the output; returns false when it has read nothing.
    private func read(
        _ message: Message, _ answer: ReceivedAnswer, _ faults: [FaultBinding], besides wanted: XMLName? = nil,
        handsOverBody: Bool = false, notesFurtherElements: Bool = false,
        output: (inout XMLReader) throws(XMLError) -> Bool
    ) throws -> (head: EnvelopeHead, content: Content?) {
        let understood = caller.settings.headerProviders.reduce(caller.settings.understoodHeaderBlocks) {
            $0.union($1.understoodHeaderBlocks)
        }
        var reader = EnvelopeReader(limits: caller.settings.xmlLimits, understood: understood)
        reader.tolerance = message.tolerance
        reader.parts = self.message?.parts(room: caller.settings.xmlLimits.documentBytes)
        reader.handsOverBody = handsOverBody
        reader.notesFurtherElements = answer.isSuccess && notesFurtherElements
        let head: EnvelopeHead
        var content: Content?
        do {
            let fault: EnvelopeReader.FurtherContent = { (head, reader) throws(XMLError) in
                guard FaultReader.isFault(&reader, besides: wanted) else { return false }
                content = .fault(try FaultReader.read(&reader, head, bindings: faults))
                return true
            }
            // A fault beside another element is a fault.
            head = try reader.read(message.bytes, charset: message.charset, of: excerpt, beside: fault) {
                (head, reader) throws(XMLError) in
                if !handsOverBody, try fault(head, &reader) { return }
                // An answer that must not be used is not read.
                if answer.isSuccess, head.version == version, head.notUnderstood.isEmpty, try output(&reader) {
                    content = .output
                } else {
                    content = .other(ReceivedName(reader))
                    try reader.skipElement()
                }
            }
        } catch {
            // An error elsewhere in the answer must not hide a fault.
            throw fault(message, faults) ?? serviceError(for: error, answer)
        }
        try judge(head, content, answer)
        return (head, content)
    }

    /// Refuses an answer whose status, version or header blocks do not allow using its body.
    private func judge(
        _ head: EnvelopeHead, _ content: Content?, _ answer: ReceivedAnswer
    ) throws(ServiceError) {
        var fault: (any Error)?
        if case .fault(let error) = content { fault = error }
        // This holds whatever the envelope contains: a success has another status (SOAP 1.1 §6.2, SOAP 1.2 Part 2
        // §7.5.1.2).
        if fault == nil, !answer.isSuccess {
            var refusal = self.refusal(answer)
            if case .other(let name) = content, name.localName != head.version.body.localName {
                let found = "“\(name.localName.prefix(200))” and no fault"
                refusal.message += " Its body holds \(found); it was not read because of the status."
            }
            throw refusal
        }
        // A fault of another version is accepted when it reports just that mismatch (SOAP 1.2 Part 1 Appendix A).
        if head.version != version, (fault as? SOAPFault)?.code != .versionMismatch {
            let said = fault.map { " It holds a fault: \($0)" } ?? ""
            throw ServiceError(
                .versionMismatch,
                "\(endpoint) answered \(operation) with \(head.version) instead of \(language).\(said)",
                answer: answer.facts, cause: fault)
        }
        // A header block that must be understood prevents the use of an output, but not of a fault.
        if fault == nil, let name = head.notUnderstood.first {
            throw ServiceError(
                .headerNotUnderstood,
                "The answer to \(operation) has the header block \(name.brief), which must be understood and is not. If the program deals with it, add its name to understoodHeaderBlocks.",
                answer: answer.facts)
        }
    }

    private func serviceError(
        for failure: EnvelopeReader.Failure, _ answer: ReceivedAnswer
    ) -> ServiceError {
        switch failure {
        // An answer that is no envelope comes from something in front of the service, whatever its media type.
        case .malformed(let error, _)
        where !answer.isSuccess && (answer.isUnavailable || !answer.facts.firstLine.isEmpty):
            refusal(answer, cause: error)
        case .malformed(let error, _):
            ServiceError(
                .malformedAnswer, "The answer to \(operation) cannot be read: \(error)", answer: answer.facts,
                cause: error)
        case .notAnEnvelope(let root):
            ServiceError(
                answer.isSuccess ? .notSOAP : .refused,
                "\(endpoint) answered \(operation) with XML that is no SOAP envelope: its root is “\(root)”.\(hint(answer))",
                answer: answer.facts)
        case .unknownVersion(let namespace):
            ServiceError(
                .versionMismatch,
                "\(endpoint) answered \(operation) with an envelope of the namespace “\(namespace.prefix(200))” instead of \(language).",
                answer: answer.facts)
        case .incorrect(let problem, let version):
            ServiceError(
                .malformedAnswer, "The answer to \(operation) is not correct \(version): \(problem).",
                answer: answer.facts)
        }
    }
}

extension ServiceOperation {
    /// Whether the name of the element that contains the answer has a meaning; in a remote procedure it has none (SOAP
    /// 1.1 §7.1).
    fileprivate var namesAnswer: Bool { !isRPC && !isEncoded }
}

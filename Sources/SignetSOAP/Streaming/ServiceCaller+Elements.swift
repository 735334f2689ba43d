extension ServiceCaller {
    /// Calls an operation whose answer may have any number of elements of one kind, and hands these over one after the
    /// other while the answer arrives.
    ///
    /// ```swift
    /// let answer = try await diary.caller.answer(
    ///     to: Diary.Operations.query, input, each: [response, entry], of: Diary.Entry.self
    /// ) { entry in total += entry.amount }
    /// ```
    ///
    /// The elements of one piece of the answer are read while those of the piece before are taken; the server is slowed
    /// down when `take` takes longer. Before the first one is handed over, everything before it is checked as for other
    /// calls: the status, the version of SOAP, header blocks that must be understood, and the checks of
    /// ``CallSettings/headerProviders``. A problem that only appears after them, such as a fault or a lost connection,
    /// ends the call with an error after elements were handed over.
    ///
    /// An answer that cannot be read while it arrives is kept in memory, within the limits of other calls, before its
    /// elements are handed over: an answer with parts beside its envelope, an answer whose media type is not one of XML
    /// (``CallSettings/readsMislabelledAnswers``), and an answer that the transport or a middleware delivers as a
    /// whole.
    ///
    /// A call is never repeated after one of its elements was handed over. Middlewares see the output without its
    /// elements; ``ClientHTTPMiddleware`` sees no content. ``/SignetHTTP/Deadlines/total`` applies to the whole call,
    /// `take` included.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - input: the input of the operation.
    ///   - headerBlocks: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. Elements at other
    ///     places, or with other names, stay in the output.
    ///   - type: the type of the element.
    ///   - stream: the stream that is written into the request while it is sent, as for
    ///     ``answer(to:_:sending:headerBlocks:)``; nil to send the input as it is.
    ///   - elementBytes: the size of one element in bytes, 1 MiB unless given; a larger one ends the call.
    ///     ``/SignetXML/XMLLimits/documentBytes`` limits the rest of the answer, and
    ///     ``CallSettings/maximumStreamedBytes`` the whole answer.
    ///   - take: receives the elements in their order. An error that it throws ends the call, and is thrown.
    /// - Returns: the answer without the elements. The rest of the answer must have everything else that the type of
    ///   the output requires.
    /// - Throws: the errors of ``answer(to:_:headerBlocks:attachments:)``, and those of `take`. ``ServiceError`` with
    ///   the code `unstreamable` when the answer to this operation cannot be handed over in elements; nothing was sent
    ///   then.
    nonisolated(nonsending) public func answer<Input, Output, Element: XMLStructure>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], each path: [XMLName], of type: Element.Type = Element.self,
        sending stream: ServiceStream? = nil, elementBytes: Int = 1 << 20,
        take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try await answer(
            to: operation, input, headerBlocks, attachments, path, stream, elementBytes,
            { XMLElementReading<Element>.structures(tolerance: $0, inclusions: $1) }, take: take)
    }

    /// Does the same for elements of a simple type, such as `String`: see the method for elements of a complex type.
    nonisolated(nonsending) public func answer<Input, Output, Element: XMLValue>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], each path: [XMLName], of type: Element.Type = Element.self,
        sending stream: ServiceStream? = nil, elementBytes: Int = 1 << 20,
        take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try await answer(
            to: operation, input, headerBlocks, attachments, path, stream, elementBytes,
            { XMLElementReading<Element>.values(tolerance: $0, inclusions: $1) }, take: take)
    }

    /// - Parameter reading: how elements are read: which deviations are taken, and where their content is found that
    ///   they only refer to.
    nonisolated(nonsending) private func answer<Input, Output, Element: Sendable>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, _ headerBlocks: [HeaderBlock],
        _ attachments: [MessageAttachment], _ path: [XMLName], _ stream: ServiceStream?, _ elementBytes: Int,
        _ reading: @escaping @Sendable (XMLTolerance, (any XMLInclusionSource)?) -> XMLElementReading<Element>,
        take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try await answer(
            to: operation, input, headerBlocks, attachments, path, stream, least: 2,
            { [limits = settings.xmlLimits, tolerance = settings.tolerance] path, charset, parts in
                XMLElementCollector(
                    XMLFramer(path: path, limits: limits, elementBytes: elementBytes, charset: charset),
                    reading(tolerance, parts))
            }, take: take)
    }

    /// - Parameters:
    ///   - least: the least number of names in the path when the WSDL states the name of the answer.
    ///   - makeCollector: makes the reader of an answer, given the names from the envelope on.
    nonisolated(nonsending) func answer<Input, Output, Collector: XMLPieceCollector>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, _ headerBlocks: [HeaderBlock],
        _ attachments: [MessageAttachment], _ path: [XMLName], _ stream: ServiceStream?, least: Int,
        _ makeCollector: @escaping @Sendable ([XMLName], String?, (any XMLInclusionSource)?) -> Collector,
        take: nonisolated(nonsending) (Collector.Value) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try check(path, least: least, of: operation)
        let stream = try stream.map { stream throws(ServiceError) in try checked(stream, operation.request) }
        let handover = ElementHandover<Collector.Value>()
        let elements = AnswerElements { reader, response in
            try reader.open(operation, response)
        } failure: { reader, error, response in
            reader.failure(error, of: operation, response)
        } receiver: { [limits = settings.xmlLimits] version, judge in
            ElementIntake(handover: handover, judge: judge, partBytes: limits.documentBytes) {
                makeCollector([version.envelope, version.body] + path, $0, $1)
            }
        } areGiven: {
            handover.hasGiven
        }
        return try await withThrowingTaskGroup(of: ServiceAnswer<Output>.self) { group in
            // The caller's own task takes the elements, so that `take` need not be Sendable.
            group.addTask {
                defer { handover.finish() }
                return try await perform(
                    operation.request, input, headerBlocks, attachments, elements, stream: stream
                ) {
                    try $0.answer(to: operation, $1)
                }
            }
            defer { handover.close() }
            while let batch = await handover.next() {
                for element in batch {
                    if Task.isCancelled { throw TransportError.cancelled(mayHaveBeenProcessed: true) }
                    try await take(element)
                }
            }
            guard let answer = try await group.next() else {
                throw TransportError.cancelled(mayHaveBeenProcessed: true)
            }
            return answer
        }
    }

    /// Refuses calls whose answer cannot be read while it arrives.
    ///
    /// - Throws: ``ServiceError`` with the code `unstreamable`.
    private func check<Input, Output>(
        _ path: [XMLName], least: Int, of operation: ServiceOperation<Input, Output>
    ) throws(ServiceError) {
        let name = operation.name
        func refusal(_ reason: String) -> ServiceError {
            ServiceError(.unstreamable, "The answer to \(name) cannot be handed over in elements: \(reason)")
        }
        if operation.isEncoded {
            throw refusal("values in SOAP's encoding refer to each other, so that it can only be read as a whole.")
        }
        guard let first = path.first else { throw refusal("the path of the elements is empty; name them.") }
        if let output = operation.output, !operation.isRPC {
            guard first == output else {
                throw refusal(
                    "the path begins with “\(first.localName)” (\(ReceivedName(first).place)), and the answer is “\(output.localName)” (\(ReceivedName(output).place)); name that first."
                )
            }
            guard path.count >= least else {
                throw refusal("the path names the answer itself; name the elements in it that are repeated.")
            }
        }
        if let name = wholeMessageReader {
            throw refusal("\(name) has to see the whole message; call without it, or without elements.")
        }
    }
}

extension ServiceCaller {
    /// Calls an operation whose answer may hold any number of elements of one kind, and hands these over one after the
    /// other while the answer arrives.
    ///
    /// ```swift
    /// let answer = try await diary.caller.answer(
    ///     to: Diary.Operations.query, input, each: [response, entry], of: Diary.Entry.self
    /// ) { entry in total += entry.amount }
    /// ```
    ///
    /// The elements of one piece of the answer are read while those of the piece before are taken; the server is slowed
    /// down when `take` takes longer. Before the first one is handed over, all that stands before it is judged as for
    /// other calls: the status, the version of SOAP, header blocks that must be understood, and by
    /// ``CallSettings/headerProviders``. What only shows behind them, such as a fault or a lost connection, ends the
    /// call with an error after elements were handed over.
    ///
    /// An answer that cannot be read while it arrives is kept in memory, within the bounds of other calls, before its
    /// elements are handed over: one with parts beside its envelope, one labelled as something else than XML
    /// (``CallSettings/readsMislabelledAnswers``), and one that the transport or a middleware gives as a whole.
    ///
    /// A call of which an element was handed over is never made again. Middlewares see the output without its elements;
    /// ``ClientHTTPMiddleware`` sees no content. ``Deadlines/total`` holds for the whole call, `take` included.
    ///
    /// - Parameters:
    ///   - headerBlocks: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. Elements at other
    ///     places, or with other names, stay in the output.
    ///   - type: the type of the element.
    ///   - stream: what is written into the request while it is sent, as for ``answer(to:_:sending:headerBlocks:)``;
    ///     nil to send the input as it is.
    ///   - elementBytes: the size of one element in bytes, 1 MiB unless given; a larger one ends the call. What stands
    ///     outside of them is bounded by ``XMLLimits/documentBytes``, the whole by
    ///     ``CallSettings/maximumStreamedBytes``.
    ///   - take: is given the elements in their order. An error that it throws ends the call, and is thrown.
    /// - Returns: the answer without the elements. What the type of its output requires it must have without them.
    /// - Throws: what ``answer(to:_:headerBlocks:attachments:)`` throws, and what `take` throws. ``ServiceError`` with
    ///   the code `unstreamable` where the call cannot be made so; nothing was sent then.
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

    /// The same for elements of a simple type, such as `String`: see the method for elements of a complex type.
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

    /// - Parameter reading: how elements are read: which deviations are taken, and where their content is found that they only
    ///   refer to.
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
    ///   - least: how many names the path has, where the WSDL says what the answer is called.
    ///   - makeCollector: makes what reads an answer, of the names from the envelope on.
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
            // The caller's own task takes them, so that it need not share anything.
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

    /// Refuses what could not be read while it arrives.
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

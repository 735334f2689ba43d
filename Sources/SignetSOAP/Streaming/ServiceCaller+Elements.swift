extension ServiceCaller {
    /// Calls an operation whose answer may hold any number of elements of one kind, and hands these over one after the other
    /// while the answer arrives.
    ///
    /// ```swift
    /// let answer = try await diary.caller.answer(
    ///     to: Diary.Operations.query, input, each: [response, entry], of: Diary.Entry.self
    /// ) { entry in total += entry.amount }
    /// ```
    ///
    /// The elements of one piece of the answer are read while those of the piece before are taken; the server is slowed down
    /// when `take` takes longer. Before the first one is handed over, all that stands before it is judged as for other calls: the
    /// status, the version of SOAP, header blocks that must be understood, and by ``CallSettings/headerProviders``. What only shows
    /// behind them, such as a fault or a lost connection, ends the call with an error after elements were handed over.
    ///
    /// An answer that cannot be read while it arrives is kept in memory, within the bounds of other calls, before its elements are
    /// handed over: one with parts beside its envelope, one labelled as something else than XML
    /// (``CallSettings/readsMislabelledAnswers``), and one that the transport or a middleware gives as a whole.
    ///
    /// A call of which an element was handed over is never made again. Middlewares see the output without its elements;
    /// ``ClientHTTPMiddleware`` sees no content. ``Deadlines/total`` holds for the whole call, `take` included.
    ///
    /// - Parameters:
    ///   - headerBlocks: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. Elements at other places, or
    ///     with other names, stay in the output.
    ///   - type: the type of the element.
    ///   - elementBytes: the size of one element in bytes, 1 MiB unless given; a larger one ends the call. What stands outside of them
    ///     is bounded by ``XMLLimits/documentBytes``, the whole by ``CallSettings/maximumStreamedBytes``.
    ///   - take: is given the elements in their order. An error that it throws ends the call, and is thrown.
    /// - Returns: the answer without the elements. What the type of its output requires it must have without them.
    /// - Throws: what ``answer(to:_:headerBlocks:attachments:)`` throws, and what `take` throws. ``ServiceError`` with the code
    ///   `unstreamable` where the call cannot be made so; nothing was sent then.
    nonisolated(nonsending) public func answer<Input, Output, Element: XMLStructure>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], each path: [XMLName], of type: Element.Type = Element.self,
        elementBytes: Int = 1 << 20, take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        let tolerance = settings.tolerance
        return try await answer(
            to: operation, input, headerBlocks, attachments, path, elementBytes,
            reading: { .structures(tolerance: tolerance, inclusions: $0) }, take: take)
    }

    /// The same for elements of a simple type; see
    /// ``answer(to:_:headerBlocks:attachments:each:of:elementBytes:take:)-(_,_,_,_,_,XMLStructure.Type,_,_)``.
    nonisolated(nonsending) public func answer<Input, Output, Element: XMLValue>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], each path: [XMLName], of type: Element.Type = Element.self,
        elementBytes: Int = 1 << 20, take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        let tolerance = settings.tolerance
        return try await answer(
            to: operation, input, headerBlocks, attachments, path, elementBytes,
            reading: { .values(tolerance: tolerance, inclusions: $0) }, take: take)
    }

    nonisolated(nonsending) private func answer<Input, Output, Element: Sendable>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, _ headerBlocks: [HeaderBlock],
        _ attachments: [MessageAttachment], _ path: [XMLName], _ elementBytes: Int,
        reading: @escaping @Sendable ((any XMLInclusionSource)?) -> XMLElementReading<Element>,
        take: nonisolated(nonsending) (Element) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try check(path, of: operation)
        let handover = ElementHandover<Element>()
        let elements = AnswerElements { reader, response in
            try reader.open(operation, response)
        } failure: { reader, error, response in
            reader.failure(error, of: operation, response)
        } receiver: { [limits = settings.xmlLimits] version, judge in
            ElementIntake(
                path: [version.envelope, version.body] + path, elementBytes: elementBytes, limits: limits,
                handover: handover, judge: judge, reading: reading)
        } areGiven: {
            handover.hasGiven
        }
        return try await withThrowingTaskGroup(of: ServiceAnswer<Output>.self) { group in
            // The caller's own task takes them, so that it need not share anything.
            group.addTask {
                defer { handover.finish() }
                return try await perform(operation.request, input, headerBlocks, attachments, elements) {
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
            guard let answer = try await group.next(), !Task.isCancelled else {
                throw TransportError.cancelled(mayHaveBeenProcessed: true)
            }
            return answer
        }
    }

    /// Refuses what could not be read while it arrives.
    ///
    /// - Throws: ``ServiceError`` with the code `unstreamable`.
    private func check<Input, Output>(
        _ path: [XMLName], of operation: ServiceOperation<Input, Output>
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
            guard path.count > 1 else {
                throw refusal("the path names the answer itself; name the elements in it that are repeated.")
            }
        }
        if let provider = settings.headerProviders.first(where: \.needsWholeMessages) {
            throw refusal(
                "the header provider \(type(of: provider)) has to see the whole message; call without it, or without elements."
            )
        }
        if let middleware = settings.httpMiddlewares.first(where: \.needsWholeMessages) {
            throw refusal(
                "the middleware \(type(of: middleware)) has to see the whole message; call without it, or without elements."
            )
        }
    }
}

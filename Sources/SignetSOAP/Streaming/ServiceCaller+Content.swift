extension ServiceCaller {
    /// Calls an operation whose answer has an element of `xs:base64Binary` with content of any length, and hands that
    /// over decoded, piece by piece, while the answer arrives.
    ///
    /// All else is as for elements that are handed over one by one (`each:`). The element
    /// stays in the output, and is empty there. Content that came beside the envelope is not handed over, but an error:
    /// the service answers with MTOM, and values of that are read in pieces without this method
    /// (``MessageAttachment``).
    ///
    /// - Parameters:
    ///   - headerBlocks: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``answer(to:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. A second element
    ///     there is an error.
    ///   - stream: what is written into the request while it is sent; nil to send the input as it is.
    ///   - take: is given the pieces in their order, each of 64 KiB or so. That the content is whole and undamaged is
    ///     known when the call has returned.
    /// - Throws: ``ServiceError`` with the code `malformedAnswer` for what is no base64, with its place in the answer;
    ///   what `take` throws, and what other calls throw.
    nonisolated(nonsending) public func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], base64 path: [XMLName], sending stream: ServiceStream? = nil,
        take: nonisolated(nonsending) ([UInt8]) async throws -> Void
    ) async throws -> ServiceAnswer<Output> {
        try await answer(
            to: operation, input, headerBlocks, attachments, path, stream, least: 1,
            { [limits = settings.xmlLimits] path, charset, _ in
                XMLContentCollector(path: path, limits: limits, charset: charset)
            }, take: take)
    }

    /// The same into a file, which only its owner can open, and which gets its name when the answer has been read to
    /// its end: whatever fails leaves no file behind, and what was there as it was. So does an answer without content at the path: a
    /// program that wants an empty file then takes the pieces.
    ///
    /// - Parameters:
    ///   - file: where the content goes.
    ///   - replacing: whether what is there already may be replaced.
    /// - Throws: ``AttachmentError`` with `fileExists` or `fileFailed`, mostly before anything is sent; ``ServiceError`` with the code
    ///   `malformedAnswer` for an answer without content at the path; what
    ///   ``answer(to:_:headerBlocks:attachments:base64:sending:take:)`` throws.
    nonisolated(nonsending) public func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = [],
        attachments: [MessageAttachment] = [], base64 path: [XMLName], sending stream: ServiceStream? = nil,
        savingTo file: String, replacing: Bool = false
    ) async throws -> ServiceAnswer<Output> {
        let new = try AttachmentFile.new(toBecome: file, replacing: replacing)
        do {
            var count = 0
            let answer = try await answer(
                to: operation, input, headerBlocks: headerBlocks, attachments: attachments, base64: path,
                sending: stream
            ) { bytes in
                try new.write(bytes[...], at: count)
                count += bytes.count
            }
            guard count > 0 else {
                throw ServiceError(
                    .malformedAnswer,
                    "The answer to \(operation.name) has no content in “\(path.last?.localName ?? "")”, so that “\(file)” was not written. Where the content may be empty, take it piece by piece (take:)."
                )
            }
            try new.sync()
            try new.move(to: file, replacing: replacing)
            return answer
        } catch {
            AttachmentFile.remove(new.path)
            throw error
        }
    }
}

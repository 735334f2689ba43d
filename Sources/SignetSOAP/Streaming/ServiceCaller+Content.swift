extension ServiceCaller {
    /// Calls an operation whose answer has an element of `xs:base64Binary` with content of any length, and hands the
    /// decoded content over piece by piece while the answer arrives.
    ///
    /// Everything else works as for elements that are handed over one by one (`each:`). The element stays in the
    /// output, and is empty there. Content that came beside the envelope is not handed over but is an error: the
    /// service then answers with MTOM, and its values can be read in pieces without this method
    /// (``MessageAttachment``).
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - input: the input of the operation.
    ///   - headerBlocks: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. A second such
    ///     element is an error.
    ///   - stream: the stream that is written into the request while it is sent; nil to send the input as it is.
    ///   - take: receives the pieces in their order, each of about 64 KiB. Only when the call has returned is it
    ///     certain that the content is complete and undamaged.
    /// - Throws: ``ServiceError`` with the code `malformedAnswer` for content that is not base64, with its place in the
    ///   answer; the errors of `take`, and those of other calls.
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

    /// Writes the content to a file instead, which only its owner can open, and which gets its name when the answer has
    /// been read to its end: an error leaves no file behind, and an existing file as it was. An answer without content
    /// at the path is an error too: a program that wants an empty file then takes the pieces.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - input: the input of the operation.
    ///   - headerBlocks: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - attachments: as for ``call(_:_:headerBlocks:attachments:)``.
    ///   - path: the names of the element and of those around it, beginning with the child of Body. A second such
    ///     element is an error.
    ///   - stream: the stream that is written into the request while it is sent; nil to send the input as it is.
    ///   - file: the path of the file.
    ///   - replacing: whether an existing file may be replaced.
    /// - Throws: ``AttachmentError`` with `fileExists` or `fileFailed`, mostly before anything is sent;
    ///   ``ServiceError`` with the code `malformedAnswer` for an answer without content at the path; the errors of
    ///   ``answer(to:_:headerBlocks:attachments:base64:sending:take:)``.
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

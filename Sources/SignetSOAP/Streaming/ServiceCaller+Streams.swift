extension ServiceCaller {
    /// Calls an operation with a request of which one part is written while it is sent.
    ///
    /// A stream cannot be combined with attachments, MTOM or SOAP's encoding, nor with a header provider or an HTTP
    /// middleware that has to see the whole message. When an HTTP middleware reads the content of a stream that can be
    /// written only once, the call has no content left to send. With ``CallSettings/checksInput`` the input is checked
    /// without the elements, and each element before it is sent.
    ///
    /// - Parameters:
    ///   - operation: the operation.
    ///   - input: the input of the operation, without the content of the stream.
    ///   - stream: the content to write into the request, and its place.
    ///   - headerBlocks: as for ``call(_:_:headerBlocks:attachments:)``.
    /// - Throws: the errors of ``answer(to:_:headerBlocks:attachments:)``. ``ServiceError`` with the code
    ///   `unstreamable` when the request cannot be streamed; nothing was sent then. ``/SignetHTTP/TransportError`` with
    ///   `contentFailed` when the stream ends with an error.
    public func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ input: Input, sending stream: ServiceStream,
        headerBlocks: [HeaderBlock] = []
    ) async throws -> ServiceAnswer<Output> {
        let stream = try checked(stream, operation.request)
        return try await perform(operation.request, input, headerBlocks, [], stream: stream) {
            try $0.answer(to: operation, $1)
        }
    }

    /// Sends the message of an operation that has no answer. A part of the message is written while it is sent; see
    /// ``answer(to:_:sending:headerBlocks:)``.
    public func send<Input>(
        _ operation: OneWayOperation<Input>, _ input: Input, sending stream: ServiceStream,
        headerBlocks: [HeaderBlock] = []
    ) async throws {
        let stream = try checked(stream, operation.request)
        _ = try await perform(operation.request, input, headerBlocks, [], stream: stream) { reader, response in
            try reader.acceptance(response)
            return ServiceAnswer(())
        }
    }

    /// - Throws: ``ServiceError`` with the code `unstreamable`.
    func checked(_ stream: ServiceStream, _ operation: OperationRequest) throws(ServiceError) -> ServiceStream {
        if operation.isEncoded {
            throw operation.unstreamable("messages in SOAP's encoding are written as a whole.")
        }
        let least = stream.kind == .elements && operation.input != nil ? 2 : 1
        guard stream.path.count >= least, operation.input == nil || stream.path.first == operation.input else {
            throw operation.unstreamable(
                "the path of the stream has to begin with the child of Body\(operation.input.map { ", “\($0.localName)” \(ReceivedName($0).place)," } ?? "") and to end with what is streamed."
            )
        }
        if let name = wholeMessageReader {
            throw operation.unstreamable("\(name) has to see the whole message; call without it, or without a stream.")
        }
        var stream = stream
        stream.checksElements = settings.checksInput
        return stream
    }

    /// The header provider or the middleware that has to see whole messages, for an error text; nil when there is none.
    var wholeMessageReader: String? {
        if let provider = settings.headerProviders.first(where: \.needsWholeMessages) {
            return "the header provider \(type(of: provider))"
        }
        return settings.httpMiddlewares.first(where: \.needsWholeMessages).map { "the middleware \(type(of: $0))" }
    }
}

extension OperationRequest {
    func unstreamable(_ reason: String) -> ServiceError {
        ServiceError(.unstreamable, "The message of \(name) cannot be sent piece by piece: \(reason)")
    }

    /// The content of a request of which one part is written while it is sent.
    ///
    /// - Throws: ``ServiceError`` with the code `unstreamable`.
    func body<Input: XMLStructure>(
        _ outgoing: OutgoingMessage, _ stream: ServiceStream, of type: Input.Type
    ) throws -> HTTPBody {
        guard outgoing.isAlone else {
            throw unstreamable("it has attachments or is made for MTOM; send those with a call of their own.")
        }
        guard stream.canBeSent else {
            throw TransportError(
                .contentUsed,
                "The stream of the call \(name) was sent already and cannot be sent again; make it with `regenerating`."
            )
        }
        let version = outgoing.version
        let path = [version.envelope, version.body] + stream.path
        let isInOwnElements = stream.path.count == (input == nil ? 1 : 2)
        let place =
            switch stream.kind {
            case .elements:
                try XMLInsertionPlace.elements(
                    at: path, in: outgoing.envelope,
                    isInOwnElements ? stream.path.last.map { Input.order(of: $0) } ?? .unknown : .unknown)
            case .content: try XMLInsertionPlace.content(of: path, in: outgoing.envelope)
            }
        guard let place else {
            let last = stream.path.last?.localName ?? ""
            throw unstreamable(
                stream.kind == .elements
                    ? "the schema does not say where the elements “\(last)” belong; put the first one of them into the input."
                    : "the input has no empty element “\(last)” at the path; give it an empty value there.")
        }
        return stream.body(in: outgoing.envelope, at: place)
    }
}

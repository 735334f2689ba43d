import HTTPTypes

/// What the body of an answer holds.
private enum BodyContent<Output> {
    case output(Output)
    case fault(any Error)
    /// Another element, by its local name.
    case other(String)
}

extension ServiceCaller {
    /// Turns an HTTP answer into the output, or into the error that says what it is instead.
    func answer<Input, Output>(
        to operation: ServiceOperation<Input, Output>, _ response: ClientResponse
    ) throws -> Output {
        let answer = describe(response)
        let status = response.status.code
        if (300..<400).contains(status) {
            throw ServiceError(
                .redirected,
                "\(endpoint) sent us on to \(answer.location ?? "nowhere"). Redirects are not followed: if the service has moved, configure its new address.",
                answer: answer)
        }
        guard !response.body.isEmpty else {
            if (200..<300).contains(status) {
                throw ServiceError(.emptyAnswer, "\(endpoint) answered \(operation.name) with nothing.", answer: answer)
            }
            throw ServiceError(.refused, "\(endpoint) refused the call of \(operation.name).", answer: answer)
        }
        let isSuccess = (200..<300).contains(status)
        guard Self.isXML(answer.contentType) else {
            throw ServiceError(
                isSuccess ? .notSOAP : .refused,
                isSuccess
                    ? "\(endpoint) answered \(operation.name) with something that is not SOAP. Is this the address of the service, and not of a page or a login?"
                    : "\(endpoint) refused the call of \(operation.name).", answer: answer)
        }
        return try decode(operation, response.body, answer)
    }

    private func decode<Input, Output>(
        _ operation: ServiceOperation<Input, Output>, _ bytes: [UInt8], _ answer: ServiceError.Answer
    ) throws -> Output {
        let content: BodyContent<Output>?
        do {
            (_, content) = try EnvelopeReader.read(
                bytes, version: operation.version, limits: xmlLimits, understood: understoodHeaderBlocks
            ) { (reader) throws(XMLError) in
                if reader.isElement(operation.output) { return .output(try reader.structure(Output.self)) }
                if reader.isElement(operation.version.fault) {
                    return .fault(
                        try EnvelopeReader.fault(
                            &reader, bytes, version: operation.version, bindings: operation.faults))
                }
                let name = reader.elementName
                try reader.skipElement()
                return .other(name)
            }
        } catch {
            throw serviceError(for: error, operation.name, operation.version, answer)
        }
        switch content {
        case .output(let output): return output
        case .fault(let error): throw error
        case .other(let name):
            throw ServiceError(
                .malformedAnswer,
                "The answer to \(operation.name) holds “\(name)” where “\(operation.output.localName)” is expected.",
                answer: answer)
        case nil:
            throw ServiceError(.malformedAnswer, "The answer to \(operation.name) has an empty body.", answer: answer)
        }
    }

    private func serviceError(
        for failure: EnvelopeReader.Failure, _ operation: String, _ version: SOAPVersion, _ answer: ServiceError.Answer
    ) -> ServiceError {
        switch failure {
        case .malformed(let error):
            return ServiceError(
                .malformedAnswer, "The answer to \(operation) cannot be read: \(error)", answer: answer, cause: error)
        case .notAnEnvelope(let root):
            return ServiceError(
                answer.status < 300 ? .notSOAP : .refused,
                "\(endpoint) answered \(operation) with XML that is no SOAP envelope: its root is “\(root)”.",
                answer: answer)
        case .version(let namespace):
            let name = namespace == SOAPVersion.soap12Namespace.uri ? "SOAP 1.2" : "the namespace “\(namespace)”"
            return ServiceError(
                .versionMismatch, "\(endpoint) answered \(operation) with \(name) instead of \(version).",
                answer: answer)
        case .headerNotUnderstood(let name):
            return ServiceError(
                .headerNotUnderstood,
                "The answer to \(operation) has the header block \(name), which must be understood and is not.",
                answer: answer)
        }
    }

    /// Services label XML as text/xml, application/xml, application/soap+xml; some label nothing.
    static func isXML(_ contentType: String?) -> Bool {
        guard let contentType else { return true }
        let media = contentType.split(separator: ";").first?.lowercased().filter { $0 != " " } ?? ""
        return media == "text/xml" || media == "application/xml"
            || media.hasSuffix("+xml")
                && media != "application/xhtml+xml"
    }

    private func describe(_ response: ClientResponse) -> ServiceError.Answer {
        ServiceError.Answer(
            status: response.status.code, contentType: response.fields[.contentType],
            firstBytes: Self.printable(response.body.prefix(200)), location: response.fields[.location])
    }

    /// Text that can stand in a log line: what a server sends must not forge lines or move a cursor.
    private static func printable(_ bytes: ArraySlice<UInt8>) -> String {
        var text = ""
        for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
            let isControl = scalar.value < 0x20 || (0x7F..<0xA0).contains(scalar.value)
            text.unicodeScalars.append(isControl ? " " : scalar)
        }
        return text
    }
}

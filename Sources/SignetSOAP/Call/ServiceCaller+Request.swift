import HTTPTypes

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

extension ServiceCaller {
    /// The envelope that a call would send if no middleware changed it.
    package func envelope<Input, Output>(
        for operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = []
    ) throws(XMLError) -> [UInt8] {
        let operation = operation.request
        return try operation.envelope(
            version ?? operation.version, self.headerBlocks + headerBlocks, operation.input, input)
    }

    func request<Input>(_ call: ServiceCall<Input>, _ operation: OperationRequest) throws -> ClientRequest {
        if checksInput {
            let violations = call.input.violations()
            if let first = violations.first {
                let more = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
                throw ServiceError(
                    .invalidInput, "The input of \(call.operation) is not what its schema asks for: \(first)\(more).",
                    violations: violations)
            }
        }
        let envelope: [UInt8]
        do {
            envelope = try operation.envelope(call.version, call.headerBlocks, operation.input, call.input)
        } catch {
            throw ServiceError(
                .unwritableInput, "The input of \(call.operation) cannot be sent: \(error)", cause: error)
        }
        var request = ClientRequest(
            endpoint, fields: fields, body: HTTPBody(envelope), deadlines: deadlines,
            maximumResponseBytes: maximumResponseBytes)
        for name in [HTTPField.Name.contentType, .soapAction] + (cookies == nil ? [] : [.cookie])
        where fields[name] != nil {
            throw TransportError(
                .invalidRequest, "The field \(name) is set by Signet itself: remove it from the fields of the client.")
        }
        let action = try quoted(operation)
        request.fields[.contentType] = "\(call.version.mediaType); charset=utf-8"
        if call.version == .soap11 {
            request.fields[.soapAction] = action
        } else if !operation.soapAction.isEmpty {
            // An action is an absolute URI, which an empty one is not (RFC 3902 §3): it is left out then. Servers that
            // choose the operation by the body's element do not miss it.
            request.fields[.contentType]?.append("; action=\(action)")
        }
        if request.fields[.accept] == nil { request.fields[.accept] = call.version.mediaType }
        if let value = cookies?.field(for: endpoint, now: .now) {
            var cookie = HTTPField(name: .cookie, value: value)
            cookie.indexingStrategy = .disallow
            request.fields.append(cookie)
        }
        return request
    }

    /// The action as a quoted string (RFC 9110 §5.6.4).
    private func quoted(_ operation: OperationRequest) throws -> String {
        var result = "\""
        for scalar in operation.soapAction.unicodeScalars {
            guard scalar.value >= 0x20, scalar.value != 0x7F else {
                throw TransportError(
                    .invalidRequest,
                    "The SOAP action of \(operation.name) holds a control character: correct it in the WSDL.")
            }
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.unicodeScalars.append(scalar)
        }
        return result + "\""
    }
}

extension HTTPField.Name {
    /// SOAP 1.1 §6.1.1.
    static var soapAction: HTTPField.Name { HTTPField.Name("SOAPAction") ?? .expect }
    static var location: HTTPField.Name { HTTPField.Name("Location") ?? .expect }
}

extension Int64 {
    /// Seconds since 1970.
    static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

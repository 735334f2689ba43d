import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

extension ServiceCaller {
    /// The envelope that a call would send if no middleware changed it, without the blocks of
    /// ``CallSettings/headerProviders``.
    package func envelope<Input, Output>(
        for operation: ServiceOperation<Input, Output>, _ input: Input, headerBlocks: [HeaderBlock] = []
    ) throws(XMLError) -> [UInt8] {
        let operation = operation.request
        return try operation.envelope(
            settings.version ?? operation.version, settings.headerBlocks + headerBlocks, operation.input, input)
    }

    /// The request that a call would send if no middleware changed it.
    package func request<Input, Output>(
        for operation: HTTPOperation<Input, Output>, _ input: Input
    ) throws -> ClientRequest {
        let call = ServiceCall(
            operation: operation.name, endpoint: endpoint, version: nil, input: input,
            headerBlocks: settings.headerBlocks, attachments: [])
        return try request(call, operation.request)
    }

    func request<Input>(_ call: ServiceCall<Input>, _ operation: some RequestForm) throws -> ClientRequest {
        if settings.checksInput {
            let violations = call.input.violations()
            if let first = violations.first {
                let more = violations.count > 1 ? " (and \(violations.count - 1) more)" : ""
                throw ServiceError(
                    .invalidInput, "The input of \(call.operation) is not what its schema asks for: \(first)\(more).",
                    violations: violations)
            }
        }
        try OwnFields(settings).check(settings: settings.fields)
        let message: RequestMessage
        do { message = try operation.message(of: call, settings.attachments) } catch let error as XMLError {
            throw ServiceError(
                .unwritableInput, "The input of \(call.operation) cannot be sent: \(error)", cause: error)
        }
        var request = ClientRequest(
            endpoint, method: message.method, fields: settings.fields, body: message.body,
            deadlines: settings.deadlines, maximumResponseBytes: settings.maximumResponseBytes)
        request.path = message.path
        request.maximumStreamedBytes = settings.maximumStreamedBytes
        // The check above has refused settings that contain these fields, so they can be appended, which costs less
        // than replacing them.
        func add(_ name: HTTPField.Name, _ value: String?) {
            if let value { request.fields.append(HTTPField(name: name, value: value)) }
        }
        add(.contentType, message.contentType)
        add(.soapAction, message.soapAction)
        add(.accept, settings.fields.isEmpty || settings.fields[.accept] == nil ? message.accept : nil)
        if let value = settings.cookies?.field(for: request.target, now: .now) {
            var cookie = HTTPField(name: .cookie, value: value)
            cookie.indexingStrategy = .disallow
            request.fields.append(cookie)
        }
        return request
    }
}

/// Makes requests of an operation's inputs.
protocol RequestForm: Sendable {
    /// The operation's name in the WSDL.
    var name: String { get }
    /// The requirements of the operation beyond those of the port.
    var requirements: [ServiceRequirement] { get }
    /// The version of SOAP to use, given the caller's choice, which may be nil; nil without SOAP.
    func version(wanted: SOAPVersion?) -> SOAPVersion?
    /// The actions of its messages, as far as the WSDL states them.
    var statedActions: OperationActions { get }
    /// Whether the service sends no answer but the acceptance of the message.
    var isOneWay: Bool { get }
    /// - Throws: `XMLError` when the input cannot be written; otherwise the error for the caller of the operation.
    func message<Input>(of call: ServiceCall<Input>, _ settings: AttachmentSettings) throws -> RequestMessage
}

extension RequestForm {
    var requirements: [ServiceRequirement] { [] }
    var statedActions: OperationActions { OperationActions() }
    var isOneWay: Bool { false }
}

/// The parts of a request that the operation determines.
struct RequestMessage {
    var method: HTTPRequest.Method = .post
    /// See ``ClientRequest/path``.
    var path: String
    var body: HTTPBody = []
    /// The content type; nil when there is no content.
    var contentType: String?
    var soapAction: String?
    /// The media type of the answer.
    var accept: String
}

extension OperationRequest: RequestForm {
    func version(wanted: SOAPVersion?) -> SOAPVersion? { wanted ?? version }

    func message<Input>(of call: ServiceCall<Input>, _ settings: AttachmentSettings) throws -> RequestMessage {
        let version = call.version ?? version
        guard let quotedAction else {
            throw TransportError(
                .invalidRequest,
                "The SOAP action of \(name) holds a control character: correct it in the WSDL.")
        }
        let outgoing = try outgoing(
            version, call.headerBlocks, input, call.input, settings.mtomThreshold, call.attachments)
        // An action must be an absolute URI (RFC 3902 §3), so an empty action is omitted. Servers that choose the
        // operation by the element of the body do not need it.
        let (contentType, whole) = try outgoing.content(
            action: version == .soap11 || soapAction.isEmpty ? nil : soapAction)
        let body = try call.stream.map { try self.body(outgoing, $0, of: Input.self) } ?? whole
        return RequestMessage(
            path: call.endpoint.path, body: body, contentType: contentType,
            soapAction: version == .soap11 ? quotedAction : nil,
            accept: outgoing.isAlone ? version.mediaType : "\(version.mediaType), multipart/related")
    }
}

extension ClientRequest {
    /// The address that the request actually goes to, for cookies.
    var target: Endpoint { Endpoint(origin: endpoint.origin, path: path) }
}

extension HTTPField.Name {
    /// SOAP 1.1 §6.1.1.
    static let soapAction = HTTPField.Name("SOAPAction") ?? .expect
}

extension Int64 {
    /// Seconds since 1970.
    package static var now: Int64 { Int64(Date().timeIntervalSince1970) }
}

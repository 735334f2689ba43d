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
        return try request(try message(call, operation.request))
    }

    /// Checks the input of a call, and writes it.
    func message<Input>(_ call: ServiceCall<Input>, _ operation: some RequestForm) throws -> RequestMessage {
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
        do { return try operation.message(of: call, settings.attachments) } catch let error as XMLError {
            throw ServiceError(
                .unwritableInput, "The input of \(call.operation) cannot be sent: \(error)", cause: error)
        }
    }

    func request(_ message: RequestMessage) throws -> ClientRequest {
        let (contentType, body) = try message.content.sent
        var request = ClientRequest(
            endpoint, method: message.method, fields: settings.fields, body: body,
            deadlines: settings.deadlines, maximumResponseBytes: settings.maximumResponseBytes)
        request.path = message.path
        request.maximumStreamedBytes = settings.maximumStreamedBytes
        // The check above has refused settings that contain these fields, so they can be appended, which costs less
        // than replacing them.
        func add(_ name: HTTPField.Name, _ value: String?) {
            if let value { request.fields.append(HTTPField(name: name, value: value)) }
        }
        add(.contentType, contentType)
        add(.soapAction, message.soapAction)
        add(.accept, settings.fields.isEmpty || settings.fields[.accept] == nil ? message.accept : nil)
        if let value = settings.cookies.jar?.field(for: request.target, now: .now) {
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
    var content = Content.body([], contentType: nil)
    var soapAction: String?
    /// The media type of the answer.
    var accept: String

    enum Content {
        /// An envelope, and the parts beside it.
        ///
        /// - action: see ``MultipartMessage``.
        case message(OutgoingMessage, action: String?)
        /// - contentType: nil when there is no content.
        case body(HTTPBody, contentType: String?)

        /// - Throws: ``AttachmentError`` for an attachment that cannot be sent.
        var sent: (contentType: String?, body: HTTPBody) {
            get throws(AttachmentError) {
                switch self {
                case .message(let message, let action): try message.content(action: action)
                case .body(let body, let contentType): (contentType, body)
                }
            }
        }
    }
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
            version, call.headerBlocks, input, call.input, try settings.mtom.requestThreshold, call.attachments)
        // An action must be an absolute URI (RFC 3902 §3), so an empty action is omitted. Servers that choose the
        // operation by the element of the body do not need it.
        var content = RequestMessage.Content.message(
            outgoing, action: version == .soap11 || soapAction.isEmpty ? nil : soapAction)
        if let stream = call.stream {
            content = .body(
                try self.body(outgoing, stream, of: Input.self), contentType: try content.sent.contentType)
        }
        return RequestMessage(
            path: call.endpoint.path, content: content,
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

public import HTTPTypes

/// A request on its way to the transport, below the envelope.
///
/// Only its fields can be changed. The destination and the content of the request were checked before, against the
/// policies of the WSDL and the trust of the client.
public struct ClientExchange: Sendable {
    /// The operation's name in the WSDL.
    public let operation: String
    /// The address of the service. A call without SOAP may request another path there: see ``path``.
    public let endpoint: Endpoint
    /// The path that is requested from the origin, always beginning with `/` (``/SignetHTTP/ClientRequest/path``). It
    /// may contain secret values.
    public let path: String
    /// The method: `POST` with SOAP; without SOAP the method to which the WSDL binds the operation.
    public let method: HTTPRequest.Method
    /// The fields of the request. The fields that Signet sets itself must stay unchanged: `Content-Type`, `SOAPAction`,
    /// and `Cookie` when ``CallSettings/cookies`` keeps cookies. After the middlewares, the transport adds `Host`,
    /// `Content-Length` and the fields of authentication. `Authorization` is sent over plain HTTP to another machine
    /// only with ``CallSettings/allowsPlaintextCredentials``.
    public var fields: HTTPFields
    /// The finished content, for digests and signatures. Content can be read here and then sent only if it is
    /// replayable (``/SignetHTTP/HTTPBody/isReplayable``).
    public let body: HTTPBody
    /// How long the transport may take for this attempt, counted from when it gets the request.
    public let deadlines: Deadlines

    init(_ operation: String, _ request: ClientRequest) {
        self.operation = operation
        endpoint = request.endpoint
        path = request.path
        method = request.method
        fields = request.fields
        body = request.body
        deadlines = request.deadlines
    }
}

// Fields may contain credentials and cookies, and the path and the content any data: descriptions show only names and
// sizes.
extension ClientExchange: CustomStringConvertible, CustomReflectable {
    public var description: String {
        let size = body.count.map { "\($0) bytes" } ?? "content of unknown length"
        return "\(operation): \(method) \(endpoint) (\(fields.names), \(size))"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// Sees the HTTP of every call of a client, with and without SOAP: for tracing, metrics, digests and signatures in
/// fields.
///
/// ```swift
/// struct Tracing: ClientHTTPMiddleware {
///     func intercept(
///         _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
///     ) async throws -> ClientResponse {
///         var exchange = exchange
///         if let name = HTTPField.Name("traceparent") { exchange.fields[name] = TraceContext.current.text }
///         return try await next(exchange)
///     }
/// }
/// ```
///
/// It is below each ``CallMiddleware`` and the envelope, and above redirects and the transport. A field that it adds is
/// therefore sent with every step of HTTP authentication, and with a redirect that stays at the origin; a redirect to
/// another origin carries only fields that describe the message (``/SignetHTTP/RedirectPolicy``). Use
/// ``CallMiddleware`` to see the input and the output, and to repeat a call as a whole, with new nonces and time
/// stamps.
public protocol ClientHTTPMiddleware: Sendable {
    /// Calls `next` to continue, and returns or changes the answer, whatever its status. Of the exchange passed to
    /// `next`, only the fields have an effect. `next` can be called again when the content is replayable.
    ///
    /// The content of an answer with attachments, or with elements that are handed over one by one, is processed while
    /// it arrives; ``/SignetHTTP/ClientResponse/body`` is empty then.
    ///
    /// - Throws: the error for the caller of the operation. `next` throws the errors of the transport, and
    ///   `TransportError`: `invalidRequest` for a field that cannot be sent or that Signet sets itself, and
    ///   `contentUsed` for content that was read or sent before and is not replayable. Nothing is sent in both cases.
    func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse

    /// Whether the middleware has to see the content of a request or an answer as a whole, for example for a digest.
    /// Calls that hand elements over while the answer arrives, or send them one by one, are then refused before
    /// anything is sent. The default is false.
    var needsWholeMessages: Bool { get }
}

extension ClientHTTPMiddleware {
    public var needsWholeMessages: Bool { false }
}

/// The fields that a call sets itself; neither settings nor middlewares can set them.
struct OwnFields {
    private static let always: [HTTPField.Name] = [.contentType, .soapAction]
    private static let withCookies = always + [.cookie]

    private let names: [HTTPField.Name]

    init(_ settings: CallSettings) { names = settings.cookies.jar == nil ? Self.always : Self.withCookies }

    /// - Throws: `TransportError` with the code `invalidRequest` when the settings contain one of these fields, or a
    ///   field that no program may send.
    func check(settings fields: HTTPFields) throws(TransportError) {
        if fields.isEmpty { return }
        if let name = names.first(where: { fields[$0] != nil }) {
            throw Self.refusal(name, "remove it from the fields of the client")
        }
        for field in fields { try field.checkSendable() }
    }

    /// - Parameters:
    ///   - fields: the fields as the last middleware has left them.
    ///   - own: the fields before the middlewares.
    /// - Throws: `TransportError` with the code `invalidRequest` when a middleware has changed one of these fields, or
    ///   has left a field that cannot be sent.
    func check(_ fields: HTTPFields, after own: HTTPFields) throws(TransportError) {
        if let name = names.first(where: { fields[values: $0] != own[values: $0] }) {
            throw Self.refusal(name, "no middleware may add, change or remove it")
        }
        for field in fields { try field.checkSendable() }
    }

    private static func refusal(_ name: HTTPField.Name, _ advice: String) -> TransportError {
        TransportError(.invalidRequest, "The field \(name) is set by Signet itself: \(advice).")
    }
}

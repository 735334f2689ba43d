public import HTTPTypes

/// A request on its way to the transport, below the envelope.
///
/// Only its fields can be changed. Where the request goes, and what it says, was checked before: against the policies
/// of the WSDL and the trust of the client.
public struct ClientExchange: Sendable {
    /// The operation's name in the WSDL.
    public let operation: String
    /// The address of the service. A call without SOAP may ask for another path there: see ``path``.
    public let endpoint: Endpoint
    /// What is asked for at the origin, always beginning with `/` (``ClientRequest/path``). It may hold values that
    /// are secret.
    public let path: String
    /// `POST` with SOAP; without SOAP the method that the WSDL binds the operation to.
    public let method: HTTPRequest.Method
    /// What is sent with the request. Those fields that Signet sets itself must stay as they are: `Content-Type`,
    /// `SOAPAction`, and `Cookie` where ``CallSettings/cookies`` keeps cookies. The transport adds `Host`,
    /// `Content-Length` and what authentication asks for behind the middlewares. `Authorization` goes over plain HTTP
    /// to another machine with ``CallSettings/allowsPlaintextCredentials`` only.
    public var fields: HTTPFields
    /// The finished content, for digests and signatures. Only what is replayable can be read and sent after that
    /// (``HTTPBody/isReplayable``).
    public let body: HTTPBody
    /// How long the transport may take for this attempt, from when it gets the request.
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

// Fields may hold credentials and cookies, the path and the content anything: descriptions tell names and sizes.
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
/// It stands below each ``CallMiddleware`` and the envelope, above redirects and the transport. So a field that it
/// adds goes with every leg of HTTP authentication, and with a redirect that stays at the origin; to another origin
/// only fields go that say what the message is (``RedirectPolicy``). For what needs the input and the output, and for
/// repeating a call as a whole, with new nonces and time stamps, there is ``CallMiddleware``.
public protocol ClientHTTPMiddleware: Sendable {
    /// Calls `next` to go on, and returns or changes the answer that it gives, whatever its status. `next` takes
    /// nothing but the fields of the exchange that it gets. It can be called again where the content is replayable.
    ///
    /// The content of an answer with attachments, or with elements that are handed over one by one, is taken while it
    /// arrives; ``ClientResponse/body`` is empty then.
    ///
    /// - Throws: what the caller of the operation shall see. `next` throws what the transport throws, and
    ///   `TransportError`: `invalidRequest` for a field that cannot be sent or is Signet's own, and `contentUsed` for
    ///   content that was read or sent before and is not replayable. Nothing is sent in both cases.
    func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse

    /// Whether it has to see the content of a request or an answer as a whole, for example for a digest. Calls that
    /// hand elements over while the answer arrives, or send them one by one, are refused then before anything is sent.
    /// False unless it says otherwise.
    var needsWholeMessages: Bool { get }
}

extension ClientHTTPMiddleware {
    public var needsWholeMessages: Bool { false }
}

/// The fields that a call sets itself, so that neither settings nor middlewares can.
struct OwnFields {
    private static let always: [HTTPField.Name] = [.contentType, .soapAction]
    private static let withCookies = always + [.cookie]

    private let names: [HTTPField.Name]

    init(_ settings: CallSettings) { names = settings.cookies == nil ? Self.always : Self.withCookies }

    /// - Throws: `TransportError` with the code `invalidRequest` when the fields of the settings have one, or one that
    ///   no program may send.
    func check(settings fields: HTTPFields) throws(TransportError) {
        if fields.isEmpty { return }
        if let name = names.first(where: { fields[$0] != nil }) {
            throw Self.refusal(name, "remove it from the fields of the client")
        }
        for field in fields { try field.checkSendable() }
    }

    /// - Parameters:
    ///   - fields: as the last middleware has left them.
    ///   - own: as they were before.
    /// - Throws: `TransportError` with the code `invalidRequest` when a middleware has changed one of the names, or
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

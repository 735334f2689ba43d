#if Observability
import HTTPTypes
public import SignetSOAP
public import Tracing

/// Makes a span of each call of a client and of each request of a service, and carries the context of a trace from the
/// one to the other in the HTTP fields `traceparent` and `tracestate` (W3C Trace Context).
///
/// ```swift
/// InstrumentationSystem.bootstrap(tracer)             // once in a program
/// service.calls.observe(metrics: nil)                 // a client
/// dispatcher.observe(metrics: nil)                    // a service
/// ```
///
/// On a client it stands in two lists, as `CallSettings/observe(tracing:metrics:logging:)` puts it: in
/// `CallSettings/middlewares` it makes the span, in `CallSettings/httpMiddlewares` it puts the context into the fields
/// of each attempt, while the span of the first is the current one or has the current one below it. What is called
/// within a span, a handler included, finds its context in the task-local `ServiceContext.current`.
///
/// The names of the attributes are in one table, in Documentation/Observability.md. A span holds nothing of messages
/// and fields, no path, no user, and no error with its text: of a failure it has the code or the type.
public struct TracingMiddleware: Sendable, Observer {
    var isByObserve = false
    private let service: String
    private let given: (any Tracer)?
    private let sent: Set<HTTPField.Name>

    /// A middleware whose clients send `traceparent` and `tracestate`, and nothing else that a tracer or an instrument
    /// writes.
    ///
    /// - Parameters:
    ///   - service: for a client, what stands before the operation in the names of spans, `Diary/Write`; empty for the
    ///     operation alone. For a service it is `ServiceDispatcher/name`.
    ///   - tracer: makes the spans, and reads and writes the fields. When nil, these are the tracer and the instruments
    ///     of `InstrumentationSystem` at the time of each call.
    public init(service: String = "", tracer: (any Tracer)? = nil) {
        self.service = service
        given = tracer
        sent = Self.traceContext
    }

    /// A middleware whose clients send further fields. Each of them goes to every service that is called with it:
    /// `baggage` may hold what a program keeps with its requests, such as users.
    ///
    /// - Parameters:
    ///   - service: as above.
    ///   - tracer: as above.
    ///   - names: of the fields that clients send beside `traceparent` and `tracestate`, such as `b3` or `baggage`.
    /// - Throws: ``FieldError`` for the first name, in the order of the alphabet, that cannot be sent.
    public init(
        service: String = "", tracer: (any Tracer)? = nil, alsoSending names: Set<String>
    ) throws(FieldError) {
        self.service = service
        given = tracer
        var sent = Self.traceContext
        for name in names.sorted() { sent.insert(try Self.sendable(name)) }
        self.sent = sent
    }

    /// The name of a field that no tracer can have a client send.
    public struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name as it was given.
        public let name: String
        /// What is wrong, and what to do about it.
        public let message: String
        public var description: String { message }
    }

    /// W3C Trace Context §3.
    private static let traceContext = Set(["traceparent", "tracestate"].compactMap { HTTPField.Name($0) })
    /// What says who is calling and what the message is, beside the fields of the transport.
    private static let refused: Set<String> = [
        "accept", "authorization", "content-type", "cookie", "soapaction",
    ]

    private static func sendable(_ text: String) throws(FieldError) -> HTTPField.Name {
        guard let name = HTTPField.Name(text) else {
            throw FieldError(
                name: text,
                message: "A TracingMiddleware cannot send “\(text)”: that is no name of a field (RFC 9110 §5.1).")
        }
        do { try HTTPField(name: name, value: "").checkSendable() } catch { throw refusal(name) }
        if refused.contains(name.canonicalName) { throw refusal(name) }
        return name
    }

    private static func refusal(_ name: HTTPField.Name) -> FieldError {
        FieldError(
            name: name.rawName,
            message:
                "A TracingMiddleware cannot send the field \(name), which Signet or the program sets: remove it."
        )
    }

    private var tracer: any Tracer { given ?? InstrumentationSystem.tracer }
    private var instrument: any Instrument { given ?? InstrumentationSystem.instrument }

    private func span(
        of operation: String, _ service: String, _ context: ServiceContext, _ kind: SpanKind
    ) -> any Span {
        let method = service.isEmpty ? operation : "\(service)/\(operation)"
        let span = tracer.startSpan(method, context: context, ofKind: kind)
        span.attributes[SpanAttributeName.method] = method
        return span
    }
}

extension TracingMiddleware: CallMiddleware {
    public func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output> {
        let span = span(of: call.operation, service, .current ?? .topLevel, .client)
        defer { span.end() }
        let origin = call.endpoint.origin
        span.updateAttributes {
            // A call without SOAP is plain HTTP.
            if call.version != nil { $0[SpanAttributeName.system] = "soap" }
            $0[SpanAttributeName.serverAddress] = origin.host
            $0[SpanAttributeName.serverPort] = origin.port
        }
        var context = span.context
        context[CallSpan.self] = true
        return try await ServiceContext.$current.withValue(context) {
            try await ObservedCall.run(call, next) { observed in
                span.end(observed.outcome, isError: !observed.outcome.isSuccess)
                span.updateAttributes { $0.tell(observed) }
            }
        }
    }
}

extension TracingMiddleware: ClientHTTPMiddleware {
    public func intercept(
        _ exchange: ClientExchange, next: @Sendable (ClientExchange) async throws -> ClientResponse
    ) async throws -> ClientResponse {
        guard let context = ServiceContext.current, context[CallSpan.self] == true else {
            return try await next(exchange)
        }
        var exchange = exchange
        instrument.inject(context, into: &exchange.fields, using: ContextFields(sent: sent))
        return try await next(exchange)
    }
}

extension TracingMiddleware: ServiceMiddleware {
    public func intercept(
        _ context: OperationContext, next: @Sendable (OperationContext) async throws -> OperationAnswer
    ) async throws -> OperationAnswer {
        var parent = ServiceContext.current ?? .topLevel
        // In the same process the call is the parent, but what the handler calls is no part of its exchange.
        parent[CallSpan.self] = nil
        if let fields = context.request?.fields {
            instrument.extract(fields, into: &parent, using: ContextFields(sent: sent))
        }
        let span = span(of: context.operation, context.service, parent, .server)
        defer { span.end() }
        span.updateAttributes {
            $0[SpanAttributeName.system] = "soap"
            $0.tell(peer: context.peer.remoteAddress)
            if !context.requestID.isEmpty { $0[SpanAttributeName.requestID] = context.requestID }
        }
        return try await ServiceContext.$current.withValue(span.context) {
            try await ObservedRequest.run(context, next) { observed in
                span.end(observed.outcome, isError: observed.outcome.isServicesError)
            }
        }
    }
}

/// Stands in a context within the span of a call.
private enum CallSpan: ServiceContextKey {
    typealias Value = Bool
}

/// Reads and writes the fields that carry the context of a trace.
private struct ContextFields: Injector, Extractor {
    let sent: Set<HTTPField.Name>

    /// What is not to be sent is left out, and what cannot be: a call is worth more than its trace.
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // A value that is not valid would be sent changed.
        guard let name = HTTPField.Name(key), sent.contains(name), HTTPField.isValidValue(value) else { return }
        let field = HTTPField(name: name, value: value)
        do { try field.checkSendable() } catch { return }
        fields[fields: name] = [field]
    }

    func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }
}

extension Span {
    /// Says what came of it.
    fileprivate func end(_ outcome: Outcome, isError: Bool) {
        updateAttributes {
            if let code = outcome.faultCode { $0[SpanAttributeName.faultCode] = code.rawValue }
            if isError { $0[SpanAttributeName.errorType] = outcome.name }
        }
        if isError { setStatus(SpanStatus(code: .error)) }
    }
}
#endif

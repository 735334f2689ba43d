#if Observability
import HTTPTypes
public import SignetSOAP
public import Tracing

/// Makes a span for each call of a client and each request of a service, and carries the trace context from the client
/// to the service in the HTTP fields `traceparent` and `tracestate` (W3C Trace Context).
///
/// ```swift
/// InstrumentationSystem.bootstrap(tracer)             // once in a program
/// service.calls.observe(metrics: nil)                 // a client
/// dispatcher.observe(metrics: nil)                    // a service
/// ```
///
/// On a client it stands in two lists, as `CallSettings/observe(tracing:metrics:logging:)` puts it: in
/// `CallSettings/middlewares` it makes the span, in `CallSettings/httpMiddlewares` it puts the context into the fields
/// of each attempt, as long as the current span is the call's span or a descendant of it. Code that runs within a span,
/// a handler included, finds its context in the task-local `ServiceContext.current`.
///
/// The names of the attributes are in one table, in the article Observability. A span contains nothing from
/// messages and HTTP fields: no path, no user and no text of an error. For a failure it contains the code or the type
/// of the error.
public struct TracingMiddleware: Sendable, Observer {
    var isByObserve = false
    private let service: String
    private let given: (any Tracer)?
    private let sent: Set<HTTPField.Name>

    /// Makes a middleware whose clients send `traceparent` and `tracestate`, and no other field that a tracer or an
    /// instrument writes.
    ///
    /// - Parameters:
    ///   - service: for a client, the name that precedes the operation in the names of spans, as in `Diary/Write`;
    ///     empty for the operation alone. For a service it is `ServiceDispatcher/name`.
    ///   - tracer: makes the spans, and reads and writes the fields. When nil, these are the tracer and the instruments
    ///     of `InstrumentationSystem` at the time of each call.
    public init(service: String = "", tracer: (any Tracer)? = nil) {
        self.service = service
        given = tracer
        sent = Self.traceContext
    }

    /// Makes a middleware whose clients send further fields. Every service that is called through it receives them:
    /// `baggage` may contain data that a program keeps with its requests, such as users.
    ///
    /// - Parameters:
    ///   - service: as above.
    ///   - tracer: as above.
    ///   - names: the names of the fields that clients send beside `traceparent` and `tracestate`, such as `b3` or
    ///     `baggage`.
    /// - Throws: ``FieldError`` for the alphabetically first name that cannot be sent.
    public init(
        service: String = "", tracer: (any Tracer)? = nil, alsoSending names: Set<String>
    ) throws(FieldError) {
        self.service = service
        given = tracer
        var sent = Self.traceContext
        for name in names.sorted() { sent.insert(try Self.sendable(name)) }
        self.sent = sent
    }

    /// A field name that a tracer may not send.
    public struct FieldError: Error, Sendable, Hashable, CustomStringConvertible {
        /// The name as it was given.
        public let name: String
        /// What is wrong, and what to do about it.
        public let message: String
        public var description: String { message }
    }

    /// W3C Trace Context §3.
    private static let traceContext = Set(["traceparent", "tracestate"].compactMap { HTTPField.Name($0) })
    /// Fields that carry credentials or describe the message, besides the fields of the transport.
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
        // In the same process the client's call is the parent span, but the calls that the handler makes are no part of
        // the client's exchange.
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

/// Marks a context that is within the span of a call.
private enum CallSpan: ServiceContextKey {
    typealias Value = Bool
}

/// Reads and writes the fields that carry the context of a trace.
private struct ContextFields: Injector, Extractor {
    let sent: Set<HTTPField.Name>

    /// Leaves out fields that must not or cannot be sent: a call is worth more than its trace.
    func inject(_ value: String, forKey key: String, into fields: inout HTTPFields) {
        // The transport would change an invalid value before sending it.
        guard let name = HTTPField.Name(key), sent.contains(name), HTTPField.isValidValue(value) else { return }
        let field = HTTPField(name: name, value: value)
        do { try field.checkSendable() } catch { return }
        fields[fields: name] = [field]
    }

    func extract(key: String, from fields: HTTPFields) -> String? { HTTPField.Name(key).flatMap { fields[$0] } }
}

extension Span {
    /// Ends the span with its outcome.
    fileprivate func end(_ outcome: Outcome, isError: Bool) {
        updateAttributes {
            if let code = outcome.faultCode { $0[SpanAttributeName.faultCode] = code.rawValue }
            if isError { $0[SpanAttributeName.errorType] = outcome.name }
        }
        if isError { setStatus(SpanStatus(code: .error)) }
    }
}
#endif

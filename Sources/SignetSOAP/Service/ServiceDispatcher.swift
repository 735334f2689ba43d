package import HTTPTypes
public import Logging
import Synchronization

/// Answers envelopes: it finds the operation, reads its input, runs the handler, and writes the output or a fault.
///
/// It knows neither HTTP nor TLS; a host passes messages to it. Generated code makes it from a service.
public struct ServiceDispatcher: Sendable {
    /// The service's name in the WSDL.
    public let name: String
    /// The versions of SOAP that the service supports, the preferred one first. Each request is answered in its own
    /// version.
    public let versions: [SOAPVersion]
    /// The limits of the XML of a request.
    public var xmlLimits = XMLLimits()
    /// Which deviations of a request from the WSDL are tolerated; ``OperationContext/deviations`` lists them.
    public var tolerance = XMLTolerance.standard
    /// Whether an input is checked against all rules of its schema before its handler runs: lengths, patterns, ranges,
    /// enumerations, numbers of occurrences. The dispatcher answers an input that breaks the schema with a client fault
    /// that names the place and not the value.
    ///
    /// Without this check, an input has everything that the schema requires, lists that must not be empty included,
    /// unless ``tolerance`` allows ``/SignetXML/XMLTolerance/missingElement``; enumerations may have values that the
    /// schema does not name (`unrecognized`). The check takes three to five times as long as reading the input does:
    /// 4 µs for 230 bytes, a tenth of a millisecond for 2 KB.
    public var checksInput = false
    /// Header blocks that must be understood and that the handlers process.
    public var understoodHeaderBlocks: Set<XMLName>
    /// The roles in which the service acts, besides ``SOAPRole/next`` and ``SOAPRole/ultimateReceiver``.
    public var roles: Set<SOAPRole> = []
    /// Whether requests may be multipart/related: with attachments, or with MTOM, which clients use for every message
    /// or for none. Generated code sets this for services that have binary values or parts beside the envelope in any
    /// message. For other services, a server answers such a request with 415 before it reads any content.
    public var takesAttachments: Bool
    /// How binary content is sent and received. Large attachments are kept on the disk until the handler is done:
    /// ``AttachmentLimits/totalBytes`` and the server's `maximumRequestBytes` limit a request, and the server's
    /// `maximumSpooledBytes` limits all requests together.
    public var attachments = AttachmentSettings(mtom: .ifRequested())
    /// The verifiers that check every request by its header blocks, in this order.
    public var verifiers: [any RequestVerifier] = []
    /// The middlewares that see every operation around its handler, the first one outermost.
    public var middlewares: [any ServiceMiddleware] = []
    /// The logger. It logs failures of handlers at error, refusals at notice, calls at debug. Nothing is logged unless
    /// it is set. When only one of this logger and that of a `SOAPServer` is set, both use it.
    public var logger = Logger(label: "signet", factory: { _ in SwiftLogNoOpLogHandler() })
    /// See ``OperationContext/request``; set in the copy that answers one request.
    var request: ServerRequest?
    /// What verifiers have opened, so that the HTTP request does not say which operation it is for; set in the copy that
    /// answers one request.
    var opened: Opened?
    /// The operations by the element of the body; operations whose message is the content of the body itself are under
    /// nil.
    let routes: [XMLName?: [ServiceRoute]]
    /// Whether messages may use SOAP's encoding.
    let isEncoded: Bool

    /// - Parameters:
    ///   - name: the service's name in the WSDL.
    ///   - versions: the versions of SOAP that it supports, the preferred one first.
    ///   - understoodHeaderBlocks: see ``understoodHeaderBlocks``.
    ///   - takesAttachments: see ``takesAttachments``.
    ///   - routes: its operations; of two that take the same element, the one with the action of the request is chosen,
    ///     otherwise the first.
    public init(
        name: String, versions: [SOAPVersion], understoodHeaderBlocks: Set<XMLName> = [],
        takesAttachments: Bool = false, routes: [ServiceRoute]
    ) {
        self.takesAttachments = takesAttachments
        self.name = name
        self.versions = versions
        self.understoodHeaderBlocks = understoodHeaderBlocks
        self.routes = Dictionary(grouping: routes, by: \.operation.input)
        isEncoded = routes.contains(where: \.operation.isEncoded)
    }

    /// An answer for a host to send.
    public struct Response: Sendable {
        /// The HTTP status: 200; 202 for a one-way operation, or when the request wants no answer; for a fault 500, or
        /// 400 when SOAP 1.2 demands it (Part 2 §7.5.2.2).
        public let status: Int
        /// The content type; nil when there is no content.
        public internal(set) var contentType: String?
        /// The content of the answer; empty with 202.
        public internal(set) var body: HTTPBody
        /// The attachments of an answer whose verifiers still have to protect it; otherwise they are in ``body``.
        var attachments: [MessageAttachment] = []
        /// Whether verifiers have identified the caller and accepted the request.
        package var isVerified = false
        /// The reason of the fault that the answer is; nil when it is none.
        package var faultReason: String?
        /// Other fields of the answer than its content type.
        package var fields: HTTPFields = [:]
        /// The work that remains after the answer is sent: the handler of a one-way operation. The host must run it.
        public package(set) var work: (@Sendable () async -> Void)?

        package init(
            status: Int, contentType: String?, body: HTTPBody, work: (@Sendable () async -> Void)?
        ) {
            self.status = status
            self.contentType = contentType
            self.body = body
            self.work = work
        }
    }

    /// Whether messages in this encoding can be read: UTF-8, UTF-16, US-ASCII, ISO-8859, windows-125x and KOI8.
    public static func reads(charset: String) -> Bool { charset.isEmpty || XMLReader.reads(charset: charset) }

    /// The action of a request: the field `SOAPAction` (SOAP 1.1 §6.1.1), or the media type's parameter `action` (RFC
    /// 3902 §2).
    package static func action(of fields: HTTPFields) -> String? {
        if let action = MediaType(fields[.contentType] ?? "").action { return action }
        return fields[.soapAction].map { MediaType.unquoted($0[...]) }
    }

    /// Answers one message. It never throws: an error becomes a fault that reveals to the client no more than it may
    /// know.
    ///
    /// - Parameters:
    ///   - message: the envelope as it arrived.
    ///   - declared: the version that the message's media type denotes, if the host knows it.
    ///   - charset: the media type's parameter of this name; nil when the media type has none.
    ///   - action: the value of the field `SOAPAction` or of the media type's parameter `action`, without quotes; it
    ///     chooses among operations that take the same element.
    ///   - peer: the sender of the message, for handlers and middlewares (``OperationContext/peer``).
    ///   - request: the HTTP request of the message, for handlers and middlewares (``OperationContext/request``); nil
    ///     when the message did not come over HTTP.
    public func respond(
        to message: [UInt8], declared: SOAPVersion? = nil, charset: String? = nil, action: String? = nil,
        from peer: PeerDescription, in request: ServerRequest? = nil
    ) async -> Response {
        await answering(request).respond(
            to: message, nil, declared: declared, charset: charset, action: action, from: peer)
    }

    /// Returns the same service, for one request.
    func answering(_ request: ServerRequest?) -> ServiceDispatcher {
        var dispatcher = self
        dispatcher.request = request
        return dispatcher
    }

    /// - Parameter parts: the message as it arrived, if it has parts.
    func respond(
        to message: [UInt8], _ parts: ReceivedMessage?, declared: SOAPVersion?, charset: String?, action: String?,
        from peer: PeerDescription
    ) async -> Response {
        // The service refuses other envelopes, and what is no envelope, anyway.
        guard verifiers.contains(where: \.needsWholeMessages),
            let version = SOAPVersion.ofEnvelope(message, charset: charset, xmlLimits), versions.contains(version)
        else {
            return await respond(
                reading: message, parts, declared: declared, charset: charset, action: action, from: peer)
        }
        let opened: Opened
        switch await open(message, parts, charset, peer) {
        case .failure(let fault): return self.fault(for: fault, bindings: [], in: version)
        case .success(let found): opened = found
        }
        var dispatcher = self
        dispatcher.opened = opened
        let response = await dispatcher.respond(
            reading: opened.message.envelope, parts?.replaced(by: opened.message), declared: declared,
            charset: "utf-8", action: action, from: opened.peer)
        return await protected(response, opened, version)
    }

    private func respond(
        reading message: [UInt8], _ parts: ReceivedMessage?, declared: SOAPVersion?, charset: String?, action: String?,
        from peer: PeerDescription
    ) async -> Response {
        switch read(message, parts, charset, declared, opened.map(\.action) ?? action) {
        case .failure(let refusal):
            guard let head = refusal.head else {
                return self.fault(for: refusal.fault, bindings: [], in: refusal.version)
            }
            var context = context(peer, head, action)
            let fault = await objection(to: &context) ?? refusal.fault
            return self.fault(for: fault, bindings: [], in: refusal.version, context)
        case .success(let request):
            var context = context(peer, request.head, action, request.prepared)
            context.attachments = parts?.attachments ?? []
            // A signature covers an envelope as it is sent.
            if !isProtecting {
                context.mtomThreshold = attachments.mtom.threshold(isRequested: parts?.isXOP == true)
            }
            if let fault = await objection(to: &context) {
                return self.fault(for: fault, bindings: [], in: context.version, context)
            }
            logger.debug("called", metadata: context.metadata(["version": "\(context.version)"]))
            var answer = await run(request.prepared, context)
            // Header blocks that do not identify the caller, such as those of WS-Addressing, prove nothing.
            let isKnown = context.peer.user != nil || context.peer.signerCertificate != nil
            answer.isVerified = !verifiers.isEmpty && isKnown
            return answer
        }
    }

    private func context(
        _ peer: PeerDescription, _ head: EnvelopeHead, _ action: String?, _ prepared: ServiceRoute.Prepared? = nil
    ) -> OperationContext {
        var context = OperationContext(
            peer: peer, operation: prepared?.operation ?? "", version: head.version, headerBlocks: head.headerBlocks,
            in: request)
        context.soapAction = action
        context.actions = prepared?.actions ?? .init()
        context.service = name
        context.isOneWay = prepared?.isOneWay ?? false
        context.faults = prepared?.faults ?? []
        context.roles = roles
        context.xmlLimits = xmlLimits
        context.deviations = head.deviations
        return context
    }

    private func run(_ prepared: ServiceRoute.Prepared, _ context: OperationContext) async -> Response {
        if prepared.isOneWay, !prepared.isAcceptedLast {
            return Response(status: 202, contentType: nil, body: []) {
                do { _ = try await perform(prepared, context) } catch {
                    logger.error(
                        "a handler failed after its message was accepted",
                        metadata: context.metadata(["error": "\(error)"]))
                }
            }
        }
        do {
            guard let answer = try await perform(prepared, context), context.sendsAnswer else { return Self.accepted }
            guard !isProtecting else {
                var response = Response(
                    status: 200, contentType: contentType(context.version), body: HTTPBody(answer.envelope), work: nil)
                response.attachments = answer.attachments
                return response
            }
            let (contentType, body) = try answer.content()
            return Response(status: 200, contentType: contentType, body: body, work: nil)
        } catch {
            return fault(for: error, bindings: prepared.faults, in: context.version, context)
        }
    }

    /// Runs the handler, within the middlewares.
    private func perform(
        _ prepared: ServiceRoute.Prepared, _ context: OperationContext
    ) async throws -> OutgoingMessage? {
        guard !middlewares.isEmpty else { return try await prepared.run(context) }
        let answer = try await pass(context, through: middlewares[...], to: prepared)
        guard answer.request === context.answerHeaderBlocks else { throw MiddlewareMisuse.foreignAnswer }
        return answer.message
    }

    private func pass(
        _ context: OperationContext, through rest: ArraySlice<any ServiceMiddleware>, to prepared: ServiceRoute.Prepared
    ) async throws -> OperationAnswer {
        guard let middleware = rest.first else {
            return OperationAnswer(message: try await prepared.run(context), request: context.answerHeaderBlocks)
        }
        let hasGoneOn = Atomic(false)
        return try await middleware.intercept(context) { changed in
            // A second run would send twice what the handler appends to the answer.
            guard !hasGoneOn.exchange(true, ordering: .relaxed) else { throw MiddlewareMisuse.secondPassage }
            return try await pass(context.taking(changed), through: rest.dropFirst(), to: prepared)
        }
    }

    /// Whether verifiers protect the answer.
    private var isProtecting: Bool { opened?.protectors.isEmpty == false }

    /// The answer says only that the message was accepted.
    private static let accepted = Response(status: 202, contentType: nil, body: [], work: nil)

    private func contentType(_ version: SOAPVersion) -> String { "\(version.mediaType); charset=utf-8" }

    // MARK: Faults

    func log(_ message: Logger.Message, _ error: any Error, _ context: OperationContext?) {
        let context = context ?? OperationContext(in: request)
        logger.error(message, metadata: context.metadata(["error": "\(error)"]))
    }

    /// Answers content that is not a message.
    func refuse(_ fault: SOAPFault) -> Response { self.fault(for: fault, bindings: [], in: versions.last ?? .soap11) }

    func fault(
        for error: any Error, bindings: [FaultBinding], in version: SOAPVersion, _ context: OperationContext? = nil
    ) -> Response {
        let internalError = FaultWriter(version: version, fault: .server("Internal error."))
        var writer = internalError
        var action: String?
        if let answer = bindings.answer(to: error) {
            writer = FaultWriter(version: version, fault: answer.fault, detail: answer.detail)
            action = answer.action
            if logger.logLevel <= .debug {
                let context = context ?? OperationContext(in: request)
                logger.debug(
                    "answered with a fault",
                    metadata: context.metadata(["fault": "\(answer.fault.code): \(answer.fault.reason)"]))
            }
        } else {
            // The details of an internal error are for the operator, not for the client.
            log("a handler failed", error, context)
        }
        if context?.sendsFault == false { return Self.accepted }
        writer.headerBlocks = context?.faultHeaderBlocks.all(for: writer.fault, action: action) ?? []
        var bytes: [UInt8] = []
        do { bytes = try writer.envelope() } catch {
            log("a fault cannot be written", error, context)
            writer = internalError
            bytes = (try? writer.envelope()) ?? []
        }
        var response = Response(
            status: writer.status, contentType: contentType(version), body: HTTPBody(bytes), work: nil)
        response.faultReason = writer.fault.reason
        return response
    }
}

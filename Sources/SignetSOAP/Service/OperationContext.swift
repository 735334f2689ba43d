import Logging
import Synchronization

/// What a handler knows about a call besides its input.
public struct OperationContext: Sendable {
    /// The caller.
    public var peer: PeerDescription
    /// The service's name in the WSDL (``ServiceDispatcher/name``); empty in a context that no dispatcher has made.
    public internal(set) var service = ""
    /// The operation's name in the WSDL.
    public var operation: String
    /// The version of SOAP of the request; the answer uses the same.
    public var version: SOAPVersion
    /// The header blocks of the request, also those that are addressed to other nodes. A request with more than 256 is
    /// refused.
    public var headerBlocks: [ReceivedHeaderBlock]
    /// The deviations of the request from the WSDL that ``ServiceDispatcher/tolerance`` allows; 1,000 at most.
    public var deviations: [XMLDeviation] = []
    /// The action that the HTTP request names; nil when it names none.
    public var soapAction: String?
    /// The actions by which WS-Addressing names the operation's messages, as far as the WSDL states them.
    public var actions = OperationActions()
    /// Whether the client wants an answer; if not, the service tells it that the message was accepted, after the
    /// handler has run.
    public var sendsAnswer = true
    /// Whether the client wants a fault to be sent.
    public var sendsFault = true
    /// Whether the operation has no answer.
    var isOneWay = false
    /// The faults that the operation declares.
    var faults: [FaultBinding] = []
    /// The attachments that came beside the envelope, in their order; with MTOM also the ones that the input contains.
    public var attachments: [MessageAttachment] = []
    /// The size in bytes from which a binary value of the answer is sent beside the envelope; nil when all values stay
    /// in it.
    var mtomThreshold: Int?
    /// The roles in which the service acts, besides those that every receiver has.
    var roles: Set<SOAPRole> = []
    /// Where the content begins of an input that is kept as received.
    package var contentPlace: ContentPlace?
    /// See ``ServiceDispatcher/checksInput``.
    package var checksInput = false
    /// See ``ServiceDispatcher/xmlLimits``.
    package var xmlLimits = XMLLimits()
    /// The HTTP request of the message, with its fields; nil when the message did not come over HTTP. A host other than
    /// `SOAPServer` passes it to ``ServiceDispatcher/respond(to:declared:charset:action:from:in:)``.
    public var request: ServerRequest?
    /// The identifier of the request in the log of the server, for log lines of your own; empty without a server. The
    /// client does not know it, and an identifier that the client sends has no effect here; the identifier of a trusted
    /// proxy is in the fields of ``request``.
    public var requestID = ""
    /// Header blocks to send with the answer, unless it is a fault.
    public let answerHeaderBlocks = AnswerHeaderBlocks()
    /// Attachments to send beside the envelope of the answer, apart from binary values of the output; a fault has no
    /// attachments.
    public let answerAttachments = AnswerAttachments()
    /// Header blocks to send with a fault.
    public let faultHeaderBlocks = FaultHeaderBlocks()

    /// Makes a context for tests of handlers, and for hosts of your own.
    public init(
        peer: PeerDescription = .init(), operation: String = "", version: SOAPVersion = .soap11,
        headerBlocks: [ReceivedHeaderBlock] = []
    ) {
        self.peer = peer
        self.operation = operation
        self.version = version
        self.headerBlocks = headerBlocks
    }

    /// Makes the context of a message of `request`.
    init(
        peer: PeerDescription = .init(), operation: String = "", version: SOAPVersion = .soap11,
        headerBlocks: [ReceivedHeaderBlock] = [], in request: ServerRequest?
    ) {
        self.init(peer: peer, operation: operation, version: version, headerBlocks: headerBlocks)
        self.request = request
        requestID = request?.id ?? ""
    }

    /// Returns the same context with the changes that a middleware may make for the handler.
    func taking(_ changed: OperationContext) -> OperationContext {
        var context = self
        (context.peer, context.request, context.headerBlocks) = (changed.peer, changed.request, changed.headerBlocks)
        return context
    }

    /// Returns the same context for a handler that reads the input itself.
    func reading(_ place: ContentPlace?, checksInput: Bool) -> OperationContext {
        guard let place else { return self }
        var context = self
        (context.contentPlace, context.checksInput) = (place, checksInput)
        return context
    }

    /// The fault that is sent when the handler has thrown this error, without its detail; nil when the client gets an
    /// internal error instead.
    package func fault(for error: any Error) -> SOAPFault? { faults.answer(to: error)?.fault }

    /// The log metadata of the call, with `more` added.
    func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "operation": "\(operation.isEmpty ? "unknown" : operation)",
            "peer": "\(peer.remoteAddress ?? "unknown")",
            "caller": "\(peer.certificateSubject ?? peer.signerSubject ?? peer.user ?? "anonymous")",
        ]
        if !requestID.isEmpty { metadata["request"] = "\(requestID)" }
        return metadata.merging(more) { $1 }
    }

    /// The header blocks with this name that are addressed to this service.
    public func headerBlocks(_ name: XMLName) -> [ReceivedHeaderBlock] {
        headerBlocks.filter { $0.isFor(roles) && $0.name.is(name) }
    }

    /// The value of the first header block with this name that is addressed to this service; nil when there is none.
    ///
    /// - Throws: a fault for the client that says how the block departs from its type.
    public func header<Value>(_ element: HeaderElement<Value>) throws(SOAPFault) -> Value? {
        do { return try headerBlocks.lazy.filter { $0.isFor(roles) }.value(element) } catch {
            throw .client("The header block \(element.name) cannot be read: \(error)")
        }
    }
}

/// The header blocks of an answer, to which a handler adds while it runs.
public final class AnswerHeaderBlocks: Sendable {
    private let blocks = Mutex<[HeaderBlock]>([])

    init() {}

    /// Adds a block after the present ones. It is not sent when the answer is a fault.
    public func append(_ block: HeaderBlock) { blocks.withLock { $0.append(block) } }

    /// The blocks so far, in the order of the answer.
    public var all: [HeaderBlock] { blocks.withLock { $0 } }
}

/// The attachments of an answer, to which a handler adds while it runs.
public final class AnswerAttachments: Sendable {
    private let attachments = Mutex<[MessageAttachment]>([])

    init() {}

    /// Adds an attachment after the present ones. It is not sent when the answer is a fault.
    public func append(_ attachment: MessageAttachment) { attachments.withLock { $0.append(attachment) } }

    /// The attachments so far, in the order of the answer.
    public var all: [MessageAttachment] { attachments.withLock { $0 } }
}

/// The header blocks of a fault, to which verifiers and a handler add.
public final class FaultHeaderBlocks: Sendable {
    /// Makes header blocks for a fault and for the action by which WS-Addressing names it, if the WSDL states one.
    typealias Maker = @Sendable (SOAPFault, _ action: String?) -> [HeaderBlock]
    private let makers = Mutex<[Maker]>([])

    init() {}

    /// Adds a block after the present ones. It is sent only when the answer is a fault.
    public func append(_ block: HeaderBlock) { append { _, _ in [block] } }

    func append(_ maker: @escaping Maker) { makers.withLock { $0.append(maker) } }

    /// The blocks so far, in the order of the envelope.
    func all(for fault: SOAPFault, action: String?) -> [HeaderBlock] {
        makers.withLock { $0 }.flatMap { $0(fault, action) }
    }
}

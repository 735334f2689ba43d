import Logging
import Synchronization

/// What a handler knows about the call beside its input.
public struct OperationContext: Sendable {
    /// Who calls.
    public var peer: PeerDescription
    /// The service's name in the WSDL (``ServiceDispatcher/name``); empty in a context that no dispatcher has made.
    public internal(set) var service = ""
    /// The operation's name in the WSDL.
    public var operation: String
    /// The version of SOAP that the request came in; its answer is in the same.
    public var version: SOAPVersion
    /// The header blocks of the request, also those that are for other nodes. A request with more than 256 is refused.
    public var headerBlocks: [ReceivedHeaderBlock]
    /// Where the request departs from what the WSDL says, as far as ``ServiceDispatcher/tolerance`` takes it; 1,000 at most.
    public var deviations: [XMLDeviation] = []
    /// The action that the request names over HTTP; nil when it names none.
    public var soapAction: String?
    /// What WS-Addressing names the operation's messages by, as far as the WSDL says.
    public var actions = OperationActions()
    /// Whether the peer wants an answer; if not, it is told that its message was accepted, once the handler has run.
    public var sendsAnswer = true
    /// The same for a fault.
    public var sendsFault = true
    /// Whether the operation has no answer.
    var isOneWay = false
    /// The faults that the operation declares.
    var faults: [FaultBinding] = []
    /// What came beside the envelope, in its order; with MTOM also what the input holds.
    public var attachments: [MessageAttachment] = []
    /// How large a binary value of the answer must be to travel beside its envelope; nil when all stay in it.
    var mtomThreshold: Int?
    /// The roles that the service acts in, beside those that each has.
    var roles: Set<SOAPRole> = []
    /// What HTTP said of the request, its fields above all; nil where the message came in another way than over HTTP. A
    /// host other than `SOAPServer` gives it to ``ServiceDispatcher/respond(to:declared:charset:action:from:in:)``.
    public var request: ServerRequest?
    /// What names the request in the log of the server, for lines of your own about it; empty where there is no server. The peer does
    /// not know it, and an identifier that it sends has no effect here; that of a trusted proxy stands in the fields of
    /// ``request``.
    public var requestID = ""
    /// Header blocks to send with the answer, unless it is a fault.
    public let answerHeaderBlocks = AnswerHeaderBlocks()
    /// What to send beside the envelope of the answer, apart from binary values of the output; nothing stands beside a fault.
    public let answerAttachments = AnswerAttachments()
    /// Header blocks to send with a fault.
    public let faultHeaderBlocks = FaultHeaderBlocks()

    /// A context for tests of handlers, and for hosts of your own.
    public init(
        peer: PeerDescription = .init(), operation: String = "", version: SOAPVersion = .soap11,
        headerBlocks: [ReceivedHeaderBlock] = []
    ) {
        self.peer = peer
        self.operation = operation
        self.version = version
        self.headerBlocks = headerBlocks
    }

    /// The context of a message of `request`.
    init(
        peer: PeerDescription = .init(), operation: String = "", version: SOAPVersion = .soap11,
        headerBlocks: [ReceivedHeaderBlock] = [], in request: ServerRequest?
    ) {
        self.init(peer: peer, operation: operation, version: version, headerBlocks: headerBlocks)
        self.request = request
        requestID = request?.id ?? ""
    }

    /// The same call with what a middleware may change for the handler.
    func taking(_ changed: OperationContext) -> OperationContext {
        var context = self
        (context.peer, context.request, context.headerBlocks) = (changed.peer, changed.request, changed.headerBlocks)
        return context
    }

    /// The fault that the peer is answered with when the handler has thrown this error, apart from its detail; nil
    /// where that is an internal error of the service.
    package func fault(for error: any Error) -> SOAPFault? { faults.answer(to: error)?.fault }

    /// What a line of the log says of the call, beside `more`.
    func metadata(_ more: Logger.Metadata) -> Logger.Metadata {
        var metadata: Logger.Metadata = [
            "operation": "\(operation.isEmpty ? "unknown" : operation)",
            "peer": "\(peer.remoteAddress ?? "unknown")",
            "caller": "\(peer.certificateSubject ?? peer.user ?? "anonymous")",
        ]
        if !requestID.isEmpty { metadata["request"] = "\(requestID)" }
        return metadata.merging(more) { $1 }
    }

    /// The header blocks with this name that are for us.
    public func headerBlocks(_ name: XMLName) -> [ReceivedHeaderBlock] {
        headerBlocks.filter { $0.isFor(roles) && $0.name.is(name) }
    }

    /// What the first header block with this name holds that is for us; nil when there is none.
    ///
    /// - Throws: a fault for the peer, which says how the block departs from its type.
    public func header<Value>(_ element: HeaderElement<Value>) throws(SOAPFault) -> Value? {
        do { return try headerBlocks.lazy.filter { $0.isFor(roles) }.value(element) } catch {
            throw .client("The header block \(element.name) cannot be read: \(error)")
        }
    }
}

/// The header blocks of an answer, which a handler adds to while it runs.
public final class AnswerHeaderBlocks: Sendable {
    private let blocks = Mutex<[HeaderBlock]>([])

    init() {}

    /// Adds a block behind those that are there. It is not sent when the answer is a fault.
    public func append(_ block: HeaderBlock) { blocks.withLock { $0.append(block) } }

    /// The blocks so far, in the order of the answer.
    public var all: [HeaderBlock] { blocks.withLock { $0 } }
}

/// The attachments of an answer, which a handler adds to while it runs.
public final class AnswerAttachments: Sendable {
    private let attachments = Mutex<[MessageAttachment]>([])

    init() {}

    /// Adds an attachment behind those that are there. It is not sent when the answer is a fault.
    public func append(_ attachment: MessageAttachment) { attachments.withLock { $0.append(attachment) } }

    /// The attachments so far, in the order of the answer.
    public var all: [MessageAttachment] { attachments.withLock { $0 } }
}

/// The header blocks of a fault, to which verifiers and a handler add.
public final class FaultHeaderBlocks: Sendable {
    /// Makes blocks of a fault and of what WS-Addressing names it by, where the WSDL says that.
    typealias Maker = @Sendable (SOAPFault, _ action: String?) -> [HeaderBlock]
    private let makers = Mutex<[Maker]>([])

    init() {}

    /// Adds a block behind those that are there. It is sent only when the answer is a fault.
    public func append(_ block: HeaderBlock) { append { _, _ in [block] } }

    func append(_ maker: @escaping Maker) { makers.withLock { $0.append(maker) } }

    /// The blocks so far, in the order of the envelope.
    func all(for fault: SOAPFault, action: String?) -> [HeaderBlock] {
        makers.withLock { $0 }.flatMap { $0(fault, action) }
    }
}

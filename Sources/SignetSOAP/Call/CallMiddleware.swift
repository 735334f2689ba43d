public import SignetHTTP
import Synchronization

/// A call on its way to the service, above the envelope or, without SOAP, above the request.
public struct ServiceCall<Input: XMLStructure>: Sendable {
    /// The operation's name in the WSDL.
    public let operation: String
    /// The address of the service that is called. No middleware can change it.
    public let endpoint: Endpoint
    /// The version of SOAP; nil when the operation is bound to HTTP without SOAP.
    public let version: SOAPVersion?
    /// The input that the caller has given. A middleware may pass another input on.
    public var input: Input
    /// The header blocks of this call; a call without SOAP takes none.
    public var headerBlocks: [HeaderBlock]
    /// The attachments that are sent beside the envelope, apart from binary values of ``input``
    /// (``AttachmentSettings/mtom``).
    public var attachments: [MessageAttachment]
    /// Keeps the exchanges of the call; nil when no middleware looks at them.
    var record: ExchangeRecord?
    /// Takes the repeated elements of the answer; nil where they are part of the output.
    var elements: AnswerElements?
    /// The stream that is written into the request while it is sent.
    var stream: ServiceStream?

    /// Whether the call can be repeated. It cannot when elements of an answer were handed over already, nor when
    /// attachments or a ``ServiceStream`` were read that cannot be read again
    /// (``/SignetHTTP/HTTPBody/isReplayable``). A middleware that repeats calls must check this each time.
    public var canBeRepeated: Bool {
        elements?.areGiven() != true && stream?.canBeSent != false && attachments.allSatisfy(\.canBeSent)
    }

    /// The exchanges of this call that have ended so far, of all attempts, in their order. After `next`, a middleware
    /// finds here what happened on the network, whether the call has failed or not. The list is empty when the call
    /// ended before anything could be sent. It keeps the newest 1,000 exchanges.
    public var exchanges: [ExchangeOutcome] { record?.since(0).kept ?? [] }

    /// How many exchanges have ended, those that are no longer kept included.
    package var exchangeCount: Int { record?.count ?? 0 }

    /// The exchanges that have ended after the first `start`, as far as they are kept, and how many they are in all.
    package func exchanges(since start: Int) -> (kept: [ExchangeOutcome], count: Int) {
        record?.since(start) ?? ([], 0)
    }
}

/// The exchanges of one call; more come while the call is under way.
final class ExchangeRecord: Sendable {
    private static let limit = 1_000
    private let ended = Mutex<(newest: [ExchangeOutcome], count: Int)>(([], 0))

    var count: Int { ended.withLock { $0.count } }

    func append(_ outcome: ExchangeOutcome) {
        ended.withLock { ended in
            ended.count &+= 1
            if ended.newest.count == Self.limit { ended.newest.removeFirst() }
            ended.newest.append(outcome)
        }
    }

    func since(_ start: Int) -> (kept: [ExchangeOutcome], count: Int) {
        ended.withLock { ended in
            let count = max(0, ended.count - start)
            return (Array(ended.newest.suffix(count)), count)
        }
    }
}

/// The answer to a call.
public struct ServiceAnswer<Output: Sendable>: Sendable {
    /// The output of the operation; `Void` for a one-way operation. A middleware may give the caller another output.
    public var output: Output
    /// The header blocks of the answer.
    public var headerBlocks: [ReceivedHeaderBlock]
    /// The deviations of the answer from the WSDL that ``CallSettings/tolerance`` allows; 1,000 at most.
    public var deviations: [XMLDeviation]
    /// The attachments that came beside the envelope, in their order; with MTOM also the ones that ``output`` contains.
    public var attachments: [MessageAttachment]
    /// Where the content begins of an output that is kept as received.
    package var contentPlace: ContentPlace?

    /// Makes an answer in a middleware, instead of calling `next` or of returning the answer of `next`.
    public init(
        _ output: Output, headerBlocks: [ReceivedHeaderBlock] = [], deviations: [XMLDeviation] = [],
        attachments: [MessageAttachment] = []
    ) {
        self.output = output
        self.headerBlocks = headerBlocks
        self.deviations = deviations
        self.attachments = attachments
    }

    /// The value of the first header block with this name; nil when there is none.
    ///
    /// - Throws: an error that says how the block departs from its type.
    public func header<Value>(_ element: HeaderElement<Value>) throws(XMLError) -> Value? {
        try headerBlocks.value(element)
    }
}

/// Where the content of an element begins in a message: after its start tag.
package struct ContentPlace: Sendable, Hashable {
    /// The open elements from the root, as they are written in the message.
    package var path: String
    package var line: Int
    package var column: Int

    package init(_ reader: inout XMLReader) {
        path = reader.path
        (line, column) = reader.place()
    }
}

/// Sees every call of a client above the envelope: for logging, metrics, retry, header blocks. ``ClientHTTPMiddleware``
/// sees the HTTP of the call.
///
/// When a middleware calls `next` again, the call passes everything below again, so that nonces, time stamps and
/// message identifiers are new.
public protocol CallMiddleware: Sendable {
    /// Calls `next` to continue, and returns or changes its answer; a fault arrives as a thrown error. The output of a
    /// one-way operation is `Void`.
    func intercept<Input: XMLStructure, Output: Sendable>(
        _ call: ServiceCall<Input>, next: @Sendable (ServiceCall<Input>) async throws -> ServiceAnswer<Output>
    ) async throws -> ServiceAnswer<Output>
}

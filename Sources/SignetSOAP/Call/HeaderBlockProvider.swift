public import HTTPTypes

/// Makes header blocks anew for each attempt of a call: what must not be sent twice, such as a nonce or a time stamp.
///
/// Providers stand below the middlewares, so that a middleware which calls `next` again gets new blocks.
public protocol HeaderBlockProvider: Sendable {
    /// Header blocks in answers that ``received(_:)`` deals with, so that they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// The blocks to send with one attempt, behind those of the call.
    ///
    /// - Throws: what the caller of the operation shall see; nothing is sent then.
    func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock]

    /// Looks at what came back, fault or not.
    ///
    /// - Throws: what the caller of the operation shall see in place of the output. A fault or another error that the answer itself
    ///   ends in goes before.
    func received(_ answer: AnswerHead) async throws
}

extension HeaderBlockProvider {
    public var understoodHeaderBlocks: Set<XMLName> { [] }
    public func received(_ answer: AnswerHead) async throws {}
}

/// A message that is about to be sent.
public struct CallAttempt: Sendable, Hashable {
    /// The operation's name in the WSDL.
    public var operation: String
    public var endpoint: Endpoint
    public var version: SOAPVersion

    public init(operation: String, endpoint: Endpoint, version: SOAPVersion) {
        self.operation = operation
        self.endpoint = endpoint
        self.version = version
    }
}

/// What stands before the content of an answer.
public struct AnswerHead: Sendable {
    /// The HTTP status.
    public var status: Int
    public var fields: HTTPFields
    /// The header blocks of the envelope; empty when the answer is a fault, or cannot be read.
    public var headerBlocks: [ReceivedHeaderBlock]

    public init(status: Int, fields: HTTPFields = [:], headerBlocks: [ReceivedHeaderBlock] = []) {
        self.status = status
        self.fields = fields
        self.headerBlocks = headerBlocks
    }
}

// Fields and header blocks may be secret: their names are shown.
extension AnswerHead: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status) (\(fields.names), header blocks: \(headerBlocks.map(\.localName)))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

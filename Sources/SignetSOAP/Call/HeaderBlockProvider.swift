public import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes header blocks anew for each attempt of a call: what must not be sent twice, such as a nonce or a time stamp.
///
/// Providers stand below the middlewares, so that a middleware which calls `next` again gets new blocks.
public protocol HeaderBlockProvider: Sendable {
    /// Header blocks in answers that ``received(_:)`` deals with, so that they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// Whether it, or what works together with it, has to see a message as a whole, for example to sign it or to verify
    /// a signature. Calls that hand elements over while the answer arrives, or send them one by one, are refused then
    /// before anything is sent. False unless it says otherwise.
    var needsWholeMessages: Bool { get }

    /// The blocks to send with one attempt, behind those of the call.
    ///
    /// - Throws: what the caller of the operation shall see; nothing is sent then.
    func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock]

    /// Looks at what came back, fault or not. Of an answer whose elements are handed over while it arrives, it is
    /// called before the first of them.
    ///
    /// - Throws: what the caller of the operation shall see in place of the output. A fault or another error that the answer itself
    ///   ends in goes before.
    func received(_ answer: AnswerHead) async throws
}

extension HeaderBlockProvider {
    public var understoodHeaderBlocks: Set<XMLName> { [] }
    public var needsWholeMessages: Bool { false }
    public func received(_ answer: AnswerHead) async throws {}
}

/// A message that is about to be sent.
public struct CallAttempt: Sendable, Hashable {
    /// The operation's name in the WSDL.
    public var operation: String
    /// Where the message goes.
    public var endpoint: Endpoint
    /// The version of SOAP that the message is written in.
    public var version: SOAPVersion
    /// Tells this attempt apart from all other messages: a URI (WS-Addressing 1.0 Core §3.1).
    public var messageID: String
    /// What the request means, as WS-Addressing names it; nil where the WSDL does not say.
    public var action: String?
    /// What the answer means; nil where the WSDL does not say.
    public var answerAction: String?
    /// Whether nothing but its acceptance comes back.
    public var isOneWay = false
    /// Whether the message does not leave this machine (``ClientTransport/isLocal(_:)``).
    public var isLocal = false
    /// What the policies of the WSDL ask for, of the port as far as the caller knows it, and of the operation.
    public var requirements: [ServiceRequirement] = []

    /// Tells the attempts of a process apart: of two the later one has the greater number.
    public var number: UInt64

    /// - Parameter messageID: nil for a new one.
    public init(
        operation: String, endpoint: Endpoint, version: SOAPVersion, messageID: String? = nil, number: UInt64 = 0
    ) {
        self.operation = operation
        self.endpoint = endpoint
        self.version = version
        self.messageID = messageID ?? .newMessageID()
        self.number = number
    }
}

extension String {
    /// A URI that no other message has (RFC 9562).
    static func newMessageID() -> String { "urn:uuid:\(UUID().uuidString.lowercased())" }
}

/// What stands before the content of an answer.
public struct AnswerHead: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The fields of HTTP. They may be secret; descriptions show only their names.
    public var fields: HTTPFields
    /// The header blocks of the envelope, a fault's too; empty when the answer cannot be read.
    public var headerBlocks: [ReceivedHeaderBlock]
    /// What is answered; nil when nobody says.
    public var attempt: CallAttempt?
    /// The fault that the answer is.
    public var fault: SOAPFault?

    /// A head for tests of a ``HeaderBlockProvider``. Calls make their own.
    public init(
        status: Int, fields: HTTPFields = [:], headerBlocks: [ReceivedHeaderBlock] = [],
        attempt: CallAttempt? = nil, fault: SOAPFault? = nil
    ) {
        self.status = status
        self.fields = fields
        self.headerBlocks = headerBlocks
        self.attempt = attempt
        self.fault = fault
    }
}

// Fields and header blocks may be secret: their names are shown.
extension AnswerHead: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status) (\(fields.names), header blocks: \(headerBlocks.map(\.localName)))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

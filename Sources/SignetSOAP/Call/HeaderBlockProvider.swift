public import HTTPTypes

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Makes new header blocks for each attempt of a call, for data that must not be sent twice, such as a nonce or a time
/// stamp.
///
/// Providers are below the middlewares, so that a middleware which calls `next` again gets new blocks.
public protocol HeaderBlockProvider: Sendable {
    /// Header blocks in answers that ``received(_:)`` processes; they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// Whether the provider, or something that works with it, has to see a message as a whole, for example to sign it
    /// or to verify a signature. Calls that hand elements over while the answer arrives, or send them one by one, are
    /// then refused before anything is sent. The default is false.
    var needsWholeMessages: Bool { get }

    /// Whether the provider verifies answers as a whole (``verify(_:for:)``). The default is ``needsWholeMessages``.
    var verifiesAnswers: Bool { get }

    /// Protects the message of one attempt as a whole, for example by a signature. Only called when
    /// ``needsWholeMessages`` is true, after the header blocks of all providers are in the envelope; the providers are
    /// called in their order. A message with MTOM is refused before anything is sent.
    ///
    /// - Parameters:
    ///   - message: the message. A provider that protects the envelope alone throws when there are attachments.
    ///   - attempt: the attempt whose header blocks the envelope has.
    /// - Returns: the message that is sent. The default returns the given one.
    /// - Throws: the error for the caller of the operation; nothing is sent then.
    func protect(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage

    /// Verifies an answer as a whole, before anything is read from it. Only called when ``verifiesAnswers`` is true,
    /// for every answer that is an envelope, also one with a fault; the providers are called in the opposite order. An
    /// answer with MTOM is refused.
    ///
    /// - Parameters:
    ///   - message: the message. A provider that verifies the envelope alone removes the attachments, or throws.
    ///   - attempt: the attempt that is answered.
    /// - Returns: the message that is read in place of the given one. The default returns the given one.
    /// - Throws: the error for the caller of the operation; nothing of the answer is used then.
    func verify(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage

    /// Returns the blocks to send with one attempt, after those of the call.
    ///
    /// - Throws: the error for the caller of the operation; nothing is sent then.
    func headerBlocks(for attempt: CallAttempt) async throws -> [HeaderBlock]

    /// Inspects an answer, with or without a fault. When the elements of an answer are handed over while it arrives,
    /// this is called before the first element.
    ///
    /// - Throws: the error for the caller of the operation, instead of the output. A fault in the answer, or another
    ///   error that the answer causes, takes precedence.
    func received(_ answer: AnswerHead) async throws

    /// Whether the message should be sent once more, with new header blocks, because the service has refused what this provider sent. Called after
    /// ``received(_:)`` for an answer with which a call fails: a ``SOAPFault`` without a declared detail, or any fault with HTTP 401. It is called
    /// at most once for each call. A call whose input or output is a stream is not repeated.
    ///
    /// - Returns: true only when the service has not acted on the message. The default is false.
    func wantsAnotherAttempt(after answer: AnswerHead) async -> Bool
}

extension HeaderBlockProvider {
    public var understoodHeaderBlocks: Set<XMLName> { [] }
    public var needsWholeMessages: Bool { false }
    public var verifiesAnswers: Bool { needsWholeMessages }
    public func received(_ answer: AnswerHead) async throws {}
    public func wantsAnotherAttempt(after answer: AnswerHead) async -> Bool { false }
    public func protect(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage { message }
    public func verify(_ message: SOAPMessage, for attempt: CallAttempt) async throws -> SOAPMessage { message }
}

/// A message that is about to be sent.
public struct CallAttempt: Sendable, Hashable {
    /// The operation's name in the WSDL.
    public var operation: String
    /// The address to which the client sends the message.
    public var endpoint: Endpoint
    /// The version of SOAP that the message is written in.
    public var version: SOAPVersion
    /// The identifier of this attempt, different from that of all other messages: a URI (WS-Addressing 1.0 Core §3.1).
    public var messageID: String
    /// The action by which WS-Addressing names the request; nil when the WSDL does not state one.
    public var action: String?
    /// The action by which WS-Addressing names the answer; nil when the WSDL does not state one.
    public var answerAction: String?
    /// Whether the service sends no answer but the acceptance of the message.
    public var isOneWay = false
    /// Whether the message does not leave this machine (``/SignetHTTP/ClientTransport/isLocal(_:)``).
    public var isLocal = false
    /// The requirements of the WSDL's policies: those of the port, as far as the caller knows them, and those of the
    /// operation.
    public var requirements: [ServiceRequirement] = []
    /// The requirements that are not checked (``CallSettings/uncheckedRequirements``).
    public var uncheckedRequirements: Set<ServiceRequirement> = []

    /// The number of the attempt in this process: a later attempt has a greater number.
    public var number: UInt64

    /// - Parameters:
    ///   - operation: the operation's name in the WSDL.
    ///   - endpoint: the address to which the client sends the message.
    ///   - version: the version of SOAP that the message is written in.
    ///   - messageID: nil for a new one.
    ///   - number: the number of the attempt; a later attempt has a greater number.
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

/// The status, fields and header blocks of an answer, without its content.
public struct AnswerHead: Sendable {
    /// The HTTP status.
    public var status: Int
    /// The HTTP fields. They may be secret; descriptions show only their names.
    public var fields: HTTPFields
    /// The header blocks of the envelope, also of one with a fault; empty when the answer cannot be read.
    public var headerBlocks: [ReceivedHeaderBlock]
    /// The attempt that is answered; nil when it is unknown.
    public var attempt: CallAttempt?
    /// The fault in the answer; nil when there is none.
    public var fault: SOAPFault?

    /// Makes a head for tests of a ``HeaderBlockProvider``. Calls make their own.
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

// Fields and header blocks may be secret: only their names are shown.
extension AnswerHead: CustomStringConvertible, CustomReflectable {
    public var description: String { "\(status) (\(fields.names), header blocks: \(headerBlocks.map(\.localName)))" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

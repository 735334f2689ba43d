import HTTPTypes

/// The header blocks of WS-Addressing that go out with each attempt of a call (Core 1.0 §3, SOAP Binding 1.0 §3): `Action`, `To`,
/// `MessageID`, `ReplyTo` and what else is set.
///
/// ```swift
/// service.headerProviders = [AddressingHeader()]
/// ```
///
/// What an answer brings of the same version counts as understood. Where it says which message it answers, that must be the one sent.
public struct AddressingHeader: Sendable {
    /// The version that the header blocks are written in, and the only one that is looked for in an answer.
    public var version: AddressingVersion
    /// Where the message goes; nil for the call's endpoint.
    public var to: String?
    /// What goes with the message to this endpoint: its parameters. ``ServiceCaller/calling(_:anyOrigin:)`` sets it together with the
    /// endpoint.
    public var reference: EndpointReference?
    /// Who sends it.
    public var from: EndpointReference?
    /// Where the answer goes; nil for the connection that the message came on. Any other address takes the answer away from the call.
    public var replyTo: EndpointReference?
    /// Where a fault goes; nil for where the answer goes.
    public var faultTo: EndpointReference?
    /// Actions by the names of operations, where the WSDL does not say the right one.
    public var actions: [String: String] = [:]
    /// The receiver must answer with a fault when it does not know WS-Addressing.
    public var mustUnderstand = false
    /// Whether an answer must say which message it answers. Those that say nothing are taken otherwise.
    public var requiresRelatesTo = false
    /// Whether an answer's action must be the one that the WSDL says. Many services give another; what an answer is, its body
    /// tells in any case.
    public var requiresAction = false

    /// A header with the usual blocks: `To` is the call's endpoint, and the answer comes back over the same connection.
    /// An answer that names another message is refused.
    public init(_ version: AddressingVersion = .v10) { self.version = version }

    /// The header as a WSDL asks for it; nil when it does not.
    public init?(for port: ServicePort) {
        guard let version = port.addressing else { return nil }
        self.init(version)
    }
}

extension AddressingHeader: HeaderBlockProvider {
    public var understoodHeaderBlocks: Set<XMLName> { version.headerBlocks }

    public func headerBlocks(for attempt: CallAttempt) throws -> [HeaderBlock] {
        guard let action = actions[attempt.operation] ?? attempt.action, !action.isEmpty else {
            throw AddressingError(
                .noAction,
                "Nothing says which action the operation \(attempt.operation) has: name it in the actions of the AddressingHeader."
            )
        }
        var blocks = [
            block(.action, action), block(.to, to ?? attempt.endpoint.url),
            block(.messageID, attempt.messageID),
        ]
        if let from { blocks.append(try block(.from, from)) }
        // Of one that is not answered nothing comes back.
        if let replyTo = replyTo ?? (attempt.isOneWay ? nil : EndpointReference(version.anonymous)) {
            blocks.append(try block(.replyTo, replyTo))
        }
        if let faultTo { blocks.append(try block(.faultTo, faultTo)) }
        do { blocks += try reference?.headerBlocks(version) ?? [] } catch {
            throw AddressingError(
                .invalidReference,
                "The endpoint reference of \(attempt.endpoint) cannot be used, nothing was sent: \(error.reason).")
        }
        return blocks
    }

    private func block(_ part: AddressingVersion.Part, _ text: String) -> HeaderBlock {
        HeaderBlock(version.name(part), text: text, mustUnderstand: mustUnderstand)
    }

    private func block(
        _ part: AddressingVersion.Part, _ reference: EndpointReference
    ) throws(AddressingError) -> HeaderBlock {
        do {
            return HeaderBlock(try reference.fragment(version.name(part), version), mustUnderstand: mustUnderstand)
        } catch {
            throw AddressingError(
                .unwritable, "The endpoint reference in \(part.rawValue) cannot stand in a message: \(error)",
                cause: error)
        }
    }

    public func received(_ answer: AnswerHead) throws {
        guard let attempt = answer.attempt else { return }
        let received = ReceivedAddressing(answer.headerBlocks.filter { $0.isFor([]) }, version)
        if let defect = received.defect {
            throw AddressingError(
                .invalidAnswer,
                "The answer to \(attempt.operation) has header blocks of \(version) that are not in order: \(defect.reason)."
            )
        }
        if received.repliesTo.isEmpty
            ? requiresRelatesTo && !attempt.isOneWay : !received.repliesTo.contains(attempt.messageID)
        {
            throw AddressingError(
                .unrelatedAnswer,
                received.repliesTo.isEmpty
                    ? "The answer to \(attempt.operation) does not say which message it answers."
                    : "What came back is not the answer to this call of \(attempt.operation), but to another message.")
        }
        if requiresAction, let wanted = attempt.answerAction, received.action != wanted {
            throw AddressingError(
                .invalidAnswer,
                "The answer to \(attempt.operation) has \(received.action == nil ? "no action" : "another action") than “\(wanted)”."
            )
        }
    }
}

extension ServiceCaller {
    /// The same calls to the endpoint that a reference names, with its parameters as header blocks.
    ///
    /// The header is the caller's ``AddressingHeader`` where it has one, or else one of WS-Addressing 1.0.
    ///
    /// - Parameter anyOrigin: whether the reference may lead to another origin than this caller's. Whoever sent the reference chooses
    ///   where calls go then: without header providers, header blocks and fields of this caller, such as tokens, and never from https to
    ///   http.
    /// - Throws: ``AddressingError`` with `invalidReference` when the address is none of HTTP, or has another origin.
    public func calling(_ reference: EndpointReference, anyOrigin: Bool = false) throws(AddressingError)
        -> ServiceCaller
    {
        var caller = self
        do { caller.endpoint = try Endpoint(reference.address) } catch {
            throw AddressingError(
                .invalidReference, "The address of the endpoint reference cannot be called: \(error.message).",
                cause: error)
        }
        guard anyOrigin || caller.endpoint.origin == endpoint.origin else {
            throw AddressingError(
                .invalidReference,
                "The endpoint reference leads from \(endpoint.origin) to \(caller.endpoint.origin): if that is right, set anyOrigin."
            )
        }
        guard caller.endpoint.origin.scheme == .https || endpoint.origin.scheme != .https else {
            throw AddressingError(
                .invalidReference,
                "The endpoint reference leads from \(endpoint.origin) to \(caller.endpoint.origin), where everybody on the way can read: that is refused."
            )
        }
        var header = settings.headerProviders.lazy.compactMap { $0 as? AddressingHeader }.first ?? AddressingHeader()
        header.reference = reference
        header.to = reference.address
        if caller.endpoint.origin != endpoint.origin {
            // Tokens and fields were meant for the service that this caller calls.
            (caller.headerProviders, caller.headerBlocks, caller.fields) = ([], [], [:])
        }
        caller.headerProviders.removeAll { $0 is AddressingHeader }
        caller.headerProviders.append(header)
        return caller
    }
}

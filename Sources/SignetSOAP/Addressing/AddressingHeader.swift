import HTTPTypes

/// The header blocks of WS-Addressing that a client sends with each attempt of a call (Core 1.0 §3, SOAP Binding 1.0
/// §3): `Action`, `To`, `MessageID`, `ReplyTo` and the others that are set.
///
/// ```swift
/// service.headerProviders = [AddressingHeader()]
/// ```
///
/// The client understands the header blocks of the same version in an answer. An answer that names the message it
/// answers must name the message that was sent.
public struct AddressingHeader: Sendable {
    /// The version in which the header blocks are written, and the only one that the client looks for in an answer.
    public var version: AddressingVersion
    /// The address that the message names as its destination; nil for the call's endpoint.
    public var to: String?
    /// The endpoint reference whose parameters the client sends with the message.
    /// ``ServiceCaller/calling(_:anyOrigin:)`` sets it together with the endpoint.
    public var reference: EndpointReference?
    /// The endpoint of the sender.
    public var from: EndpointReference?
    /// Where the service is to send the answer; nil for the connection of the request. With any other address, the call
    /// gets no answer.
    public var replyTo: EndpointReference?
    /// Where the service is to send a fault; nil for the address of the answer.
    public var faultTo: EndpointReference?
    /// Actions by the names of operations, for operations whose action the WSDL does not state correctly.
    public var actions: [String: String] = [:]
    /// Whether the receiver must answer with a fault when it does not know WS-Addressing.
    public var mustUnderstand = false
    /// Whether an answer must say which message it answers. Otherwise answers that do not say so are accepted.
    public var requiresRelatesTo = false
    /// Whether an answer's action must be the one that the WSDL states. Many services send another; the body shows in
    /// any case what the answer is.
    public var requiresAction = false

    /// Makes a header with the usual blocks: `To` is the call's endpoint, and the service answers on the same
    /// connection. The client refuses an answer that names another message.
    public init(_ version: AddressingVersion = .v10) { self.version = version }

    /// Makes the header that the WSDL of a port asks for; nil when it asks for none.
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
                "The WSDL names no action for the operation \(attempt.operation): name one in the actions of the AddressingHeader."
            )
        }
        var blocks = [
            block(.action, action), block(.to, to ?? attempt.endpoint.url),
            block(.messageID, attempt.messageID),
        ]
        if let from { blocks.append(try block(.from, from)) }
        // The service sends no answer to a one-way message.
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
                "The answer to \(attempt.operation) has invalid header blocks of \(version): \(defect.reason)."
            )
        }
        if received.repliesTo.isEmpty
            ? requiresRelatesTo && !attempt.isOneWay : !received.repliesTo.contains(attempt.messageID)
        {
            throw AddressingError(
                .unrelatedAnswer,
                received.repliesTo.isEmpty
                    ? "The answer to \(attempt.operation) does not say which message it answers."
                    : "The answer that came back belongs to another message than this call of \(attempt.operation).")
        }
        if requiresAction, let wanted = attempt.answerAction, received.action != wanted {
            throw AddressingError(
                .invalidAnswer,
                "The answer to \(attempt.operation) has \(received.action == nil ? "no action" : "another action") instead of “\(wanted)”."
            )
        }
    }
}

extension ServiceCaller {
    /// Returns a caller that makes the same calls to the endpoint that a reference names, with its parameters as header
    /// blocks.
    ///
    /// The addressing header is this caller's ``AddressingHeader`` if it has one, otherwise one of WS-Addressing 1.0.
    ///
    /// - Parameters:
    ///   - reference: the endpoint to call.
    ///   - anyOrigin: whether the reference may lead to another origin than this caller's. The sender of the reference
    ///     then chooses where calls go. Such calls are made without the header providers, header blocks and fields of
    ///     this caller, such as tokens, and never lead from https to http.
    /// - Throws: ``AddressingError`` with `invalidReference` when the address is not an HTTP address, or has another
    ///   origin.
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
                "The endpoint reference leads from \(endpoint.origin) to \(caller.endpoint.origin), over plain HTTP, where an attacker on the network path can read the messages: call an https address."
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

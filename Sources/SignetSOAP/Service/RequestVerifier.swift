import Logging

/// Checks requests by their header blocks before a handler runs, for example with WS-Security.
///
/// The dispatcher calls it when the header has been read and contains no other error. It reports errors in the body
/// only to clients that the verifier accepts.
public protocol RequestVerifier: Sendable {
    /// Header blocks that the verifier processes; they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// Whether the verifier has to see messages as a whole, for example to verify a signature. Requests with MTOM, and in
    /// other encodings than UTF-8, are then refused. The default is false.
    var needsWholeMessages: Bool { get }

    /// Opens a request before anything is read from it, for example by verifying its signature. Only called when ``needsWholeMessages`` is true; several verifiers are called in their order, each with what the one
    /// before it has returned. The operation is then chosen by the body and by ``OpenedRequest/action``; the action of
    /// the HTTP request does not count.
    ///
    /// - Parameters:
    ///   - message: the message, in a version of SOAP that the service supports. A verifier of the envelope alone removes
    ///     the attachments, or throws.
    ///   - peer: the caller; the verifier adds what it has proved.
    ///   - roles: in which the service acts, besides those that every receiver has.
    /// - Returns: what is read in place of the given message. The default returns the given one.
    /// - Throws: ``RequestRefusal`` to refuse the request. Any other error is logged, and the client gets an internal
    ///   error.
    func open(
        _ message: SOAPMessage, from peer: inout PeerDescription, roles: Set<SOAPRole>
    ) async throws -> OpenedRequest

    /// Checks a request. It stores what it learns about the caller in ``OperationContext/peer``, header blocks for the
    /// answer in ``OperationContext/answerHeaderBlocks``, and header blocks for a fault, its own included, in
    /// ``OperationContext/faultHeaderBlocks``.
    ///
    /// - Parameter context: ``OperationContext/operation`` is empty when the body names none.
    /// - Throws: ``RequestRefusal`` to refuse the request. Any other error is logged, and the client gets an internal
    ///   error.
    func verify(_ context: inout OperationContext) async throws
}

extension RequestVerifier {
    public var needsWholeMessages: Bool { false }
    public func open(
        _ message: SOAPMessage, from peer: inout PeerDescription, roles: Set<SOAPRole>
    ) async throws -> OpenedRequest { OpenedRequest(message) }
}

/// A request that a ``RequestVerifier`` has opened.
public struct OpenedRequest: Sendable {
    /// The message to read.
    public var message: SOAPMessage
    /// The action of WS-Addressing, where the verifier has proved it; it chooses among operations that take the same element.
    public var action: String?
    /// Protects the answer or the fault; nil to send it as it is.
    public var protect: (@Sendable (_ answer: SOAPMessage) async throws -> SOAPMessage)?

    /// - Parameters:
    ///   - message: the message to read.
    ///   - action: the action of WS-Addressing, where the verifier has proved it.
    ///   - protect: protects the answer or the fault; nil to send it as it is. It throws when it does not protect the attachments
    ///     of an answer that has some. When it throws, the error is logged, and the client gets an internal error that is not
    ///     protected.
    public init(
        _ message: SOAPMessage, action: String? = nil,
        protect: (@Sendable (_ answer: SOAPMessage) async throws -> SOAPMessage)? = nil
    ) {
        self.message = message
        self.action = action
        self.protect = protect
    }
}

/// The refusal of a request for its header: a fault for the client, and a reason that only the operator sees.
public struct RequestRefusal: Error, Sendable, CustomStringConvertible {
    /// The fault that the client gets. ``reason`` is not sent to the client.
    public var fault: SOAPFault
    /// The reason for the log; it must contain no secret.
    public var reason: String

    /// - Parameters:
    ///   - fault: the fault for the client.
    ///   - reason: the reason for the log; it must contain no secret.
    public init(_ fault: SOAPFault, reason: String) {
        self.fault = fault
        self.reason = reason
    }

    public var description: String { "refused: \(reason)" }
}

extension ServiceDispatcher {
    /// Returns the same service with a verifier added after its present ones.
    ///
    /// ```swift
    /// let diary = WebEase.dispatcher(Diary()).verified(by: tokens)
    /// let server = try SOAPServer(diary, tls: .init(identity: .fixed(identity)))
    /// ```
    public func verified(by verifier: any RequestVerifier) -> ServiceDispatcher {
        var dispatcher = self
        dispatcher.verifiers.append(verifier)
        return dispatcher
    }

    /// Passes a request to every verifier; returns the fault to answer with, if one of them refuses it.
    func objection(to context: inout OperationContext) async -> SOAPFault? {
        do {
            for verifier in verifiers { try await verifier.verify(&context) }
            return nil
        } catch { return objection(error, context) }
    }

    /// The fault to answer with when a verifier has thrown; the log gets the reason.
    func objection(_ error: any Error, _ context: OperationContext) -> SOAPFault {
        guard let refusal = error as? RequestRefusal else {
            logger.error("a request cannot be checked", metadata: context.metadata(["error": "\(error)"]))
            return .server("Internal error.")
        }
        logger.notice("refused", metadata: context.metadata(["reason": "\(refusal.reason)"]))
        return refusal.fault
    }
}

import Logging

/// Checks requests by their header blocks before a handler runs, for example with WS-Security.
///
/// The dispatcher calls it when the header has been read and contains no other error. It reports errors in the body
/// only to clients that the verifier accepts.
public protocol RequestVerifier: Sendable {
    /// Header blocks that the verifier processes; they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// Checks a request. It stores what it learns about the caller in ``OperationContext/peer``, header blocks for the
    /// answer in ``OperationContext/answerHeaderBlocks``, and header blocks for a fault, its own included, in
    /// ``OperationContext/faultHeaderBlocks``.
    ///
    /// - Parameter context: ``OperationContext/operation`` is empty when the body names none.
    /// - Throws: ``RequestRefusal`` to refuse the request. Any other error is logged, and the client gets an internal
    ///   error.
    func verify(_ context: inout OperationContext) async throws
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
        } catch let refusal as RequestRefusal {
            logger.notice("refused", metadata: context.metadata(["reason": "\(refusal.reason)"]))
            return refusal.fault
        } catch {
            logger.error("a request cannot be checked", metadata: context.metadata(["error": "\(error)"]))
            return .server("Internal error.")
        }
    }
}

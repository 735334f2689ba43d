import Logging

/// Judges requests by their header blocks before a handler runs, as WS-Security does.
///
/// It is asked when the header is read and nothing in it stands against the request. What is wrong with the body is told only to
/// those whom it lets pass.
public protocol RequestVerifier: Sendable {
    /// Header blocks that this deals with, so that they count as understood.
    var understoodHeaderBlocks: Set<XMLName> { get }

    /// Judges a request. What it learns of the caller belongs into ``OperationContext/peer``, and header blocks for the answer into
    /// ``OperationContext/answerHeaderBlocks``, and those for a fault, also for its own, into ``OperationContext/faultHeaderBlocks``.
    ///
    /// - Parameter context: ``OperationContext/operation`` is empty when the body names none.
    /// - Throws: ``RequestRefusal`` to refuse the request. The peer is told of any other error that something went wrong, and the log
    ///   what.
    func verify(_ context: inout OperationContext) async throws
}

/// A request that is refused for its header: what the peer is told, and what only the operator is.
public struct RequestRefusal: Error, Sendable, CustomStringConvertible {
    /// The fault that the peer gets. ``reason`` does not go to the peer.
    public var fault: SOAPFault
    /// For the log; it must hold no secret.
    public var reason: String

    /// - Parameters:
    ///   - fault: for the peer.
    ///   - reason: for the log; it must hold no secret.
    public init(_ fault: SOAPFault, reason: String) {
        self.fault = fault
        self.reason = reason
    }

    public var description: String { "refused: \(reason)" }
}

extension ServiceDispatcher {
    /// The same service with a verifier behind those it has.
    ///
    /// ```swift
    /// let server = try SOAPServer(WebEase.dispatcher(Diary()).verified(by: tokens), tls: .init(identity: .fixed(identity)))
    /// ```
    public func verified(by verifier: any RequestVerifier) -> ServiceDispatcher {
        var dispatcher = self
        dispatcher.verifiers.append(verifier)
        return dispatcher
    }

    /// Has every verifier judge a request; gives the fault to answer with, if any.
    func objection(to context: inout OperationContext) async -> SOAPFault? {
        do {
            for verifier in verifiers { try await verifier.verify(&context) }
            return nil
        } catch let refusal as RequestRefusal {
            logger.notice("refused", metadata: context.metadata(["reason": "\(refusal.reason)"]))
            return refusal.fault
        } catch {
            logger.error("a request cannot be judged", metadata: context.metadata(["error": "\(error)"]))
            return .server("Internal error.")
        }
    }
}

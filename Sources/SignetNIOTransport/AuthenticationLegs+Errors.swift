import SignetAuthentication
import SignetHTTP

extension AuthenticationDriver {
    func lossEvent(for error: any Error) -> AuthenticationLegs.Event {
        switch error {
        case is AuthenticationSession.ConnectionOfOtherUser: .unfit(peers.states)
        case is StaleConnection: .lost(.stale)
        case is UntouchedConnection: .lost(.untouched)
        case is UnansweredRequest: .lost(.unanswered)
        case let error as RefusedRequest: .lost(.refused(atMost: error.limit))
        case let error as TransportError: .lost(error.code == .connectionClosed ? .closed : .other)
        default: .failed
        }
    }

    /// The error of an action, as the caller gets it.
    func reported(_ error: any Error, amidHandshakeOf role: AuthenticationLegs.Peer?) -> any Error {
        let error = error is UntouchedConnection ? TransportError.cancelled() : error.failure
        guard let role, let peer = peers[role], let lost = error as? TransportError else { return error }
        return lost.amidHandshake(of: peer)
    }
}

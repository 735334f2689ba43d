/// Carries out the decisions of ``AuthenticationLegs``: the part of an HTTP client that does the I/O.
package protocol AuthenticationDriver {
    /// The peers of the exchange. ``AuthenticationLegs/run(_:)`` ends their exchanges in any case.
    var peers: AuthenticatingPeers { get set }

    /// Carries out any action except ``AuthenticationLegs/Action/fail(_:)``.
    ///
    /// - Returns: The event that the action leads to; nil for an action that leads to none.
    /// - Throws: The errors that ``event(for:)`` and ``error(for:after:)`` get. An error of
    ///   ``AuthenticationLegs/Action/deliver`` is thrown to the caller as it is.
    mutating func carryOut(_ action: AuthenticationLegs.Action) async throws -> AuthenticationLegs.Event?

    /// The event for an error of an action. Only the driver knows which errors mean that a connection was lost. By
    /// default, every error ends the exchange except ``AuthenticationSession/ConnectionOfOtherUser``.
    func event(for error: any Error) -> AuthenticationLegs.Event

    /// The error for the caller.
    ///
    /// - Parameters:
    ///   - failure: why the exchange fails.
    ///   - error: that of the last action, if it failed.
    func error(for failure: AuthenticationLegs.Failure, after error: (any Error)?) -> any Error
}

extension AuthenticationDriver {
    package func event(for error: any Error) -> AuthenticationLegs.Event {
        error is AuthenticationSession.ConnectionOfOtherUser ? .unfit(peers.states) : .failed
    }
}

extension AuthenticationLegs {
    /// Lets a driver carry out an exchange to its end.
    ///
    /// - Throws: The error of ``AuthenticationDriver/error(for:after:)``.
    package consuming func run(_ driver: inout some AuthenticationDriver) async throws {
        addressed = driver.peers.addressed
        do { try await carryOut(&driver) } catch {
            driver.peers.finish(status: verifiedStatus)
            throw error
        }
        driver.peers.finish(status: verifiedStatus)
    }

    private mutating func carryOut(_ driver: inout some AuthenticationDriver) async throws {
        var event = Event.started
        var failure: (any Error)?
        while true {
            var next = Event.failed
            for action in handle(event) {
                if case .fail(let reason) = action { throw driver.error(for: reason, after: failure) }
                if action == .deliver {
                    _ = try await driver.carryOut(action)
                    return
                }
                do {
                    if let event = try await driver.carryOut(action) { (next, failure) = (event, nil) }
                } catch {
                    failure = error
                    next = driver.event(for: error)
                }
            }
            event = next
        }
    }

    /// The error of ``Failure/tooManyLegs``, and of an event out of order.
    ///
    /// - Parameters:
    ///   - failure: ``Failure/tooManyLegs`` or ``Failure/outOfOrder``.
    ///   - asker: the name of the peer, for the beginning of a sentence.
    package static func undecided(_ failure: Failure, by asker: String) -> AuthenticationError {
        guard failure == .tooManyLegs else {
            return .init(.undecided, "The exchange with \(asker) reported an event that none of its actions leads to.")
        }
        return .init(
            .undecided,
            "\(asker) asked for credentials \(maximum) times, and neither accepted nor finally refused them; the client ended the call."
        )
    }
}

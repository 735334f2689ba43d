package import SignetAuthentication
import Synchronization

/// What peers have refused of what the system gave them for us, so that no later task gives it again: a second failed login may lock an
/// account.
package final class RefusedCredentials: Sendable {
    private let refused = Mutex<[ProtectionSpace: Set<Credentials>]>([:])
    /// Spaces that are remembered, which a server could make up without end; what is full is closed.
    private static let limit = 64

    package init() {}

    package func refuse(_ credentials: Credentials, in space: ProtectionSpace) {
        refused.withLock { refused in
            guard refused[space] != nil || refused.count < Self.limit else { return }
            refused[space, default: []].insert(credentials)
        }
    }

    package func mayGive(_ credentials: Credentials, in space: ProtectionSpace) -> Bool {
        refused.withLock { refused in
            guard let known = refused[space] else { return refused.count < Self.limit }
            return !known.contains(credentials)
        }
    }
}

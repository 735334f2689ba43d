package import SignetAuthentication
import Synchronization

/// Credentials that the system sent for the client and a peer refused. No later task sends them to it again, since a
/// second failed login may lock an account.
package final class RefusedCredentials: Sendable {
    private let refused = Mutex<[ProtectionSpace: Set<Credentials>]>([:])
    /// The limit of protection spaces that are remembered, since a server could invent any number. Beyond it, no
    /// credentials are given to a new one.
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

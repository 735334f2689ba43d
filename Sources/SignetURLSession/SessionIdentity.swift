import Foundation
import SignetConnection
package import SignetCredentials
package import SignetHTTP
package import SignetTLS

/// The form in which `URLSession` gets an identity: a value, so that the choice can be tested on other systems than
/// Apple's.
package enum SessionIdentity: Sendable {
    /// The `SecIdentity` that the identity was made from; its key stays in the Keychain.
    case ofKeychain(any KeychainKeyCalls)
    /// A PKCS#12 file in memory.
    case file([UInt8], password: String)

    /// - Parameter now: seconds since 1970.
    /// - Throws: ``TransportError`` with `unusableIdentity` for a problem that is not tolerated, and for a key that
    ///   only signs and did not come with a `SecIdentity`.
    package init(
        _ identity: Identity, tolerating tolerated: Set<IdentityProblem.Code>, at now: Int64
    ) throws(TransportError) {
        func unusable(_ message: String, _ cause: (any Error)? = nil) -> TransportError {
            TransportError(.unusableIdentity, "\(message) The certificate was not shown.", cause: cause)
        }
        do { try identity.requireUsable(at: now, as: .client, tolerating: tolerated) } catch {
            throw unusable(error.message, error)
        }
        if let key = identity.keychainKey, key.calls.hasIdentity {
            // Nothing reports here whether URLSession succeeded in signing with it.
            key.preventReuse()
            self = .ofKeychain(key.calls)
            return
        }
        if let key = identity.signingKey {
            throw unusable(
                "URLSession cannot use the key \(key.name), which only signs: use NIOTransport, or an identity made of a SecIdentity."
            )
        }
        let password = UUID().uuidString
        do {
            self = .file(try identity.pkcs12(password: password, label: nil, iterations: 1), password: password)
        } catch {
            throw unusable(error.message, error)
        }
    }
}

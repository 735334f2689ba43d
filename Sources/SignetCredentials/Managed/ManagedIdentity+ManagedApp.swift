#if canImport(ManagedApp) && canImport(Security)
import ManagedApp
import Security
public import SignetTLS

extension ManagedIdentity {
    /// An identity that the administrator of a device gives to this app by the declaration `com.apple.configuration.app.managed`.
    /// Its key stays in the system; see `Identity.init(secIdentity:issuers:label:)`.
    ///
    /// An app cannot see the identities of classic profiles; those of this declaration it can.
    ///
    /// - Parameters:
    ///   - identifier: the name that the administrator and the app have agreed on.
    ///   - issuers: the certificates that lead from the identity's own to an authority; the system keeps none with it.
    @available(iOS 18.4, macOS 27.0, visionOS 2.4, *)
    public static func managedApp(_ identifier: String, issuers: [EncodedCertificate] = []) -> ManagedIdentity {
        ManagedIdentity(ManagedAppIdentity(identifier, ManagedAppIdentities(issuers: issuers)))
    }
}

@available(iOS 18.4, macOS 27.0, visionOS 2.4, *)
private struct ManagedAppIdentities: ManagedAppCalls {
    let issuers: [EncodedCertificate]

    func identifiers() -> AsyncStream<[String]> {
        let (stream, continuation) = AsyncStream.makeStream(of: [String].self, bufferingPolicy: .bufferingNewest(1))
        let task = Task {
            for await identifiers in await ManagedAppIdentitiesProvider().identifiers {
                continuation.yield(identifiers)
            }
            continuation.finish()
        }
        continuation.onTermination = { _ in task.cancel() }
        return stream
    }

    func identity(_ identifier: String) async throws -> Identity {
        let identity = try await ManagedAppIdentitiesProvider().identity(withIdentifier: identifier)
        return try Identity(secIdentity: identity, issuers: issuers)
    }
}
#endif

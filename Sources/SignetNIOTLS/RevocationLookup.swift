import NIOCore
import NIOSSL
package import SignetTLS

/// Looks up whether the certificates of a valid path are revoked, within the limits of the policy.
package typealias RevocationLookup = @Sendable (CertificationPath, RevocationPolicy) async -> RevocationReport

extension TrustPolicy {
    /// Looks up revocation while a handshake waits. When the connection closes, a lookup that has not ended is
    /// cancelled.
    ///
    /// - Parameters:
    ///   - lookUp: Without one, the path is judged as if every source were silent.
    ///   - promise: Gets what `take` returns.
    ///   - take: Takes the verdict.
    func confirm(
        _ path: CertificationPath, _ presented: [EncodedCertificate], by lookUp: RevocationLookup?,
        _ promise: EventLoopPromise<NIOSSLVerificationResult>, _ closed: EventLoopFuture<Void>,
        _ take: @escaping @Sendable (Result<CertificationPath, TrustError>) -> NIOSSLVerificationResult
    ) {
        let answer = FirstAnswer(promise)
        let task = Task {
            let report = await lookUp?(path, revocation)
            answer.give(.success(take(confirm(path, presented, report))))
        }
        closed.whenComplete { _ in
            task.cancel()
            answer.give(.success(.failed))
        }
    }
}

import Foundation
import Signet
import SignetEnrollment
import SignetTesting
import Synchronization

/// An authority in this process. The first certificate is due for renewal two seconds after it was issued, the later ones in days.
final class DemoEnroller: Enroller {
    private let authority: CertificateAuthority
    private let issued = Mutex(0)

    init(authority: CertificateAuthority) { self.authority = authority }

    func demands(_ identity: Identity?) async throws -> EnrollmentDemands { .init() }

    func enroll(_ request: EnrollmentRequest) async throws -> EnrollmentAnswer {
        var profile = CertificateProfile.client
        let isFirst = issued.withLock { count in
            count += 1
            return count == 1
        }
        if isFirst {
            // Two thirds of its life, after which it is renewed, end in two seconds. An hour is left, which is the least that
            // IdentityRequirements demands of a new identity.
            let now = Int64(Date().timeIntervalSince1970)
            (profile.notBefore, profile.notAfter) = (now - 7_318, now + 3_662)
        }
        let key = PublicHalf(publicKeyInfo: request.key.publicKeyInfo)
        return .issued(try authority.issueClient(signingKey: key, commonName: "gateway", profile).chain)
    }

    /// What an authority knows of a key.
    private struct PublicHalf: SigningKey {
        let name = "the key of a request"
        let publicKeyInfo: [UInt8]
        let algorithms: [SigningAlgorithm] = [.ecdsa(.sha256)]

        /// The authority signs with its own key only.
        func signature(for request: SigningRequest) async throws -> [UInt8] { [] }
    }
}

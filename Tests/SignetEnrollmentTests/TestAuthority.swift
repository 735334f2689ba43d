import SignetEnrollment
import SignetTLS
import SignetTesting
import Synchronization

/// An authority in the process that certifies each key at once, and counts what it is asked.
final class TestAuthority: Enroller {
    let authority: CertificateAuthority
    /// What it answers in place of a certificate, the first answer first.
    private let answers: Mutex<[EnrollmentAnswer]>
    private let asked = Mutex<[EnrollmentRequest]>([])
    private let profile: @Sendable () -> CertificateProfile
    private let commonName: String
    private let demanded: EnrollmentDemands

    init(
        _ authority: CertificateAuthority,
        _ profile: @autoclosure @escaping @Sendable () -> CertificateProfile = .client,
        commonName: String = "device 7",
        demanding demanded: EnrollmentDemands = .init(), answers: [EnrollmentAnswer] = []
    ) {
        self.demanded = demanded
        self.authority = authority
        self.profile = profile
        self.commonName = commonName
        self.answers = Mutex(answers)
    }

    var requests: [EnrollmentRequest] { asked.withLock { $0 } }

    func demands(_ identity: Identity?) -> EnrollmentDemands { demanded }

    func enroll(_ request: EnrollmentRequest) throws -> EnrollmentAnswer {
        asked.withLock { $0.append(request) }
        if let answer = answers.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) { return answer }
        let key = PublicHalf(publicKeyInfo: request.key.publicKeyInfo)
        return .issued(try authority.issueClient(signingKey: key, commonName: commonName, profile()).chain)
    }

    /// A key of which the authority knows no more.
    private struct PublicHalf: SigningKey {
        let name = "a key of a client"
        let publicKeyInfo: [UInt8]
        let algorithms: [SigningAlgorithm] = [.ecdsa(.sha256)]
        func signature(for request: SigningRequest) async throws -> [UInt8] { [] }
    }
}

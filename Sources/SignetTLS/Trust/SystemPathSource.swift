#if canImport(Security)
import CoreFoundation
import Security

extension PathRequest {
    /// The operating system's path first, then Signet's own paths to the trust anchors that were added to the system's.
    static func systemSource(for request: PathRequest) -> any PathSource {
        JoinedPathSources([GivenPath(request.systemPath), PathBuilder(request)])
    }

    /// The path that the operating system accepts by its own rules; empty when it accepts none. Nothing is fetched from
    /// the network.
    private var systemPath: [EncodedCertificate] {
        guard let leaf = Self.native(leaf) else { return [] }
        let certificates = [leaf] + others.compactMap(Self.native)
        // `CertificateJudge` checks the name, and of a signer what its key is for.
        let policy =
            switch role {
            case .server: SecPolicyCreateSSL(true, nil)
            case .client: SecPolicyCreateSSL(false, nil)
            case .signer: SecPolicyCreateBasicX509()
            }
        var trust: SecTrust?
        guard
            SecTrustCreateWithCertificates(certificates as CFArray, policy, &trust) == errSecSuccess, let trust,
            let date = CFDateCreate(nil, Double(now) - kCFAbsoluteTimeIntervalSince1970),
            SecTrustSetVerifyDate(trust, date) == errSecSuccess,
            SecTrustSetNetworkFetchAllowed(trust, false) == errSecSuccess, SecTrustEvaluateWithError(trust, nil),
            let chain = SecTrustCopyCertificateChain(trust) as? [SecCertificate]
        else { return [] }
        return chain.map { EncodedCertificate(der: Self.bytes(SecCertificateCopyData($0))) }
    }

    private static func native(_ certificate: EncodedCertificate) -> SecCertificate? {
        guard let data = CFDataCreate(nil, certificate.der, certificate.der.count) else { return nil }
        return SecCertificateCreateWithData(nil, data)
    }

    private static func bytes(_ data: CFData) -> [UInt8] {
        guard let start = CFDataGetBytePtr(data) else { return [] }
        return Array(UnsafeBufferPointer(start: start, count: CFDataGetLength(data)))
    }
}
#endif

/// A source of certification paths (RFC 4158). The source proposes a path, and the judge decides on it.
protocol PathSource {
    /// The next path from the peer's certificate to a trust anchor in which the judge has accepted every link.
    ///
    /// - Returns: nil when there is no other path; the judge has noted why the candidates were refused.
    /// - Throws: a refusal that ends the search, such as too much work.
    mutating func next(_ judge: inout CertificateJudge) throws(Refusal) -> [EncodedCertificate]?
}

/// The input of a source.
struct PathRequest {
    /// The peer's own certificate.
    let leaf: EncodedCertificate
    /// Certificates of authorities that the peer sent, or that the policy knows. None of them is trusted.
    let others: [EncodedCertificate]
    let anchors: AnchorSet
    let role: PeerRole
    let now: Int64
    /// Whether the operating system's trust anchors count, which it may not be able to list.
    let usesSystemAnchors: Bool
    /// Whether a path that reaches a trust anchor may continue to another one, which may match a pin.
    let goesBeyondAnchors: Bool

    /// The source for this platform: where the operating system's trust anchors cannot be listed, the system finds the
    /// path.
    static func source(for request: PathRequest) -> any PathSource {
        #if canImport(Security)
        if request.usesSystemAnchors { return systemSource(for: request) }
        #endif
        return PathBuilder(request)
    }
}

/// A path that comes from elsewhere, such as the operating system. The judge still checks every link of it.
struct GivenPath: PathSource {
    private var path: [EncodedCertificate]

    /// - Parameter path: the end-entity certificate first, the trust anchor last; empty when none was found.
    init(_ path: [EncodedCertificate]) { self.path = path }

    mutating func next(_ judge: inout CertificateJudge) throws(Refusal) -> [EncodedCertificate]? {
        let path = path
        self.path = []
        guard !path.isEmpty else { return nil }
        guard path.count <= TrustPolicy.maximumDepth else { throw .tooDeep }
        do throws(Refusal) {
            for (position, issuer) in path.enumerated().dropFirst() {
                try judge.checkLink(
                    issuer, isAnchor: position == path.count - 1, below: Array(path.prefix(position)))
            }
        } catch {
            if error.rule.code == .tooComplex { throw error }
            judge.note(error)
            return nil
        }
        return path
    }
}

/// Several sources in order.
struct JoinedPathSources: PathSource {
    private var sources: [any PathSource]

    init(_ sources: [any PathSource]) { self.sources = sources }

    mutating func next(_ judge: inout CertificateJudge) throws(Refusal) -> [EncodedCertificate]? {
        while !sources.isEmpty {
            if let path = try sources[0].next(&judge) { return path }
            sources.removeFirst()
        }
        return nil
    }
}

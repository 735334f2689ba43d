/// Where certification paths come from (RFC 4158). A source proposes, and the judge decides.
protocol PathSource {
    /// The next path from the peer's certificate to a trust anchor whose every link the judge has accepted.
    ///
    /// - Returns: nil when there is none left; the judge has noted why candidates were not good.
    /// - Throws: what ends the search, such as too much work.
    mutating func next(_ judge: inout CertificateJudge) throws(Refusal) -> [EncodedCertificate]?
}

/// What a source is asked.
struct PathRequest {
    /// The peer's own certificate.
    let leaf: EncodedCertificate
    /// Certificates of authorities that the peer sent, or that are known otherwise. None of them is believed.
    let others: [EncodedCertificate]
    let anchors: AnchorSet
    let role: PeerRole
    let now: Int64
    /// Whether the operating system's anchors count, which it may keep to itself.
    let usesSystemAnchors: Bool
    /// Whether a path that ends at an anchor may go on from there to another one, which may hold a pin.
    let goesBeyondAnchors: Bool

    /// The platform's way: where the operating system's anchors cannot be listed, it finds the path.
    static func source(for request: PathRequest) -> any PathSource {
        #if canImport(Security)
        if request.usesSystemAnchors { return systemSource(for: request) }
        #endif
        return PathBuilder(request)
    }
}

/// A path that somebody else has found, such as the operating system; every link of it is checked all the same.
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

/// One source after the other.
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

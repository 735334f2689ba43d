/// Finds out whether the certificates of a trusted path are revoked, without input or output of its own: it says what to
/// fetch, and is given what came back.
///
/// The certificates next to the trust anchor come first: a revoked authority can say nothing about others. A revoked
/// certificate ends the check.
package struct RevocationCheck: Sendable {
    package enum Step: Sendable {
        /// Fetch this, and call ``receive(_:at:)`` with the result.
        case fetch(RevocationRequest)
        case finished(RevocationReport)
    }

    private enum Source: Sendable {
        case ocsp(url: String)
        case list(url: String, DistributionPoint)

        var url: String {
            switch self {
            case .ocsp(let url), .list(let url, _): url
            }
        }
    }

    /// A certificate of the path, and what is known about it so far.
    private struct Item: Sendable {
        let certificate: EncodedCertificate
        let issuer: EncodedCertificate
        var sources: ArraySlice<Source> = []
        var problems: [RevocationProblem] = []
        var status: RevocationStatus?
    }

    /// The request that has no answer yet.
    private struct Pending: Sendable {
        let position: Int
        let source: Source
        let nonce: [UInt8]?
        let request: RevocationRequest
    }

    private let policy: RevocationPolicy
    private var cache: RevocationCache
    private let makeNonce: @Sendable () -> [UInt8]
    private var items: [Item] = []
    private var pending: Pending?
    /// What the owner of the cache should add to it after the check.
    package private(set) var learned: [RevocationCache.Entry] = []

    /// - Parameters:
    ///   - path: a path that a ``TrustPolicy`` trusts: the end-entity certificate first, the trust anchor last. The
    ///     anchor is not checked, so a path of a single certificate needs no check.
    ///   - policy: with mode `off`, there is nothing to check.
    ///   - cache: what is known already.
    ///   - makeNonce: makes ``OCSPRequest/nonceBytes`` random bytes for each request.
    package init(
        of path: CertificationPath, policy: RevocationPolicy, cache: RevocationCache = RevocationCache(),
        makeNonce: @escaping @Sendable () -> [UInt8] = { .random(OCSPRequest.nonceBytes) }
    ) {
        self.policy = policy
        self.cache = cache
        self.makeNonce = makeNonce
        guard policy.mode != .off else { return }
        items = zip(path.certificates, path.certificates.dropFirst()).map(item)
    }

    /// The first step.
    package mutating func start(at now: Int64) -> Step { advance(at: now) }

    /// The step after other checks have added to the cache: the last request may not be needed any more.
    package mutating func update(_ cache: RevocationCache, at now: Int64) -> Step {
        self.cache = cache
        if let asked = pending {
            pending = nil
            items[asked.position].sources = [asked.source] + items[asked.position].sources
        }
        return advance(at: now)
    }

    /// The step after the result of the last request.
    ///
    /// - Parameters:
    ///   - result: the body of an answer with HTTP status 200, or why no such answer came.
    ///   - now: seconds since 1970 in UTC.
    package mutating func receive(_ result: Result<[UInt8], RevocationFetchFailure>, at now: Int64) -> Step {
        guard let answered = pending else { return advance(at: now) }
        pending = nil
        do throws(RevocationProblem) {
            switch result {
            case .success(let bytes): try judge(bytes, answered, at: now)
            case .failure(let failure): throw failure.problem(answered.request)
            }
        } catch {
            items[answered.position].problems.append(error.at(answered.source.url))
        }
        return advance(at: now)
    }

    /// Ends the check when ``RevocationPolicy/timeLimit`` is over.
    package mutating func timeOut() -> RevocationReport {
        let url = pending?.source.url
        pending = nil
        return end(
            with: RevocationProblem(
                .timeout, "The lookup took longer than \(policy.timeLimit). Check the network, or allow more time.",
                at: url))
    }

    private mutating func end(with problem: RevocationProblem) -> RevocationReport {
        for position in items.indices where items[position].status == nil {
            items[position].status = .undetermined(items[position].problems + [problem])
        }
        return report
    }

    /// What is known about a path without a lookup.
    static func withoutLookup(of path: CertificationPath) -> RevocationReport {
        var check = RevocationCheck(of: path, policy: .hard)
        return check.end(
            with: RevocationProblem(
                .notReached,
                "It was not looked up: only connections look it up, and this certificate was judged without one."))
    }

    private var report: RevocationReport {
        RevocationReport(
            items.map { .init(certificate: $0.certificate, status: $0.status ?? .undetermined($0.problems)) })
    }

    private func item(_ certificate: EncodedCertificate, _ issuer: EncodedCertificate) -> Item {
        var item = Item(certificate: certificate, issuer: issuer)
        do throws(RevocationProblem) {
            let (isUnavailable, servers, points) = try RevocationProblem.reading(
                "What “\(certificate.subject)” says about its revocation"
            ) {
                let content = try certificate.reading.get()
                return (
                    try content.saysThatRevocationIsUnavailable(), try content.ocspAddresses(),
                    try content.listDistributionPoints()
                )
            }
            if isUnavailable {
                item.status = .notPublished
                return item
            }
            let ocsp = servers.map { Source.ocsp(url: $0) }
            let lists = points.filter { !$0.hasOtherIssuer }
                .flatMap { point in point.addresses.map { Source.list(url: $0, point) } }
            item.sources = (policy.prefersOCSP ? ocsp + lists : lists + ocsp)[...]
            if item.sources.isEmpty {
                throw RevocationProblem(
                    .noSource,
                    "“\(certificate.subject)” names no OCSP server and no revocation list of its issuer that can be fetched over HTTP. Have it issued anew with one."
                )
            }
        } catch {
            item.problems.append(error)
        }
        return item
    }

    private mutating func advance(at now: Int64) -> Step {
        if let pending { return .fetch(pending.request) }
        while let position = items.lastIndex(where: { $0.status == nil }) {
            guard let source = items[position].sources.popFirst() else {
                items[position].status = .undetermined(items[position].problems)
                continue
            }
            do throws(RevocationProblem) {
                if try reuse(source, position, at: now) { continue }
                let pending = try ask(source, position)
                self.pending = pending
                return .fetch(pending.request)
            } catch {
                items[position].problems.append(error.at(source.url))
            }
        }
        return .finished(report)
    }

    /// Records a status. The certificates below a revoked one are not looked up.
    private mutating func settle(_ position: Int, _ status: RevocationStatus) {
        items[position].status = status
        guard case .revoked = status else { return }
        for other in items.indices where items[other].status == nil {
            items[other].status = .undetermined([
                RevocationProblem(
                    .notReached,
                    "It was not looked up, since “\(items[position].certificate.subject)” of the same path is revoked.")
            ])
        }
    }

    /// Settles a certificate from the cache.
    ///
    /// - Returns: false when the cache does not know this source.
    private mutating func reuse(_ source: Source, _ position: Int, at now: Int64) throws(RevocationProblem) -> Bool {
        switch (cache.value(for: key(source, position), at: now), source) {
        case (.status(let status), .ocsp):
            settle(position, status)
            return true
        case (.list(let list), .list(let url, let point)):
            settle(position, try status(of: position, list, url, point, at: now))
            return true
        default: return false
        }
    }

    private func ask(_ source: Source, _ position: Int) throws(RevocationProblem) -> Pending {
        switch source {
        case .ocsp(let url):
            let request = try OCSPRequest(
                about: items[position].certificate, issuedBy: items[position].issuer,
                nonce: policy.sendsNonce ? makeNonce() : nil)
            return Pending(
                position: position, source: source, nonce: request.nonce,
                request: RevocationRequest(request, at: url, timeLimit: policy.timeLimit / 2))
        case .list(let url, _):
            return Pending(
                position: position, source: source, nonce: nil,
                request: RevocationRequest(
                    listAt: url, maximumBytes: policy.maximumListBytes, timeLimit: policy.timeLimit / 2))
        }
    }

    private mutating func judge(_ bytes: [UInt8], _ asked: Pending, at now: Int64) throws(RevocationProblem) {
        let item = items[asked.position]
        switch asked.source {
        case .ocsp(let url):
            let response = try OCSPResponse(der: bytes)
            let (answer, until) = try response.status(
                of: item.certificate, issuedBy: item.issuer, nonce: asked.nonce, at: now)
            let evidence = RevocationEvidence(kind: .ocsp, url: url, until: until)
            let status: RevocationStatus
            switch answer {
            case .good: status = .good(evidence)
            case .revoked(let time, let reason): status = .revoked(at: time, reason: reason, evidence)
            case .unknown:
                throw RevocationProblem(
                    .unknownCertificate,
                    "The OCSP server does not know the certificate “\(item.certificate.subject)”. Its authority must tell the server about it."
                )
            }
            learn(asked, .status(status), until: until, at: now)
            settle(asked.position, status)
        case .list(let url, let point):
            let list = try CertificateRevocationList(der: bytes, maximumBytes: policy.maximumListBytes)
            try list.verify(issuedBy: item.issuer)
            let status = try status(of: asked.position, list, url, point, at: now)
            learn(asked, .list(list), until: list.period.end, at: now)
            settle(asked.position, status)
        }
    }

    private func status(
        of position: Int, _ list: CertificateRevocationList, _ url: String, _ point: DistributionPoint, at now: Int64
    ) throws(RevocationProblem) -> RevocationStatus {
        let evidence = RevocationEvidence(kind: .list, url: url, until: list.period.end)
        return switch try list.status(of: items[position].certificate, from: point, at: now) {
        case .good: .good(evidence)
        case .revoked(let time, let reason): .revoked(at: time, reason: reason, evidence)
        }
    }

    private func key(_ source: Source, _ position: Int) -> RevocationCache.Key {
        let issuer = items[position].issuer.sha256
        return switch source {
        case .ocsp:
            .answer(issuer: issuer, serialNumber: Array(items[position].certificate.content?.serialNumber ?? []))
        case .list(let url, _): .list(issuer: issuer, url: url)
        }
    }

    private mutating func learn(_ asked: Pending, _ value: RevocationCache.Value, until: Int64, at now: Int64) {
        let (limit, overflow) = now.addingReportingOverflow(policy.cacheLifetime.components.seconds)
        let last = overflow ? until : min(until, limit)
        guard last > now else { return }
        learned.append(RevocationCache.Entry(key(asked.source, asked.position), value, until: last))
    }
}

import Foundation
import TestSupport
import Testing

@testable import SignetTLS

/// The check of a whole path, with servers that exist in the test only.
@Suite struct RevocationCheckTests {
    private typealias Authority = RevocationAuthority
    private typealias Fetched = Result<[UInt8], RevocationFetchFailure>

    /// Carries out a check.
    ///
    /// - Returns: the report, and the addresses that were asked: the servers' own, also for GET.
    private func run(
        _ check: consuming RevocationCheck, at now: Int64, _ server: (RevocationRequest) throws -> Fetched
    ) throws -> (report: RevocationReport, asked: [String], learned: [RevocationCache.Entry]) {
        var check = consume check
        var asked: [String] = []
        var step = check.start(at: now)
        while case .fetch(let request) = step {
            try #require(asked.count < 20)
            let isShort = request.method == .get && request.accept == "application/ocsp-response"
            let base = isShort ? request.url.lastIndex(of: "/").map { request.url[..<$0] } : nil
            asked.append(String((base ?? request.url[...]).trimmingPrefix("http://")))
            step = check.receive(try server(request), at: now)
        }
        guard case .finished(let report) = step else { throw RevocationProblem(.noSource, "Not finished.") }
        return (report, asked, check.learned)
    }

    /// Answers as the OCSP servers and the lists of both authorities. The numbers of revoked certificates are given.
    private func serve(_ authority: Authority, _ request: RevocationRequest, revoked: [String] = []) throws -> Fetched {
        let isLeaf = request.url.contains("/leaf")
        let issuer = isLeaf ? "middle" : "root"
        let serial = isLeaf ? Authority.leafSerial : Authority.middleSerial
        let index = Authority.line(serial, revokedFor: revoked.contains(serial) ? "keyCompromise" : nil)
        if request.accept == "application/pkix-crl" {
            return .success(try authority.list(index: index, issuer: issuer))
        }
        var body = request.body
        if request.method == .get {
            let text = try #require(request.url.split(separator: "/").last?.removingPercentEncoding)
            body = try #require(Text.bytes(base64: text.utf8))
        }
        return .success(try authority.answer(body, index: index, issuer: issuer))
    }

    private func check(
        _ authority: Authority, _ policy: RevocationPolicy, cache: RevocationCache = RevocationCache()
    ) throws -> RevocationCheck {
        RevocationCheck(of: try authority.path, policy: policy, cache: cache)
    }

    private func codes(_ status: RevocationStatus?) -> [RevocationProblem.Code]? {
        if case .undetermined(let problems) = status { problems.map(\.code) } else { nil }
    }

    @Test func asksOCSPForEachCertificateFromTheAnchorDown() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .hard), at: authority.now) { try serve(authority, $0) }
        #expect(asked == ["ocsp.example/middle", "ocsp.example/leaf"])
        #expect(try report.findings.map(\.certificate) == authority.path.certificates.dropLast())
        for finding in report.findings {
            guard case .good(let evidence) = finding.status else {
                Issue.record("\(finding)")
                continue
            }
            #expect(evidence.kind == .ocsp && evidence.until > authority.now)
        }
        #expect(report.error(in: .hard, presented: []) == nil)
    }

    @Test(arguments: [RevocationPolicy.soft, .hard], [Authority.leafSerial, Authority.middleSerial])
    func refusesARevokedCertificate(policy: RevocationPolicy, serial: String) throws {
        let authority = try Authority()
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, policy), at: authority.now) {
            try serve(authority, $0, revoked: [serial])
        }
        let isLeaf = serial == Authority.leafSerial
        #expect(asked.count == (isLeaf ? 2 : 1))
        let revoked = try #require(report.revoked)
        #expect(try revoked.certificate == authority.certificate(isLeaf ? "leaf" : "middle"))
        guard case .revoked(Authority.revoked, .keyCompromise, let evidence) = revoked.status else {
            Issue.record("\(revoked)")
            return
        }
        #expect(evidence.url == "http://ocsp.example/\(isLeaf ? "leaf" : "middle")")
        if !isLeaf { #expect(codes(report.findings.first?.status) == [.notReached]) }
        let presented = try Array(authority.path.certificates.prefix(1))
        let error = try #require(report.error(in: policy.mode, presented: presented))
        #expect(error.code == .revoked && error.rule == .notRevoked && !error.canBeOverruled)
        #expect(error.culprit == (isLeaf ? .presented(0) : .known(revoked.certificate)))
        #expect(error.message.contains("2020-01-02 03:04:05 UTC") && error.message.contains("keyCompromise"))
    }

    @Test func fetchesTheListWhenOCSPDoesNotHelp() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .hard), at: authority.now) { request in
            request.accept == "application/ocsp-response"
                ? .success([0x30, 0x03, 0x0A, 0x01, 0x06]) : try serve(authority, request)
        }
        #expect(
            asked == [
                "ocsp.example/middle", "lists.example/middle.crl", "ocsp.example/leaf", "lists.example/leaf.crl",
            ])
        #expect(report.error(in: .hard, presented: []) == nil && report.findings.count == 2)
    }

    @Test func anUnknownCertificateIsLookedUpElsewhere() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let revoked = Authority.line(Authority.leafSerial, revokedFor: "superseded")
        let (report, _, _) = try run(check(authority, .soft), at: authority.now) { request in
            guard request.url.contains("/leaf") else { return try serve(authority, request) }
            if request.accept == "application/pkix-crl" { return .success(try authority.list(index: revoked)) }
            return .success(try authority.answer(authority.request().der, index: Authority.line("77")))
        }
        #expect(report.revoked?.certificate == (try authority.certificate("leaf")))
    }

    @Test func listsComeFirstWhenThePolicySaysSo() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var policy = RevocationPolicy.hard
        policy.prefersOCSP = false
        let (report, asked, _) = try run(check(authority, policy), at: authority.now) { try serve(authority, $0) }
        #expect(asked == ["lists.example/middle.crl", "lists.example/leaf.crl"])
        #expect(report.undetermined.isEmpty)
    }

    @Test func theHardModeRefusesWhatTheSoftModeReports() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let (report, _, _) = try run(check(authority, .soft), at: authority.now) { request in
            request.url.contains("/middle") ? .failure(.status(503)) : try serve(authority, request)
        }
        #expect(report.error(in: .soft, presented: []) == nil)
        #expect(codes(report.findings.last?.status) == [.unreachable, .unreachable])
        let error = try #require(report.error(in: .hard, presented: []))
        #expect(error.code == .revocationUnknown && error.rule == .knownRevocation && !error.canBeOverruled)
        #expect(error.culprit == .known(try authority.certificate("middle")))
        #expect(error.message.contains("http://ocsp.example/middle") && error.message.contains("503"))
    }

    @Test func aCertificateWithoutSourcesIsUndetermined() throws {
        let authority = try Authority(leaf: "", middle: "crlDistributionPoints=URI:ldap://a.example/CN=b")
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .hard), at: authority.now) { _ in .failure(.timeout) }
        #expect(asked.isEmpty && report.undetermined.count == 2)
        for finding in report.findings { #expect(codes(finding.status) == [.noSource]) }
        #expect(report.error(in: .hard, presented: [])?.code == .revocationUnknown)
        #expect(report.error(in: .soft, presented: []) == nil)
    }

    @Test func theListOfAnotherAuthorityIsNotFetched() throws {
        let authority = try Authority(
            leaf: """
                crlDistributionPoints=point
                [point]
                fullname=URI:http://lists.example/leaf.crl
                CRLissuer=dirName:name
                [name]
                CN=other
                """)
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .soft), at: authority.now) { try serve(authority, $0) }
        #expect(asked == ["ocsp.example/middle"])
        #expect(codes(report.findings.first?.status) == [.noSource])
    }

    @Test func aListIsFetchedWithoutOCSP() throws {
        let authority = try Authority(leaf: "crlDistributionPoints=URI:http://lists.example/leaf.crl")
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .hard), at: authority.now) { try serve(authority, $0) }
        #expect(asked == ["ocsp.example/middle", "lists.example/leaf.crl"])
        #expect(report.undetermined.isEmpty)
    }

    @Test func asksAtMostFourServersAndFourLists() throws {
        let servers = (1...6).map { "OCSP;URI:http://ocsp.example/leaf/\($0)" }.joined(separator: ",")
        let lists = (1...6).map { "URI:http://lists.example/\($0)" }.joined(separator: ",")
        let authority = try Authority(
            leaf: "authorityInfoAccess=OCSP;URI:https://a.example,\(servers)\ncrlDistributionPoints=\(lists)")
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .soft), at: authority.now) { request in
            request.url.contains("/middle") ? try serve(authority, request) : .failure(.timeout)
        }
        #expect(
            Array(asked.dropFirst())
                == (1...4).map { "ocsp.example/leaf/\($0)" } + (1...4).map { "lists.example/\($0)" })
        #expect(codes(report.findings.first?.status) == Array(repeating: .timeout, count: 8))
    }

    /// RFC 9608. An authority must not have the extension, so it does not count there.
    @Test func aCertificateWithoutPublishedRevocationIsNotLookedUp() throws {
        let extensionText = "2.5.29.56=DER:0500"
        let authority = try Authority(leaf: extensionText, middle: extensionText)
        defer { authority.remove() }
        let (report, asked, _) = try run(check(authority, .hard), at: authority.now) { _ in .failure(.timeout) }
        #expect(asked.isEmpty && report.findings.first?.status == .notPublished)
        #expect(codes(report.findings.last?.status) == [.noSource])
        let both = try Authority(leaf: "\(extensionText)\n\(Authority.sources("leaf"))")
        defer { both.remove() }
        #expect(try run(check(both, .hard), at: both.now) { try serve(both, $0) }.asked.count == 2)
    }

    @Test func theEndOfTheTimeIsAFailure() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var check = try check(authority, .hard)
        guard case .fetch(let request) = check.start(at: authority.now) else {
            Issue.record("nothing to fetch")
            return
        }
        #expect(request.timeLimit == .milliseconds(2_500))
        let report = check.timeOut()
        for finding in report.findings { #expect(codes(finding.status) == [.timeout]) }
        #expect(report.error(in: .hard, presented: [])?.code == .revocationUnknown)
        // An answer that comes later changes nothing.
        guard case .finished(report) = check.receive(try serve(authority, request), at: authority.now) else {
            Issue.record("the check goes on")
            return
        }
    }

    @Test func theNonceIsTheRequests() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var policy = RevocationPolicy.soft
        policy.sendsNonce = true
        var earlier: [UInt8]?
        let (report, _, _) = try run(check(authority, policy), at: authority.now) { request in
            guard request.url.contains("ocsp.example/leaf") else {
                return request.url.contains("lists") ? .failure(.timeout) : try serve(authority, request)
            }
            #expect(request.method == .post && request.contentType == "application/ocsp-request")
            earlier = request.body
            return .success(try authority.answer(authority.request(nonce: [UInt8](1...32)).der))
        }
        #expect(codes(report.findings.first?.status) == [.nonceMismatch, .timeout])
        #expect(report.findings.last.map { codes($0.status) == nil } ?? false)
        #expect(earlier != nil)
    }

    @Test func whatWasLearnedIsNotFetchedAgain() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var cache = RevocationCache()
        let first = try run(check(authority, .hard), at: authority.now) { request in
            request.url.contains("ocsp.example/leaf") ? .failure(.timeout) : try serve(authority, request)
        }
        #expect(first.learned.count == 2)
        cache.add(first.learned, at: authority.now)
        // The status of `middle` and the list of its own are known; only the leaf's server is asked again.
        let second = try run(check(authority, .hard, cache: cache), at: authority.now) { _ in .failure(.timeout) }
        #expect(second.asked == ["ocsp.example/leaf"] && second.report.undetermined.isEmpty)
        // A day later, nothing counts any more.
        let third = try run(check(authority, .hard, cache: cache), at: authority.now + 86_401) { _ in
            .failure(.timeout)
        }
        #expect(third.asked.count == 4)
        var policy = RevocationPolicy.hard
        policy.cacheLifetime = .zero
        #expect(try run(check(authority, policy), at: authority.now) { try serve(authority, $0) }.learned.isEmpty)
    }

    @Test func nothingIsLookedUpWithoutNeed() throws {
        let authority = try Authority()
        defer { authority.remove() }
        let off = try run(check(authority, .off), at: authority.now) { _ in .failure(.timeout) }
        #expect(off.asked.isEmpty && off.report.findings.isEmpty)
        let anchor = try CertificationPath(certificates: [authority.certificate("root")])
        let alone = try run(RevocationCheck(of: anchor, policy: .hard), at: authority.now) { _ in .failure(.timeout) }
        #expect(alone.asked.isEmpty && alone.report.error(in: .hard, presented: []) == nil)
    }

    @Test func optionsThatCannotBeUsedAreAnError() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var trust = TrustPolicy.anchors(try CertificateBundle(pem: authority.openssl.bytes("root.pem")))
        for change in [
            { $0.timeLimit = .zero }, { $0.maximumListBytes = 0 }, { $0.cacheLifetime = .seconds(-1) },
        ] as [(inout RevocationPolicy) -> Void] {
            var policy = RevocationPolicy.soft
            change(&policy)
            trust.revocation = policy
            let error = #expect(throws: TrustError.self) {
                try trust.evaluate(authority.path.certificates, as: .client, at: authority.now).get()
            }
            #expect(error?.code == .invalidPolicy && error?.message == policy.problem)
        }
    }

    @Test func aPolicyThatDemandsALookupTrustsNothingWithoutOne() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var trust = TrustPolicy.anchors(try CertificateBundle(pem: authority.openssl.bytes("root.pem")))
        let presented = Array(try authority.path.certificates.dropLast())
        trust.revocation = .hard
        let error = #expect(throws: TrustError.self) {
            try trust.evaluate(presented, as: .client, at: authority.now).get()
        }
        #expect(error?.code == .revocationUnknown && error?.rule == .knownRevocation)
        trust.revocation = .soft
        let path = try trust.evaluate(presented, as: .client, at: authority.now).get()
        #expect(path.revocation.undetermined.count == 2)
        trust.revocation = .off
        #expect(try trust.evaluate(presented, as: .client, at: authority.now).get().revocation.findings.isEmpty)
    }

    @Test func noExceptionOverrulesAPolicyThatDemandsALookup() throws {
        let authority = try Authority()
        defer { authority.remove() }
        var trust = TrustPolicy.anchors(try CertificateBundle(pem: authority.openssl.bytes("root.pem")))
        let presented = Array(try authority.path.certificates.dropLast())
        func error() -> TrustError? {
            let verdict = trust.evaluate(
                presented, host: "another.example", port: 443, at: authority.now, exceptions: [])
            return verdict.error
        }
        #expect(error()?.code == .hostNameMismatch && error()?.canBeOverruled == true)
        trust.revocation = .hard
        #expect(error()?.code == .hostNameMismatch && error()?.canBeOverruled == false)
    }
}

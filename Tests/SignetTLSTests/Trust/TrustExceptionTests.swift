import SignetTesting
import Testing

@testable import SignetTLS

/// Exceptions cover one certificate at one endpoint with one set of failures, and nothing that a person must not
/// overrule.
@Suite struct TrustExceptionTests {
    private let root: CertificateAuthority
    private let other: CertificateAuthority
    private let now = TrustPolicyTests.now
    private let host = "service.example"

    init() throws {
        root = try CertificateAuthority(commonName: "root")
        other = try CertificateAuthority(commonName: "other")
    }

    private func verdict(
        _ chain: [EncodedCertificate], by policy: TrustPolicy? = nil, host: String? = nil, port: Int = 443,
        at now: Int64? = nil, _ exceptions: [TrustException] = []
    ) -> TrustVerdict {
        (policy ?? .anchors(root.bundle)).evaluate(
            chain, host: host ?? self.host, port: port, at: now ?? self.now, exceptions: exceptions)
    }

    private func accepting(
        _ chain: [EncodedCertificate], _ policy: TrustPolicy? = nil, host: String? = nil, at time: Int64? = nil
    ) throws -> TrustException {
        let error = try #require(verdict(chain, by: policy, host: host, at: time).error)
        return try TrustException(
            accepting: error, host: host ?? self.host, port: 443, reason: "known", at: time ?? now,
            until: (time ?? now) + 1_000)
    }

    private func rules(_ verdict: TrustVerdict) -> Set<TrustError.Rule> {
        Set(verdict.error?.failures.map(\.rule) ?? [])
    }

    @Test func everyFailureIsFound() throws {
        let expired = try root.issueServer(dnsNames: [host], .server.expired)
        #expect(rules(verdict(expired.chain)) == [.notAfter])
        #expect(rules(verdict(expired.chain, host: "a.example")) == [.notAfter, .hostName])
        let stranger = try other.issueServer(dnsNames: [host], .server.expired)
        #expect(rules(verdict(stranger.chain, host: "a.example")) == [.notAfter, .hostName, .knownAuthority])
        var client = CertificateProfile.server.notYetValid
        client.purposes = [.client]
        let wrong = try root.issueServer(dnsNames: [host], client)
        #expect(rules(verdict(wrong.chain)) == [.notBefore, .extendedKeyUsage])
        // What an authority lacks counts too.
        let old = try root.issueIntermediate(commonName: "old", .authority.expired)
        let below = try old.issueServer(dnsNames: ["x.example"])
        #expect(rules(verdict(below.chain)) == [.notAfter, .hostName])
        // The error describes the first failure.
        let error = try #require(verdict(stranger.chain).error)
        #expect(error.rule == error.failures.first?.rule && error.message == error.failures.first?.message)
    }

    @Test func anExceptionCoversOneCertificateAtOneHost() throws {
        let stranger = try other.issueServer(dnsNames: [host])
        let exception = try accepting(stranger.chain)
        let verdict = verdict(stranger.chain, [exception])
        #expect(verdict.outcome == .proceed)
        #expect(verdict.path?.certificates == [stranger.leaf])
        // The others that were sent are no part of it.
        #expect(self.verdict([stranger.leaf], [exception]).outcome == .proceed)
        #expect(self.verdict(stranger.chain, port: 8443, [exception]).outcome == .recoverableTrustFailure)
        #expect(self.verdict(stranger.chain, host: "b.example", [exception]).outcome == .recoverableTrustFailure)
        #expect(self.verdict(stranger.chain, at: now + 999, [exception]).outcome == .proceed)
        #expect(self.verdict(stranger.chain, at: now + 1_000, [exception]).outcome == .recoverableTrustFailure)
        #expect(self.verdict(stranger.chain, at: now - 1, [exception]).outcome == .recoverableTrustFailure)
        // Another certificate of the same key and name is another certificate.
        let renewed = try other.issueServer(dnsNames: [host])
        #expect(self.verdict(renewed.chain, [exception]).outcome == .recoverableTrustFailure)
    }

    @Test func anExceptionIsVoidWhenTheFailuresChange() throws {
        let strangers = try other.issueServer(dnsNames: [host], .server.expired)
        let end = try #require(strangers.leaf.notAfter)
        let before = try accepting(strangers.chain, at: end - 10)
        #expect(before.rules == ["knownAuthority"])
        #expect(verdict(strangers.chain, at: end, [before]).outcome == .proceed)
        // Expired in the meantime: more.
        #expect(verdict(strangers.chain, at: end + 1, [before]).outcome == .recoverableTrustFailure)
        let after = try accepting(strangers.chain, at: end + 1)
        #expect(after.rules == ["knownAuthority", "notAfter"])
        // The client trusts its authority now, so that there are fewer failures.
        let both = TrustPolicy.anchors(root.bundle).addingAnchors(other.bundle)
        #expect(verdict(strangers.chain, by: both, at: end + 2, [after]).outcome == .recoverableTrustFailure)
    }

    @Test func anExceptionCannotOverrulePinsAndForgeries() throws {
        let forger = try CertificateAuthority(commonName: "root")
        let forged = try forger.issueServer(dnsNames: [host])
        let pinned = TrustPolicy.anchors(root.bundle).pinned(to: [
            PinTests.reserve, .publicKey(sha256: Text.base64([UInt8](repeating: 9, count: 32))),
        ])
        let good = try root.issueServer(dnsNames: [host])
        let expired = try root.issueServer(dnsNames: [host], .server.expired)
        let stranger = try other.issueServer(dnsNames: [host])
        for (chain, policy) in [
            (forged.chain, .anchors(root.bundle)), (good.chain, pinned), (expired.chain, pinned),
            (stranger.chain, pinned),
        ] as [([EncodedCertificate], TrustPolicy)] {
            let error = try #require(verdict(chain, by: policy).error)
            #expect(error.failures.isEmpty)
            #expect(throws: TrustExceptionError.self) {
                try TrustException(accepting: error, host: host, port: 443, reason: "", at: now, until: now + 1)
            }
            #expect(verdict(chain, by: policy).outcome == .fatalTrustFailure)
        }
        // Given without the pin, it does not count with it.
        let exception = try accepting(stranger.chain)
        #expect(verdict(stranger.chain, by: pinned, [exception]).outcome == .fatalTrustFailure)
    }

    @Test func aDenialStandsBeforeThePolicy() throws {
        let good = try root.issueServer(dnsNames: [host])
        let denial = try TrustException(
            denying: good.leaf, host: "Service.Example.", port: 443, reason: "decommissioned", at: now, until: now + 10)
        #expect(verdict(good.chain, [denial]).outcome == .deny)
        #expect(verdict(good.chain, [denial]).error?.code == .denied)
        #expect(verdict(good.chain, [denial]).error?.canBeOverruled == false)
        #expect(verdict(good.chain, port: 1, [denial]).outcome == .unspecified)
        #expect(verdict(good.chain, at: now + 10, [denial]).outcome == .unspecified)
    }

    @Test func theOutcomesAreApples() throws {
        #expect(TrustOutcome.allCases.map(\.rawValue) == Array(0...7))
        let good = try root.issueServer(dnsNames: [host])
        #expect(verdict(good.chain, by: .anchors(CertificateBundle([]))).outcome == .invalid)
        #expect(verdict([]).outcome == .otherError)
    }

    @Test func anExceptionMustEndAfterItBegins() throws {
        let stranger = try other.issueServer(dnsNames: [host])
        let error = try #require(verdict(stranger.chain).error)
        #expect(throws: TrustExceptionError.self) {
            try TrustException(accepting: error, host: host, port: 443, reason: "", at: now, until: now)
        }
    }

    @Test func aStoreHoldsOneWordForACertificateAtAPlace() async throws {
        let stranger = try other.issueServer(dnsNames: [host])
        let first = try accepting(stranger.chain)
        let store = MemoryTrustExceptions([first])
        let denial = try TrustException(
            denying: stranger.leaf, host: host, port: 443, reason: "no", at: now, until: now + 1)
        await store.record(denial)
        #expect(await store.exceptions() == [denial])
        await store.revoke(first)
        #expect(await store.exceptions() == [denial])
        await store.revoke(denial)
        #expect(await store.exceptions().isEmpty)
    }
}

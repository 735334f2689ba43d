import SignetTesting
import Testing

@testable import SignetTLS

/// Pins for some hosts, for some time, and pins that are only reported.
@Suite struct PinSetTests {
    private let root: CertificateAuthority
    private let server: Identity
    private let wrong = TrustPolicy.PinSet([
        PinTests.reserve, .publicKey(sha256: Text.base64([UInt8](repeating: 9, count: 32))),
    ])
    private let right: TrustPolicy.PinSet

    init() throws {
        root = try CertificateAuthority(commonName: "root")
        server = try root.issueServer(dnsNames: ["a.service.example", "service.example"], ipAddresses: ["192.0.2.7"])
        right = .init([.publicKey(sha256: Text.base64(root.certificate.publicKeySHA256 ?? [])), PinTests.reserve])
    }

    private func verdict(
        _ sets: [TrustPolicy.PinSet], host: String = "a.service.example", at now: Int64 = TrustPolicyTests.now
    ) -> Result<CertificationPath, TrustError> {
        sets.reduce(TrustPolicy.anchors(root.bundle)) { $0.pinned(to: $1) }
            .evaluate(server.chain, as: .server(.init(host: host)), at: now)
    }

    private func code(
        _ sets: [TrustPolicy.PinSet], host: String = "a.service.example", at now: Int64 = TrustPolicyTests.now
    ) -> TrustError.Code? {
        if case .failure(let error) = verdict(sets, host: host, at: now) { error.code } else { nil }
    }

    private func with(
        _ set: TrustPolicy.PinSet, host: String? = nil, subdomains: Bool = false
    ) -> TrustPolicy.PinSet {
        var set = set
        set.host = host
        set.includesSubdomains = subdomains
        return set
    }

    @Test func holdForTheirHost() {
        #expect(code([with(wrong, host: "A.Service.example.")]) == .pinMismatch)
        #expect(code([with(wrong, host: "other.example")]) == nil)
        #expect(code([with(wrong, host: "service.example")]) == nil)
        #expect(code([with(wrong, host: "service.example", subdomains: true)]) == .pinMismatch)
        #expect(code([with(wrong, host: "service.example", subdomains: true)], host: "service.example") == .pinMismatch)
        // Only whole labels are a domain.
        #expect(code([with(wrong, host: "vice.example", subdomains: true)]) == nil)
        #expect(code([with(wrong, host: "192.0.2.7")], host: "192.0.2.7") == .pinMismatch)
        #expect(code([with(wrong, host: "2.7", subdomains: true)], host: "192.0.2.7") == nil)
    }

    @Test func theClosestCount() {
        let all = with(wrong)
        let domain = with(wrong, host: "example", subdomains: true)
        #expect(code([all, with(right, host: "a.service.example")]) == nil)
        #expect(code([domain, with(right, host: "service.example", subdomains: true)]) == nil)
        #expect(code([with(right), domain]) == .pinMismatch)
        // Of equally close ones all.
        #expect(code([with(right), with(wrong)]) == .pinMismatch)
        #expect(code([with(right), with(right)]) == nil)
    }

    /// Pins of a confirmed device do not take the place of less close ones.
    @Test func additionalOnesCountBesidesTheClosest() {
        var additional = with(right, host: "a.service.example")
        additional.isAdditional = true
        #expect(code([additional]) == nil)
        #expect(code([with(wrong), additional]) == .pinMismatch)
        #expect(code([with(wrong, host: "example", subdomains: true), additional]) == .pinMismatch)
        #expect(code([with(wrong), with(right, host: "service.example", subdomains: true), additional]) == nil)
        #expect(code([with(right), additional]) == nil)
        additional = with(wrong, host: "a.service.example")
        additional.isAdditional = true
        #expect(code([with(right), additional]) == .pinMismatch)
        #expect(code([with(right, host: "a.service.example"), additional]) == .pinMismatch)
        #expect(code([additional], host: "service.example") == nil)
    }

    @Test func endWithTheirTime() {
        var set = wrong
        set.expires = TrustPolicyTests.now + 10
        #expect(code([set], at: TrustPolicyTests.now + 9) == .pinMismatch)
        #expect(code([set], at: TrustPolicyTests.now + 10) == nil)
        // Pins that have ended do not stand before others.
        var ended = with(right, host: "a.service.example")
        ended.expires = TrustPolicyTests.now
        #expect(code([with(wrong), ended]) == .pinMismatch)
    }

    @Test func reportModeReportsMismatchesWithoutRefusing() throws {
        var report = wrong
        report.mode = .report
        let policy = TrustPolicy.anchors(root.bundle).pinned(to: report).pinned(to: right)
        // The second time the path comes from memory.
        for _ in 0..<2 {
            let path = try policy.evaluate(
                server.chain, as: .server(.init(host: "a.service.example")), at: TrustPolicyTests.now
            ).get()
            #expect(path.pinMismatches.map(\.pins) == [report])
            #expect(path.pinMismatches.first?.message.contains("sha256//") == true)
        }
        #expect(try verdict([right]).get().pinMismatches.isEmpty)
        // Reported mismatches do not prevent an exception for the certificate.
        let stranger = TrustPolicy.anchors(try CertificateAuthority().bundle).pinned(to: report)
        guard
            case .failure(let error) = stranger.evaluate(
                server.chain, as: TrustPolicyTests.host, at: TrustPolicyTests.now)
        else { return #expect(Bool(false), "an unknown certificate was trusted") }
        #expect(error.canBeOverruled)
    }

    @Test func aSinglePinMustBeAllowed() {
        var single = TrustPolicy.PinSet([.publicKey(sha256: Text.base64(root.certificate.publicKeySHA256 ?? []))])
        #expect(code([single]) == .invalidPolicy)
        single.allowsSinglePin = true
        #expect(code([single]) == nil)
        single.pins = []
        #expect(code([single]) == .invalidPolicy)
    }

    /// A mistake is reported for every host and at any time.
    @Test func mistakesAreReportedForEveryHost() {
        var elsewhere = TrustPolicy.PinSet([PinTests.reserve], host: "other.example")
        elsewhere.expires = 0
        #expect(code([elsewhere]) == .invalidPolicy)
        #expect(code([with(right, subdomains: true)]) == .invalidPolicy)
    }
}

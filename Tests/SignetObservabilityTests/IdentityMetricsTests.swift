import MetricsTestKit
import SignetCredentials
import SignetTLS
import SignetTesting
import Testing

@testable import SignetObservability

@Suite struct IdentityMetricsTests {
    private let metrics = TestMetrics()

    @Test func theTimeLeftOfEachIdentity() async throws {
        let authority = try CertificateAuthority()
        var profile = CertificateProfile.client
        profile.notAfter = 2_000_000_000
        let store = MemoryIdentityStore([
            "device": try authority.issueClient(commonName: "device", profile),
            "other": try authority.issueClient(commonName: "other", profile),
        ])
        func left(_ label: String) -> Double? {
            metrics.meters.first {
                $0.label == "signet.identity.remaining" && $0.dimensions.map(\.1) == [label]
            }?.lastValue
        }
        let earlier = IdentityMetrics(factory: metrics, now: { 1_999_999_000 })
        try await earlier.record(store, labels: ["device", "missing"])
        #expect(left("device") == 1_000 && left("other") == nil && left("missing") == 0)
        try await IdentityMetrics(factory: metrics, now: { 2_000_000_007 }).record(store)
        #expect(left("device") == -7 && left("other") == -7)
    }
}

import SignetTLS
import Testing

@testable import SignetEnrollment

/// What is kept about a request while the authority decides.
@Suite struct WaitingKeyTests {
    @Test(arguments: [nil, "7", "65 https://ca.example/CES", String(repeating: "ü", count: 200), "a, serialNumber=b"])
    func theNameOfTheRequestComesBack(reference: String?) async throws {
        let key = try KeyPair.generate(.p256)
        let waiting = try await WaitingKey.identity(key, reference: reference, now: 1_800_000_000)
        #expect(WaitingKey.reference(in: waiting) == reference)
        #expect(key.belongs(to: waiting.leaf))
    }

    @Test func aLongerRSAKeyWillDo() {
        var demands = EnrollmentDemands()
        #expect(demands.areFulfilled(by: .ed25519))
        demands.key = .rsa(bits: 3072)
        #expect(demands.areFulfilled(by: .rsa(bits: 4096)) && demands.areFulfilled(by: .rsa(bits: 3072)))
        #expect(!demands.areFulfilled(by: .rsa(bits: 2048)) && !demands.areFulfilled(by: .p256))
        demands.key = .p256
        #expect(!demands.areFulfilled(by: .p384))
    }
}

import Foundation
import SignetDemo
import Testing

extension ProgramTests {
    @Suite struct SecretOptionTests {
        @Test func elementsNamedAsSecretAreRedacted() async throws {
            try await WebEaseFixture.use { webEase in
                let shown = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-61803", "--trace"], as: webEase.asDistribution)
                #expect(shown.status == 0 && shown.error.contains(">WE-61803<"), "\(shown)")
                let hidden = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-61804", "--trace", "--secret", "serialNumber"],
                    as: webEase.asDistribution)
                #expect(hidden.status == 0, "\(hidden)")
                #expect(!hidden.error.contains(">WE-61804<") && hidden.error.contains("[redacted]"), "\(hidden)")
                let wrong = try await webEase.call(
                    "Register", ["--set", "serialNumber=WE-61805", "--secret", "??"], as: webEase.asDistribution)
                #expect(wrong.status == 2, "\(wrong)")
            }
        }
    }
}

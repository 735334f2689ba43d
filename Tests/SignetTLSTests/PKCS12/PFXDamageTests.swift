import Foundation
import SignetTesting
import Testing

@testable import SignetTLS

/// Damaged files must give an error, whatever the damage.
@Suite struct PFXDamageTests {
    private static func file() throws -> (identity: Identity, bytes: [UInt8]) {
        let identity = try CertificateAuthority().issueClient()
        return (identity, try identity.pkcs12(password: "secret", label: "meter", iterations: 2))
    }

    @Test func everyTruncationIsAnError() throws {
        let (_, bytes) = try Self.file()
        for count in bytes.indices {
            #expect(throws: IdentityError.self, "cut at \(count)") {
                try Identity(pkcs12: Array(bytes.prefix(count)), password: "secret")
            }
        }
    }

    @Test(arguments: [0x01, 0x80, 0xFF] as [UInt8]) func everyFlippedByteIsAnErrorOrHarmless(mask: UInt8) throws {
        let (identity, bytes) = try Self.file()
        var opened = 0
        for position in bytes.indices {
            var damaged = bytes
            damaged[position] ^= mask
            // Nothing under the MAC can change unseen. Around it only bytes without a meaning can.
            if let read = try? Identity(pkcs12: damaged, password: "secret") {
                opened += 1
                #expect(read.chain == identity.chain)
                #expect(read.privateKey?.pkcs8 == identity.privateKey?.pkcs8)
            }
        }
        #expect(opened < 8)
    }

    /// With a recomputed MAC, which an attacker who knows the password could write.
    @Test func damageUnderAValidMacIsAnError() throws {
        let (identity, bytes) = try Self.file()
        let content = try PFXParts.authenticatedSafe(of: bytes)
        for position in content.indices {
            var damaged = Array(bytes)
            damaged[position] ^= 0x15
            let sealed = try PFXParts.sealed(Array(damaged[content]))
            if let read = try? Identity(pkcs12: sealed, password: "secret") {
                #expect(read.privateKey?.pkcs8 == identity.privateKey?.pkcs8)
            }
        }
        #expect(try Identity(pkcs12: PFXParts.sealed(Array(bytes[content])), password: "secret") == identity)
    }

    @Test func randomBytesAreAnError() {
        var generator = SystemRandomNumberGenerator()
        for count in 0..<300 {
            let bytes = (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
            #expect(throws: IdentityError.self) { try Identity(pkcs12: bytes, password: "") }
            #expect(throws: IdentityError.self) { try CertificateBundle(der: bytes) }
        }
    }
}

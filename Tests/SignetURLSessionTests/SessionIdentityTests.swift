import Foundation
import SignetConnection
import SignetTesting
import TestSupport
import Testing

@testable import SignetURLSession

/// In which form `URLSession` is handed an identity.
@Suite struct SessionIdentityTests {
    private let now = Int64(Date().timeIntervalSince1970)
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority() }

    private func form(_ identity: Identity, at time: Int64? = nil) throws(TransportError) -> SessionIdentity {
        try SessionIdentity(identity, tolerating: [], at: time ?? now)
    }

    private func keychainIdentity(_ calls: MemoryKeychainKey) throws -> Identity {
        try authority.issueClient(signingKey: KeychainKey(calls, name: "“phone”"))
    }

    @Test func aSecIdentityIsHandedOnAndNothingIsExported() throws {
        let calls = MemoryKeychainKey(hasIdentity: true)
        guard case .ofKeychain(let handed) = try form(keychainIdentity(calls)) else {
            Issue.record("The identity was exported.")
            return
        }
        #expect(handed as? MemoryKeychainKey === calls)
        #expect(calls.asked.isEmpty)
    }

    /// What `URLSession` signs, and whether it could, is not seen here.
    @Test func aKeyGivenToURLSessionIsNotReused() throws {
        let identity = try keychainIdentity(MemoryKeychainKey(hasIdentity: true))
        #expect(identity.keychainKey?.isReusable == true)
        _ = try form(identity)
        #expect(identity.keychainKey?.isReusable == false)
    }

    @Test func aHeldKeyBecomesAFile() throws {
        let identity = try authority.issueClient()
        guard case .file(let file, let password) = try form(identity) else {
            Issue.record("The identity is no file.")
            return
        }
        #expect(try Identity(pkcs12: file, password: password) == identity)
    }

    @Test func otherKeysThatOnlySignAreRefused() throws {
        let alone = try keychainIdentity(MemoryKeychainKey(hasIdentity: false))
        let card = try authority.issueClient(signingKey: SoftwareSigningKey(.p256, name: "“phone”"))
        for identity in [alone, card] {
            let error = #expect(throws: TransportError.self) { try form(identity) }
            #expect(error?.code == .unusableIdentity)
            #expect(error?.message.contains("“phone”") == true)
            #expect(error?.message.contains("SecIdentity") == true)
        }
    }

    @Test func allIdentitiesMustBeUsable() throws {
        let later = now + 100 * 365 * 86_400
        for identity in [try authority.issueClient(), try keychainIdentity(MemoryKeychainKey(hasIdentity: true))] {
            let error = #expect(throws: TransportError.self) { try form(identity, at: later) }
            #expect(error?.code == .unusableIdentity)
            _ = try SessionIdentity(identity, tolerating: [.expired], at: later)
        }
    }
}

import Foundation
import SignetCredentials
import SignetTLS
import SignetTesting
import Testing

/// An identity whose issuer is no root is of no use without the certificates between.
@Suite struct IdentityChainTests {
    /// - Parameter again: the same store, opened once more.
    private func check(_ store: any IdentityStore, _ again: any IdentityStore) async throws {
        let root = try CertificateAuthority()
        // Of one name, so that who keeps certificates by their names mixes them up.
        let old = try root.issueIntermediate().issueClient()
        let new = try root.issueIntermediate().issueClient()
        #expect(old.chain.last != new.chain.last)
        let all = [("old", old), ("new", new)]
        for (label, identity) in all {
            #expect(identity.chain.count == 2)
            try await store.store(identity, label: label)
        }
        for (label, identity) in all {
            let read = try #require(try await again.identity(label: label))
            #expect(read.chain.count == 2)
            #expect(read.chain.map(\.der) == identity.chain.map(\.der))
            #expect(read.authorities.certificates.map(\.der) == identity.authorities.certificates.map(\.der))
        }
    }

    @Test func inMemory() async throws {
        let store = MemoryIdentityStore()
        try await check(store, store)
    }

    @Test func inAFolder() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryIdentityStore(path: folder.path, password: "seal")
        try await check(store, try DirectoryIdentityStore(path: folder.path, password: "seal"))
    }
}

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
        // Both have one name, so that a store that keeps certificates by their names would mix them up.
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

    @Test func theMemoryStoreKeepsTheChain() async throws {
        let store = MemoryIdentityStore()
        try await check(store, store)
    }

    @Test func theDirectoryStoreKeepsTheChain() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "signet-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try DirectoryIdentityStore(path: folder.path, password: "seal")
        try await check(store, try DirectoryIdentityStore(path: folder.path, password: "seal"))
    }
}

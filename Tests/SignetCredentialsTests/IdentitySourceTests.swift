import SignetCredentials
import SignetTLS
import SignetTesting
import Testing

@Suite struct IdentitySourceTests {
    @Test func aStoredSourceFollowsItsStore() async throws {
        let authority = try CertificateAuthority()
        let (old, new) = (try authority.issueClient(commonName: "old"), try authority.issueClient(commonName: "new"))
        let store = MemoryIdentityStore(["device": old])
        let source = IdentitySource.stored("device", in: store)
        #expect(try await source.current() == old)
        await store.store(new, label: "device")
        #expect(try await source.current() == new)
        #expect(await store.labels() == ["device"])
        await store.remove(label: "device")
        await #expect(throws: IdentityStoreError(.notFound, "")) { try await source.current() }
        #expect(try await IdentitySource.fixed(old).current() == old)
        #expect("\(source)" == "stored identity “device”")
        #expect("\(IdentitySource.fixed(old))" == "Identity(CN=old)")
    }
}

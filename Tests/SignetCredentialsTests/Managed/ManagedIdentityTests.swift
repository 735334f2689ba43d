import Foundation
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetCredentials

/// Identities that others keep and replace.
@Suite struct ManagedIdentityTests {
    private let authority: CertificateAuthority
    private let folder: URL

    init() throws {
        authority = try CertificateAuthority(commonName: "Bank root")
        folder = FileManager.default.temporaryDirectory.appending(path: "managed-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    private func path(_ name: String) -> String { folder.appending(path: name).path(percentEncoded: false) }

    private func write(_ bytes: [UInt8], _ name: String) throws {
        try Data(bytes).write(to: folder.appending(path: name), options: .atomic)
    }

    private func write(_ identity: Identity) throws {
        try write(CertificateBundle(identity.chain).pem, "tls.crt")
        try write(try identity.pem(password: nil), "tls.key")
    }

    private func files(
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in await Task.yield() }
    ) -> ManagedIdentity {
        ManagedIdentity(
            IdentityFiles(
                .pem(certificates: path("tls.crt"), privateKey: path("tls.key")), nil, interval: .seconds(60),
                sleep: sleep))
    }

    @Test func theNewestUsableIdentityIsShown() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (
            try authority.issueClient(commonName: "device 1"), try authority.issueClient(commonName: "device 2")
        )
        let source = files().source
        await #expect(throws: IdentityStoreError(.inputOutput, "")) { try await source.current() }
        try write(first)
        #expect(try await source.current()?.leaf == first.leaf)
        // The certificate of the new key is not there yet.
        try write(try second.pem(password: nil), "tls.key")
        #expect(try await source.current()?.leaf == first.leaf)
        try write(second)
        #expect(try await source.current()?.leaf == second.leaf)
        try write(Array("nothing".utf8), "tls.crt")
        #expect(try await source.current()?.leaf == second.leaf)
        try FileManager.default.removeItem(at: folder.appending(path: "tls.crt"))
        #expect(try await source.current()?.leaf == second.leaf)
    }

    @Test func filesThatFitAMomentLaterAreRead() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (
            try authority.issueClient(commonName: "device 1"), try authority.issueClient(commonName: "device 2")
        )
        try write(first)
        try write(try second.pem(password: nil), "tls.key")
        let pauses = Mutex(0)
        let identity = files { [self] _ in
            pauses.withLock { $0 += 1 }
            try write(second)
        }
        #expect(try await identity.source.current()?.leaf == second.leaf)
        #expect(pauses.withLock { $0 } == 1)
    }

    @Test func changesAreTold() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (
            try authority.issueClient(commonName: "device 1"), try authority.issueClient(commonName: "device 2")
        )
        let step = Mutex(0)
        let identity = files { [self] pause in
            guard pause == .seconds(60) else { return }
            let number = step.withLock { step in
                step += 1
                return step
            }
            switch number {
            case 1: try write(first)
            case 3: try write(Array("nothing".utf8), "tls.crt")
            case 6: try write(second)
            case 9: withUnsafeCurrentTask { $0?.cancel() }
            default: break
            }
        }
        let task = Task {
            var seen: [String] = []
            for await event in identity.events {
                switch event {
                case .changed(let identity): seen.append(identity.leaf.subject)
                case .failed(let error): seen.append(error is IdentityError ? "unusable" : "\(type(of: error))")
                }
            }
            return seen
        }
        #expect(
            await task.value == ["IdentityStoreError", first.leaf.subject, "unusable", second.leaf.subject])
    }

    @Test func aFileInPKCS12() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let identity = try authority.issueClient(commonName: "device 1")
        try write(try identity.pkcs12(password: "secret"), "tls.p12")
        let managed = ManagedIdentity.file(pkcs12: path("tls.p12"), password: SecretBytes("secret"))
        #expect(try await managed.source.current()?.leaf == identity.leaf)
        #expect(!String(reflecting: managed).contains("secret"))
        let wrong = ManagedIdentity(
            IdentityFiles(.pkcs12(path("tls.p12")), SecretBytes("x"), interval: .zero) { _ in })
        await #expect(throws: IdentityError(.wrongPassword, "")) { try await wrong.source.current() }
        let place = ManagedIdentity.file(pkcs12: folder.path(percentEncoded: false))
        await #expect(throws: IdentityStoreError(.inputOutput, "")) { try await place.source.current() }
    }

    // MARK: Managed apps

    /// What a device's administrator gives to an app.
    private final class Administrator: ManagedAppCalls {
        struct Unknown: Error {}

        private let given = Mutex<[String: Identity]>([:])
        private let told = Mutex<[Int: AsyncStream<[String]>.Continuation]>([:])

        func give(_ identities: [String: Identity]) {
            given.withLock { $0 = identities }
            for continuation in told.withLock({ Array($0.values) }) { continuation.yield(identities.keys.sorted()) }
        }

        func identifiers() -> AsyncStream<[String]> {
            let (stream, continuation) = AsyncStream.makeStream(of: [String].self)
            continuation.yield(given.withLock { $0.keys.sorted() })
            told.withLock { $0[$0.count] = continuation }
            return stream
        }

        func identity(_ identifier: String) async throws -> Identity {
            guard let identity = given.withLock({ $0[identifier] }) else { throw Unknown() }
            return identity
        }
    }

    @Test func theAdministratorReplacesTheIdentity() async throws {
        defer { try? FileManager.default.removeItem(at: folder) }
        let (first, second) = (
            try authority.issueClient(commonName: "device 1"), try authority.issueClient(commonName: "device 2")
        )
        let administrator = Administrator()
        let identity = ManagedIdentity(ManagedAppIdentity("api", administrator))
        administrator.give(["other": second])
        let missing = await #expect(throws: IdentityStoreError.self) { try await identity.source.current() }
        #expect(missing?.code == .notFound && missing?.message.contains("“other”") == true)
        var events = identity.events.makeAsyncIterator()
        if case .failed = await events.next() {} else { Issue.record("the failure was not told") }
        administrator.give(["other": second, "api": first])
        #expect(await leaf(of: &events) == first.leaf)
        #expect(try await identity.source.current()?.leaf == first.leaf)
        administrator.give(["api": second])
        #expect(await leaf(of: &events) == second.leaf)
        // The administrator has withdrawn it.
        administrator.give([:])
        if case .failed = await events.next() {} else { Issue.record("the failure was not told") }
        await #expect(throws: IdentityStoreError(.notFound, "")) { try await identity.source.current() }
        administrator.give(["api": second])
        #expect(await leaf(of: &events) == second.leaf)
    }

    /// The certificate of the identity that the next event tells; nil for a failure.
    private func leaf(of events: inout ManagedIdentity.Events.Iterator) async -> EncodedCertificate? {
        if case .changed(let identity) = await events.next() { identity.leaf } else { nil }
    }
}

import SignetCredentials
import SignetEnrollment
import SignetHTTP
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@Suite struct IdentityReplacementTests {
    private let authority: CertificateAuthority
    private let old: Identity
    private let new: Identity

    init() throws {
        authority = try CertificateAuthority(commonName: "Bank root")
        old = try authority.issueClient(commonName: "device 7")
        new = try authority.issueClient(commonName: "device 7")
    }

    private func content(_ store: MemoryIdentityStore) async -> [String: Identity] {
        var result: [String: Identity] = [:]
        for label in await store.labels() { result[label] = await store.identity(label: label) }
        return result
    }

    @Test func theNewIdentityTakesThePlaceOfTheOld() async throws {
        let store = MemoryIdentityStore(["device": old])
        let replacement = IdentityReplacement(of: "device", in: store, provedBy: .call())
        #expect(try await replacement.finish() == nil)
        try await replacement.replace(with: new)
        #expect(await content(store) == ["device": new])
        #expect(try await replacement.finish() == nil)
    }

    @Test func theDistributionIsRetired() async throws {
        let store = MemoryIdentityStore(["distribution": old])
        let replacement = IdentityReplacement(of: "device", in: store, retiring: "distribution", provedBy: .call())
        try await replacement.replace(with: new)
        #expect(await content(store) == ["device": new])
        // It is not removed before the server has accepted the new identity.
        let other = MemoryIdentityStore(["distribution": old])
        let refused = IdentityReplacement(
            of: "device", in: other, retiring: "distribution", provedBy: .call(status: 403))
        await #expect(throws: EnrollmentError(.notAccepted, "")) { try await refused.replace(with: new) }
        #expect(await content(other) == ["distribution": old, "device.new": new])
        // Once the operator has registered it, it is put in place.
        let later = IdentityReplacement(of: "device", in: other, retiring: "distribution", provedBy: .call())
        #expect(try await later.finish() == new)
        #expect(await content(other) == ["device": new])
    }

    @Test(arguments: [401, 403]) func theServerRefuses(status: Int) async throws {
        let store = MemoryIdentityStore(["device": old])
        let replacement = IdentityReplacement(of: "device", in: store, provedBy: .call(status: status))
        let error = await #expect(throws: EnrollmentError.self) { try await replacement.replace(with: new) }
        #expect(error?.code == .notAccepted && error?.message.contains("answered \(status)") == true)
        #expect(await content(store) == ["device": old, "device.new": new])
        try await replacement.discard()
        #expect(await content(store) == ["device": old])
    }

    /// nginx and others say so in a page; a redirect leads to a login.
    @Test func otherAnswersThatAreNotTheApplications() async throws {
        let page = "<html><head><title>400 The SSL certificate error</title></head></html>"
        let store = MemoryIdentityStore(["device": old])
        for (status, body, code) in [
            (400, page, EnrollmentError.Code.notAccepted), (407, "", .notAccepted), (302, "", .notProved),
        ] {
            let replacement = IdentityReplacement(
                of: "device", in: store, provedBy: .call(status: status, body: body))
            let error = await #expect(throws: EnrollmentError.self) { try await replacement.replace(with: new) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(await store.identity(label: "device") == old)
        }
        // A fault is an answer of the application.
        let fault = IdentityReplacement(of: "device", in: store, provedBy: .call(status: 500))
        try await fault.replace(with: new)
        #expect(await content(store) == ["device": new])
    }

    /// The transport of the proof takes its identity from elsewhere.
    @Test func theFormerIdentityProvesNothing() async throws {
        var profile = CertificateProfile.client
        profile.notAfter += 60
        let other = try authority.issueClient(commonName: "device 7", profile)
        let store = MemoryIdentityStore(["device": old])
        for shown in [other, try authority.issueClient(commonName: "device 8")] {
            let proof = IdentityProof(trust: .system) { _, _ in
                TestTransport(identity: shown)
            } _: { transport in
                _ = try await transport.send(ClientRequest(try Endpoint("https://service.example/")))
            }
            let replacement = IdentityReplacement(of: "device", in: store, provedBy: proof)
            let error = await #expect(throws: EnrollmentError.self) { try await replacement.replace(with: new) }
            #expect(error?.code == .notProved && error?.message.contains("in place of") == true)
            #expect(await store.identity(label: "device") == old)
        }
    }

    @Test func labelsThatAreReserved() async throws {
        let store = MemoryIdentityStore(["device": old, "device.new": old])
        for (label, retiring) in [("device.new", nil), ("device", "device.requested"), ("x.requested", nil)] {
            let replacement = IdentityReplacement(of: label, in: store, retiring: retiring, provedBy: .call())
            await #expect(throws: EnrollmentError(.reservedLabel, "")) { try await replacement.replace(with: new) }
            await #expect(throws: EnrollmentError(.reservedLabel, "")) { try await replacement.finish() }
            await #expect(throws: EnrollmentError(.reservedLabel, "")) { try await replacement.discard() }
        }
        #expect(await content(store) == ["device": old, "device.new": old])
    }

    @Test func anAlertIsARefusal() async throws {
        let store = MemoryIdentityStore(["device": old])
        let alert = TransportError(.clientCertificateRefused, "The server sent the alert unknown_ca.")
        let replacement = IdentityReplacement(of: "device", in: store, provedBy: .call(error: alert))
        await #expect(throws: EnrollmentError(.notAccepted, "")) { try await replacement.replace(with: new) }
        #expect(await store.identity(label: "device") == old)
    }

    @Test func anAnswerWithoutTheIdentityProvesNothing() async throws {
        let store = MemoryIdentityStore(["device": old])
        let replacement = IdentityReplacement(of: "device", in: store, provedBy: .call(shows: false))
        let error = await #expect(throws: EnrollmentError.self) { try await replacement.replace(with: new) }
        #expect(error?.message.contains("without having asked") == true)
        let silent = IdentityProof(trust: .system) { identity, _ in
            TestTransport(identity: identity)
        } _: { _ in
        }
        let other = IdentityReplacement(of: "device", in: store, provedBy: silent)
        let second = await #expect(throws: EnrollmentError.self) { try await other.replace(with: new) }
        #expect(second?.message.contains("No call was made") == true)
        #expect(error?.code == .notProved && second?.code == .notProved)
        #expect(await store.identity(label: "device") == old)
    }

    /// A lost connection says nothing about the identity, which waits.
    @Test func aLostConnectionIsTriedAgain() async throws {
        let store = MemoryIdentityStore(["device": old])
        let lost = TransportError(.connectionClosed, "The connection was closed.")
        let replacement = IdentityReplacement(of: "device", in: store, provedBy: .call(error: lost))
        await #expect(throws: TransportError.self) { try await replacement.replace(with: new) }
        #expect(await content(store) == ["device": old, "device.new": new])
        let later = IdentityReplacement(of: "device", in: store, provedBy: .call())
        #expect(try await later.finish() == new)
        #expect(await content(store) == ["device": new])
    }

    /// What waits too long is dropped.
    @Test func anIdentityThatDoesNotFitAnyMoreIsRemoved() async throws {
        let expired = try authority.issueClient(commonName: "device 7", .client.expired)
        let store = MemoryIdentityStore(["device": old, "device.new": expired])
        #expect(try await IdentityReplacement(of: "device", in: store, provedBy: .call()).finish() == nil)
        #expect(await content(store) == ["device": old])
        // One that does not fit now, since the clock is wrong, waits.
        let early = try authority.issueClient(commonName: "device 7", .client.notYetValid)
        await store.store(early, label: "device.new")
        await #expect(throws: EnrollmentError(.wrongValidity, "")) {
            try await IdentityReplacement(of: "device", in: store, provedBy: .call()).finish()
        }
        #expect(await content(store) == ["device": old, "device.new": early])
    }

    @Test func whatDoesNotFitChangesNothing() async throws {
        let stranger = try CertificateAuthority(commonName: "Stranger")
        var requirements = IdentityRequirements()
        requirements.authorities = .anchors(authority.bundle)
        requirements.subject = try SubjectName("cn=Device  7")
        requirements.minimumValidity = .seconds(86_400)
        var short = CertificateProfile.client
        short.notAfter = short.notBefore + 3_600 + 7_200
        let cases: [(Identity, EnrollmentError.Code)] = [
            (try authority.issueClient(commonName: "device 7", .client.expired), .wrongValidity),
            (try authority.issueClient(commonName: "device 7", .client.notYetValid), .wrongValidity),
            (try authority.issueClient(commonName: "device 7", short), .wrongValidity),
            (try authority.issueClient(commonName: "device 7", .server), .wrongUsage),
            (try authority.issueClient(commonName: "device 8"), .wrongSubject),
            (try stranger.issueClient(commonName: "device 7"), .unknownAuthority),
        ]
        for (identity, code) in cases {
            let store = MemoryIdentityStore(["device": old])
            var replacement = IdentityReplacement(of: "device", in: store, provedBy: .call())
            replacement.requirements = requirements
            let error = await #expect(throws: EnrollmentError.self) { try await replacement.replace(with: identity) }
            #expect(error?.code == code, "\(String(describing: error))")
            #expect(await content(store) == ["device": old])
        }
        let store = MemoryIdentityStore(["device": old])
        var replacement = IdentityReplacement(of: "device", in: store, provedBy: .call())
        replacement.requirements = requirements
        try await replacement.replace(with: new)
        #expect(await content(store) == ["device": new])
    }

    /// The process ends after each operation of the store in turn; the next one goes on.
    @Test func noEndOfTheProcessLosesAnIdentity() async throws {
        for count in 0..<12 {
            let store = FailingStore(["device": old, "distribution": old], after: count)
            let enroller = TestAuthority(authority)
            func enrollment(_ store: any IdentityStore) throws -> Enrollment {
                let replacement = IdentityReplacement(
                    of: "device", in: store, retiring: "distribution", provedBy: .call())
                return Enrollment(with: enroller, as: try SubjectName("CN=device 7"), into: replacement)
            }
            let result: Result<Identity, any Error>
            do { result = .success(try await enrollment(store).run()) } catch { result = .failure(error) }
            let kept = store.memory
            let inUse = try #require(await kept.identity(label: "device"), "\(count)")
            // Each key in the store has a certificate that belongs to it.
            for label in await kept.labels() {
                let identity = try #require(await kept.identity(label: label))
                #expect(KeyPair(of: identity).belongs(to: identity.leaf))
            }
            if case .success(let identity) = result { #expect(inUse == identity && count >= 7, "\(count)") }
            let after = try await enrollment(kept).run()
            #expect(await content(kept) == ["device": after], "\(count)")
            #expect(after.leaf.subject == "CN=device 7" && after != old)
            // A key that waited for its certificate is used again.
            let keys = Set(enroller.requests.map(\.key.publicKeyInfo))
            if inUse == old { #expect(keys.count == 1, "\(count)") }
        }
    }
}

/// A store whose process ends after a number of changes: each further one fails.
private final class FailingStore: IdentityStore {
    struct Ended: Error {}

    let memory: MemoryIdentityStore
    private let rest: Mutex<Int>

    init(_ identities: [String: Identity], after count: Int) {
        memory = MemoryIdentityStore(identities)
        rest = Mutex(count)
    }

    private func spend() throws {
        try rest.withLock { rest in
            guard rest > 0 else { throw Ended() }
            rest -= 1
        }
    }

    func identity(label: String) async throws -> Identity? { await memory.identity(label: label) }
    func store(_ identity: Identity, label: String) async throws {
        try spend()
        await memory.store(identity, label: label)
    }
    func remove(label: String) async throws {
        try spend()
        await memory.remove(label: label)
    }
    func labels() async throws -> [String] { await memory.labels() }
}

import SignetCredentials
import SignetEnrollment
import SignetTLS
import SignetTesting
import Testing

@Suite struct EnrollmentTests {
    private let authority: CertificateAuthority

    init() throws { authority = try CertificateAuthority(commonName: "Bank root") }

    private func enrollment(
        _ enroller: any Enroller, _ store: any IdentityStore, retiring: String? = nil,
        _ change: (inout Enrollment) throws -> Void = { _ in }
    ) throws -> Enrollment {
        let replacement = IdentityReplacement(of: "device", in: store, retiring: retiring, provedBy: .call())
        var enrollment = Enrollment(with: enroller, as: try SubjectName("CN=device 7"), into: replacement)
        // Beside two thousand other tests, a second may become minutes.
        enrollment.patience = .seconds(3_000)
        try change(&enrollment)
        return enrollment
    }

    @Test func theDistributionBecomesTheDevicesOwn() async throws {
        let distribution = try authority.issueClient(commonName: "distribution")
        let store = MemoryIdentityStore(["distribution": distribution])
        let enroller = TestAuthority(authority)
        let identity = try await enrollment(enroller, store, retiring: "distribution").run()
        #expect(await store.labels() == ["device"])
        #expect(await store.identity(label: "device") == identity)
        #expect(enroller.requests.map(\.identity) == [distribution] && enroller.requests.map(\.isRenewal) == [false])
        #expect(identity.leaf.subject == "CN=device 7" && identity.label == "device")
        // A renewal shows the identity in use, asks for its subject, and has a new key.
        let renewed = try await enrollment(enroller, store).run()
        #expect(enroller.requests.last?.identity == identity && enroller.requests.last?.isRenewal == true)
        #expect(KeyPair(of: renewed).publicKeyInfo != KeyPair(of: identity).publicKeyInfo)
        #expect(await store.identity(label: "device") == renewed)
    }

    @Test func anAuthorityMayTakeItsTime() async throws {
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority, answers: [.pending(after: .zero), .pending(after: .milliseconds(1))])
        let identity = try await enrollment(enroller, store).run()
        #expect(enroller.requests.count == 3)
        #expect(Set(enroller.requests.map(\.content)).count == 1)
        #expect(await store.identity(label: "device") == identity)
    }

    /// The key waits in the store, and the next run asks for a certificate for the same one.
    @Test func patienceEnds() async throws {
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority, answers: [.pending(after: .seconds(3600))])
        let error = await #expect(throws: EnrollmentError.self) { try await enrollment(enroller, store).run() }
        #expect(error?.code == .pending && error?.message.contains("3600") == true)
        #expect(await store.labels() == ["device.requested"])
        let identity = try await enrollment(enroller, store).run()
        #expect(KeyPair(of: identity).publicKeyInfo == enroller.requests.first?.key.publicKeyInfo)
        #expect(await store.labels() == ["device"])
    }

    @Test func anAnswerForAnotherKeyIsRefused() async throws {
        let other = try authority.issueClient(commonName: "device 7")
        let old = try authority.issueClient(commonName: "device 7")
        let store = MemoryIdentityStore(["device": old])
        for answer in [EnrollmentAnswer.issued(other.chain), .issued([])] {
            let enroller = TestAuthority(authority, answers: [answer])
            let error = await #expect(throws: EnrollmentError.self) { try await enrollment(enroller, store).run() }
            #expect(error?.code == .wrongKey, "\(String(describing: error))")
            #expect(await store.identity(label: "device") == old)
        }
    }

    @Test(arguments: [KeyPair.Kind.rsa(bits: 2048), .p384, .ed25519]) func theKindOfKeyIsChosen(
        kind: KeyPair.Kind
    ) async throws {
        let enroller = TestAuthority(authority, answers: [.pending(after: .seconds(9999))])
        await #expect(throws: EnrollmentError(.pending, "")) {
            try await enrollment(enroller, MemoryIdentityStore()) { $0.keyKind = kind }.run()
        }
        #expect(enroller.requests.map(\.key.kind) == [kind])
    }

    /// What the request has anyway is not asked for twice, at first and at a renewal.
    @Test func anAuthorityMayDemandWhatIsAskedFor() async throws {
        var demands = EnrollmentDemands()
        let value: [UInt8] = [0x30, 0x00]
        demands.extensions = ["2.5.29.37", "2.5.29.17", "1.2.3.4", "1.2.3.4"].map { .init($0, value: value) }
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority, demanding: demands)
        for _ in 0..<2 {
            _ = try await enrollment(enroller, store) { $0.alternativeNames = [.dns("device-7.example")] }.run()
        }
        #expect(enroller.requests.count == 2)
    }

    /// The kind of the key that waits stays, whatever the authority says later.
    @Test func aKeyThatWaitsIsNotReplaced() async throws {
        var demands = EnrollmentDemands()
        demands.key = .p384
        let store = MemoryIdentityStore()
        let late = EnrollmentAnswer.pending(after: .seconds(9999))
        let first = TestAuthority(authority, demanding: demands, answers: [late])
        await #expect(throws: EnrollmentError(.pending, "")) { try await enrollment(first, store).run() }
        let waiting = await store.identity(label: "device.requested")
        await #expect(throws: EnrollmentError(.unsupported, "")) {
            try await enrollment(first, store) { $0.keyKind = .p256 }.run()
        }
        let second = TestAuthority(authority, answers: [late])
        await #expect(throws: EnrollmentError(.pending, "")) { try await enrollment(second, store).run() }
        #expect(second.requests.first?.key.kind == .p384)
        #expect(await store.identity(label: "device.requested") == waiting)
    }

    @Test func anExpiredIdentityIsNotShown() async throws {
        let expired = try authority.issueClient(commonName: "device 7", .client.expired)
        let first = try authority.issueClient(commonName: "distribution")
        let store = MemoryIdentityStore(["device": expired])
        let enroller = TestAuthority(authority)
        let identity = try await enrollment(enroller, store) { $0.firstIdentity = first }.run()
        #expect(enroller.requests.map(\.identity) == [first] && enroller.requests.map(\.isRenewal) == [false])
        // What is valid for long enough is not renewed.
        let again = try await enrollment(enroller, store).run(unlessValidFor: .seconds(86_400))
        #expect(again == identity && enroller.requests.count == 1)
        _ = try await enrollment(enroller, store).run(unlessValidFor: .seconds(365 * 86_400))
        #expect(enroller.requests.count == 2)
    }

    @Test func anotherSubjectIsRefusedUnlessAllowed() async throws {
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority, commonName: "somebody else")
        await #expect(throws: EnrollmentError(.wrongSubject, "")) { try await enrollment(enroller, store).run() }
        #expect(await store.identity(label: "device") == nil)
        let identity = try await enrollment(enroller, store) { $0.acceptsOtherSubject = true }.run()
        #expect(identity.leaf.subject == "CN=somebody else")
    }

    /// Two tasks, and two processes, that find the same identity to be renewed do so one after the other.
    @Test func oneAtATime() async throws {
        let store = MemoryIdentityStore()
        let enroller = TestAuthority(authority)
        try await withThrowingTaskGroup(of: Identity.self) { group in
            for _ in 0..<4 { group.addTask { try await enrollment(enroller, store).run() } }
            try await group.waitForAll()
        }
        // The first has none in use; each later one sees that of the one before.
        let shown = enroller.requests.map(\.identity)
        #expect(shown.count == 4 && shown.first == .some(nil) && Set(shown).count == 4)
        #expect(await store.labels() == ["device"])
    }
}

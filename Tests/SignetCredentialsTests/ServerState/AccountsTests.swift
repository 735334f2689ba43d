import SignetAuthentication
import SignetTLS
import SignetTesting
import Synchronization
import Testing

@testable import SignetCredentials

@Suite struct AccountsTests {
    private static let password = SecretBytes("p\u{E4}ss: word")

    /// Seconds since 1970 that a test sets.
    private final class Clock: Sendable {
        let seconds = Mutex(Int64(1000))
        func pass(_ more: Int64) { seconds.withLock { $0 += more } }
    }

    private func accounts(
        _ verifiers: Set<Accounts.Verifier> = [.password], _ limit: Accounts.FailureLimit? = .init(),
        state: any ServerState = MemoryServerState(), memory: Duration = .seconds(300), logarithm: Int = 4,
        clock: Clock = Clock()
    ) -> Accounts {
        Accounts(
            state, verifiers, limit, memory, cost: .init(logarithm: logarithm, blockSize: 8, parallelism: 1)
        ) { clock.seconds.withLock { $0 } }
    }

    private func reason(_ finding: Accounts.Finding) -> String? {
        if case .refused(let reason) = finding { reason } else { nil }
    }

    @Test(arguments: [Accounts.Verifier.hash, .password]) func aPasswordIsRightOrWrong(_ verifier: Accounts.Verifier)
        async throws
    {
        let accounts = accounts([verifier])
        try await accounts.add("anna", password: Self.password)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        // From memory, and with another password beside.
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        #expect(try await accounts.accepts(SecretBytes("p\u{E4}ss: wor"), of: "anna") == false)
        #expect(try await accounts.accepts(SecretBytes(""), of: "anna") == false)
        #expect(try await accounts.accepts(Self.password, of: "Anna") == false)
        #expect(try await accounts.accepts(Self.password, of: "bert") == false)
        let finding = try await accounts.check("bert", password: Self.password)
        #expect(reason(finding) == "there is no user “bert”")
        try await accounts.setPassword(SecretBytes("other"), of: "anna")
        #expect(try await accounts.accepts(Self.password, of: "anna") == false)
        #expect(try await accounts.accepts(SecretBytes("other"), of: "anna"))
        try await accounts.lock("anna")
        let locked = try await accounts.check("anna", password: SecretBytes("other"))
        #expect(reason(locked) == "the account of “anna” is locked")
        try await accounts.unlock("anna")
        #expect(try await accounts.accepts(SecretBytes("other"), of: "anna"))
        try await accounts.remove("anna")
        #expect(try await accounts.accepts(SecretBytes("other"), of: "anna") == false)
    }

    @Test func whatIsKeptDependsOnTheVerifiers() async throws {
        let verifiers: Set<Accounts.Verifier> = [.hash, .digest(realm: "R", .sha256), .digest(realm: "R", .md5)]
        let accounts = accounts(verifiers)
        try await accounts.add("Mufasa", password: SecretBytes("Circle of Life"))
        let kept = try #require(try await accounts.state.account("Mufasa"))
        #expect(kept.password == nil && kept.digests.count == 2)
        #expect(try kept.hash?.matches(SecretBytes("Circle of Life")) == true)
        for digest in kept.digests {
            #expect(digest.value.text == digest.algorithm.hash("Mufasa:R:Circle of Life"))
        }
        var dumped = ""
        dump(kept, to: &dumped)
        dumped += "\(kept) \(String(reflecting: kept)) \(kept.digests)"
        for secret in kept.digests.compactMap(\.value.text) + [kept.hash?.text ?? "", "Circle"] {
            #expect(!dumped.contains(secret))
        }
    }

    @Test(arguments: ["", " anna", "anna ", "a:b", "a\nb", "a\u{202E}b", String(repeating: "a", count: 129)])
    func aNameMustBePrintable(name: String) async throws {
        let accounts = accounts()
        await #expect(throws: CredentialStoreError(.invalidItem, "")) {
            try await accounts.add(name, password: Self.password)
        }
        #expect(try await accounts.accepts(Self.password, of: name) == false)
    }

    @Test(arguments: [[], Array("a\nb".utf8), [0xFF], Array(repeating: 65, count: 1025)] as [[UInt8]])
    func aPasswordMustBeText(bytes: [UInt8]) async throws {
        await #expect(throws: CredentialStoreError(.invalidItem, "")) {
            try await accounts().add("anna", password: SecretBytes(bytes))
        }
    }

    @Test func operatorsAreToldWhatIsWrong() async throws {
        let accounts = accounts()
        let authority = try CertificateAuthority()
        let certificate = try authority.issueClient().leaf
        try await accounts.add("anna", password: Self.password)
        await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
            try await accounts.add("anna", password: Self.password)
        }
        for change in [
            { try await accounts.setPassword(Self.password, of: "bert") }, { try await accounts.lock("bert") },
            { try await accounts.unlock("bert") }, { try await accounts.remove("bert") },
            { try await accounts.addCertificate(certificate, of: "bert") },
        ] as [@Sendable () async throws -> Void] {
            await #expect(throws: CredentialStoreError(.notFound, "")) { try await change() }
        }
        await #expect(throws: CredentialStoreError(.invalidItem, "")) {
            try await self.accounts([.digest(realm: "a\nb", .sha256)]).add("carl", password: Self.password)
        }
        await #expect(throws: CredentialStoreError(.unsupported, "")) {
            try await self.accounts([]).add("carl", password: Self.password)
        }
        try await accounts.addCertificate(certificate, of: "anna")
        try await accounts.add("dora", password: Self.password)
        await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
            try await accounts.addCertificate(certificate, of: "dora")
        }
        await #expect(throws: CredentialStoreError(.alreadyThere, "")) {
            try await accounts.add("bert", owning: certificate)
        }
        #expect(try await accounts.owner(ofCertificate: certificate.sha256)?.user == "anna")
        try await accounts.removeCertificate(certificate, of: "anna")
        await #expect(throws: CredentialStoreError(.notFound, "")) {
            try await accounts.removeCertificate(certificate, of: "anna")
        }
        try await accounts.add("bert", owning: certificate)
        #expect(try await accounts.owner(ofCertificate: certificate.sha256)?.user == "bert")
        // It has no password.
        #expect(try await accounts.accepts(SecretBytes(""), of: "bert") == false)
    }

    @Test func afterTooManyFailuresTheRightPasswordIsRefusedToo() async throws {
        let clock = Clock()
        let accounts = accounts([.password], .init(failures: 3, in: .seconds(60)), clock: clock)
        try await accounts.add("anna", password: Self.password)
        try await accounts.add("bert", password: Self.password)
        let wrong = SecretBytes("wrong")
        for _ in 0..<3 { #expect(try await accounts.accepts(wrong, of: "anna") == false) }
        let refused = try await accounts.check("anna", password: Self.password)
        #expect(reason(refused) == "too many failures of user “anna”")
        #expect(try await accounts.accepts(Self.password, of: "bert"))
        clock.pass(59)
        #expect(try await accounts.accepts(Self.password, of: "anna") == false)
        clock.pass(1)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        for _ in 0..<3 { _ = try await accounts.accepts(wrong, of: "anna") }
        try await accounts.unlock("anna")
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        // A success between failures changes nothing.
        for _ in 0..<3 {
            _ = try await accounts.accepts(wrong, of: "bert")
            _ = try await accounts.accepts(Self.password, of: "bert")
        }
        #expect(try await accounts.accepts(Self.password, of: "bert") == false)
    }

    /// Guesses that arrive together get no more tries than those that arrive one by one.
    @Test(arguments: [Accounts.Verifier.password, .hash])
    func guessesAtTheSameTimeAreCounted(_ verifier: Accounts.Verifier) async throws {
        var slow = SteeredState()
        slow.willCount = { _ in try await Task.sleep(for: .milliseconds(20)) }
        let accounts = accounts([verifier], .init(failures: 3, in: .seconds(60)), state: slow)
        try await accounts.add("anna", password: Self.password)
        let reasons = try await withThrowingTaskGroup { group in
            for number in 0..<20 {
                group.addTask { try await accounts.check("anna", password: SecretBytes("guess \(number)")) }
            }
            return try await group.reduce(into: [String?]()) { $0.append(reason($1)) }
        }
        #expect(reasons.count { $0 == "wrong credentials for user “anna”" } == 3)
        #expect(reasons.count { $0 == "too many failures of user “anna”" } == 17)
        #expect(try await accounts.accepts(Self.password, of: "anna") == false)
    }

    /// Clients that keep calling while their account is refused are admitted as soon as the period ends, and when it is unlocked.
    @Test(arguments: [true, false]) func aRefusalEndsForClientsThatKeepCalling(isUnlocked: Bool) async throws {
        let clock = Clock()
        let state = MemoryServerState()
        let accounts = accounts([.password], .init(failures: 3, in: .seconds(60)), state: state, clock: clock)
        try await accounts.add("anna", password: Self.password)
        for _ in 0..<3 { _ = try await accounts.accepts(SecretBytes("wrong"), of: "anna") }
        // What another process does.
        let operators = self.accounts([.password], state: state, clock: clock)
        let refusals = try await withThrowingTaskGroup { group in
            for number in 0..<4 {
                group.addTask {
                    // Their calls overlap.
                    try await Task.sleep(for: .milliseconds(30 * number))
                    var refusals = 0
                    while try await !accounts.accepts(Self.password, of: "anna"), refusals < 50 { refusals += 1 }
                    return refusals
                }
            }
            try await Task.sleep(for: .milliseconds(300))
            if isUnlocked { try await operators.unlock("anna") } else { clock.pass(60) }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        #expect(refusals.allSatisfy { (1..<20).contains($0) }, "\(refusals)")
    }

    /// Many requests of one client that has just started cost one hash, and none later.
    @Test func onePasswordIsHashedOnceForManyRequests() async throws {
        let accounts = accounts([.hash])
        try await accounts.add("anna", password: Self.password)
        for _ in 0..<2 {
            let all = try await withThrowingTaskGroup { group in
                for _ in 0..<60 { group.addTask { try await accounts.accepts(Self.password, of: "anna") } }
                return try await group.reduce(into: [Bool]()) { $0.append($1) }
            }
            #expect(!all.contains(false))
        }
        #expect(accounts.checks.hashed == 1)
        // Without memory each is hashed that does not come while another is.
        let forgetful = self.accounts([.hash], state: accounts.state, memory: .zero)
        for _ in 0..<3 { #expect(try await forgetful.accepts(Self.password, of: "anna")) }
        #expect(forgetful.checks.hashed == 3)
    }

    /// A stranger cannot make the server do work without end, and cannot guess what is remembered in the meantime.
    @Test func tooManyPasswordsAtATimeAreRefused() async throws {
        let state = MemoryServerState()
        let accounts = accounts([.hash], .init(failures: 3, in: .seconds(60)), state: state, logarithm: 12)
        try await accounts.add("anna", password: Self.password)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        let guesses = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    await Self.isBusy { try await accounts.accepts(SecretBytes("guess"), of: "user \(number)") }
                }
            }
            while !accounts.checks.isFull { try await Task.sleep(for: .milliseconds(1)) }
            async let one = Self.isBusy { try await accounts.accepts(SecretBytes("one"), of: "anna") }
            async let two = Self.isBusy { try await accounts.accepts(SecretBytes("two"), of: "anna") }
            // The password that is remembered is still right while others wait.
            #expect(try await accounts.accepts(Self.password, of: "anna"))
            async let three = Self.isBusy { try await accounts.accepts(SecretBytes("three"), of: "anna") }
            let guesses = await [one, two, three]
            try await group.waitForAll()
            return guesses
        }
        #expect(guesses.contains(true))
        // All three were wrong.
        #expect(try await accounts.accepts(Self.password, of: "anna") == false)
    }

    private static func isBusy(_ body: () async throws -> Bool) async -> Bool {
        do {
            _ = try await body()
            return false
        } catch { return (error as? CredentialStoreError)?.code == .busy }
    }

    /// Unknown users cannot fill the state.
    @Test func strangersShareTheirCounters() async throws {
        let keys = Mutex<[[UInt8]]>([])
        var state = SteeredState()
        state.willCount = { key in keys.withLock { $0.append(key) } }
        let accounts = accounts(state: state)
        try await accounts.add("anna", password: Self.password)
        try await withThrowingTaskGroup { group in
            for number in 0..<2000 {
                group.addTask { _ = try await accounts.accepts(Self.password, of: "stranger \(number)") }
            }
            try await group.waitForAll()
        }
        let counted = keys.withLock { $0 }
        #expect(counted.count == 2000 && (200...256).contains(Set(counted).count))
        #expect(try await accounts.accepts(Self.password, of: "anna"))
    }

    /// Each refusal costs a hash, and takes a tenth of a second or more, whatever the reason.
    @Test func refusalsDoTheSameWork() async throws {
        let accounts = accounts([.hash], .init(failures: 2, in: .seconds(60)))
        for user in ["anna", "bert", "carl"] { try await accounts.add(user, password: Self.password) }
        #expect(try await accounts.accepts(Self.password, of: "carl"))
        try await accounts.lock("bert")
        for guess in ["one", "two"] { _ = try await accounts.accepts(SecretBytes(guess), of: "carl") }
        // The password of carl is remembered, and right.
        for (user, password) in [
            ("anna", SecretBytes("wrong")), ("bert", Self.password), ("carl", Self.password), ("dora", SecretBytes("")),
        ] {
            let (begin, hashed) = (ContinuousClock.now, accounts.checks.hashed)
            #expect(try await accounts.accepts(password, of: user) == false)
            #expect(ContinuousClock.now - begin >= .milliseconds(100), "\(user)")
            #expect(accounts.checks.hashed == hashed + 1, "\(user)")
        }
    }

    /// What is not accepted makes the state write, whatever the reason: an attacker who measures a slow disk learns nothing.
    @Test func eachRefusalIsWritten() async throws {
        let writes = Mutex(0)
        var state = SteeredState()
        state.willCount = { _ in writes.withLock { $0 += 1 } }
        let accounts = accounts([.password], .init(failures: 2, in: .seconds(60)), state: state)
        for user in ["anna", "bert"] { try await accounts.add(user, password: Self.password) }
        try await accounts.lock("bert")
        for (user, password) in [
            ("anna", "wrong"), ("anna", "wrong"), ("anna", "right"), ("bert", "right"), ("dora", ""),
        ] {
            let before = writes.withLock { $0 }
            let guess = password == "right" ? Self.password : SecretBytes(password)
            #expect(try await accounts.accepts(guess, of: user) == false)
            #expect(writes.withLock { $0 } == before + 1, "\(user) \(password)")
        }
        let before = writes.withLock { $0 }
        try await accounts.unlock("bert")
        #expect(try await accounts.accepts(Self.password, of: "bert"))
        #expect(writes.withLock { $0 } == before)
    }

    /// A failure that is in the state before its write returns does not count twice.
    @Test func failuresCountOnce() async throws {
        var slow = SteeredState()
        slow.didCount = { try await Task.sleep(for: .milliseconds(60)) }
        let accounts = accounts([.password], .init(failures: 2, in: .seconds(60)), state: slow)
        try await accounts.add("anna", password: Self.password)
        async let wrong = accounts.accepts(SecretBytes("wrong"), of: "anna")
        try await Task.sleep(for: .milliseconds(20))
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        #expect(try await wrong == false)
    }

    /// While failures cannot be counted, no password is tried.
    @Test func withoutCountingNoPasswordIsTried() async throws {
        struct Full: Error {}
        let isFull = Mutex(true)
        var state = SteeredState()
        let keys = Mutex<[[UInt8]]>([])
        state.willCount = { key in
            keys.withLock { $0.append(key) }
            if isFull.withLock({ $0 }) { throw Full() }
        }
        let accounts = accounts(state: state)
        try await accounts.add("anna", password: Self.password)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        await #expect(throws: Full.self) { try await accounts.accepts(SecretBytes("wrong"), of: "anna") }
        await #expect(throws: Full.self) { try await accounts.accepts(Self.password, of: "anna") }
        isFull.withLock { $0 = false }
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        let key = try #require(keys.withLock { $0.first })
        #expect(state.state.failures(of: key, now: 1000) == 1)
    }

    @Test(
        arguments: [
            (.init(failures: 0, in: .seconds(60)), 59, 1), (.init(failures: -1, in: .seconds(Int64.min)), 0, 1),
            (.init(failures: 1, in: .milliseconds(500)), 0, 1),
            (.init(failures: 1, in: .seconds(Int64.max)), 86_400, 1 << 40),
            (.init(failures: 1, in: .milliseconds(1500)), 1, 1),
        ] as [(Accounts.FailureLimit, Int64, Int64)]) func limitsAreBroughtIntoTheirRange(
            _ limit: Accounts.FailureLimit, _ refused: Int64, _ accepted: Int64
        ) async throws
    {
        let clock = Clock()
        let accounts = accounts([.password], limit, clock: clock)
        try await accounts.add("anna", password: Self.password)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
        #expect(try await accounts.accepts(SecretBytes("wrong"), of: "anna") == false)
        clock.pass(refused)
        #expect(try await accounts.accepts(Self.password, of: "anna") == false)
        clock.pass(accepted)
        #expect(try await accounts.accepts(Self.password, of: "anna"))
    }

    /// When the state is away, no password is right.
    @Test func withoutItsStateTheServerRefuses() async throws {
        struct Gone: Error {}
        let isGone = Mutex(false)
        var state = SteeredState()
        state.willRead = { if isGone.withLock({ $0 }) { throw Gone() } }
        let accounts = accounts(state: state)
        try await accounts.add("anna", password: Self.password)
        isGone.withLock { $0 = true }
        await #expect(throws: Gone.self) { try await accounts.accepts(Self.password, of: "anna") }
    }
}

/// A state in memory that does something before it counts failures or reads their count.
private struct SteeredState: ServerState {
    var willCount: @Sendable (_ key: [UInt8]) async throws -> Void = { _ in }
    var didCount: @Sendable () async throws -> Void = {}
    var willRead: @Sendable () throws -> Void = {}
    let state = MemoryServerState()
    func secret(for purpose: String) async throws -> SecretBytes { state.secret(for: purpose) }
    func account(_ user: String) async throws -> ServerAccount? { state.account(user) }
    func account(owningCertificate sha256: [UInt8]) async throws -> ServerAccount? {
        state.account(owningCertificate: sha256)
    }
    func add(_ account: ServerAccount) async throws -> Bool { state.add(account) }
    func update(
        _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
    ) async throws -> Bool { try state.update(user, change) }
    func removeAccount(_ user: String) async throws -> Bool { state.removeAccount(user) }
    func users() async throws -> [String] { state.users() }
    func failures(of key: [UInt8], now: Int64) async throws -> Int {
        try willRead()
        return state.failures(of: key, now: now)
    }
    func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int {
        try await willCount(key)
        let count = state.countFailure(of: key, until: end, now: now)
        try await didCount()
        return count
    }
    func forgetFailures(of key: [UInt8]) async throws { state.forgetFailures(of: key) }
    func remember(_ key: [UInt8], until expiry: Int64, now: Int64) async throws -> ReplayFinding {
        state.remember(key, until: expiry, now: now)
    }
    func add(_ certificate: IssuedCertificate) async throws { await state.add(certificate) }
    func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate? {
        await state.certificate(serialNumber: serialNumber)
    }
    func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate] {
        await state.certificates(publicKeySHA256: publicKeySHA256)
    }
    func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool {
        await state.revoke(serialNumber: serialNumber, revocation)
    }
    func certificates() async throws -> [IssuedCertificate] { await state.certificates() }
}

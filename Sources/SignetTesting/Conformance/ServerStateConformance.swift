import SignetAuthentication
public import SignetCredentials
import SignetTLS

/// The behaviour that every ``/SignetCredentials/ServerState`` must have.
///
/// ```swift
/// @Test(arguments: ServerStateConformance.checks)
/// func conforms(_ check: ServerStateConformance.Check) async throws {
///     try await check.run { try await MyState() }
/// }
/// ```
public enum ServerStateConformance {
    /// A violation: the state does something that it must not do, or fails to do something that it must.
    public struct Failure: Error, Sendable, CustomStringConvertible {
        public let description: String
    }

    /// One required behaviour of a state.
    public struct Check: Sendable, CustomStringConvertible {
        /// The required behaviour, in words.
        public let description: String
        private let body: @Sendable (_ make: @escaping Make) async throws -> Void

        /// Makes a state, or opens the one that it made before.
        public typealias Make = @Sendable () async throws -> any ServerState

        fileprivate init(
            _ description: String, _ body: @escaping @Sendable (_ make: @escaping Make) async throws -> Void
        ) {
            self.description = description
            self.body = body
        }

        fileprivate init(_ check: ReplayCacheConformance.Check) {
            self.init(check.description) { make in try await check.run { try await make() } }
        }

        /// - Parameter make: makes an empty state that remembers at least a hundred messages. When a check of
        ///   ``ServerStateConformance/sharedChecks`` calls it again, it opens the state that it made the first time.
        /// - Throws: ``Failure``, or an error of the state.
        public func run(_ make: @escaping Make) async throws { try await body(make) }
    }

    /// The checks for every state. They include those of ``ReplayCacheConformance``.
    public static let checks: [Check] =
        ReplayCacheConformance.checks.map { Check($0) } + [
            Check("an account is found as it was added") { make in
                let state = try await make()
                let account = account("anna", certificates: 2)
                try expect(try await state.account("anna") == nil, "an account that was never added is there")
                try expect(try await state.add(account), "the account was not added")
                try expect(try await state.account("anna") == account, "the account is another")
                for sha256 in account.certificates {
                    let owner = try await state.account(owningCertificate: sha256)
                    try expect(owner == account, "a certificate has another owner")
                }
                try expect(try await state.account(owningCertificate: sha256(99)) == nil, "a certificate has an owner")
            },
            Check("names are the same when their bytes are, and any characters may be in them") { make in
                let state = try await make()
                // The second and the third look alike; for `String` they are equal.
                let names = [
                    "anna", "Anna", "J\u{FC}rgen", "Ju\u{308}rgen", "o'hara", "a\"b", "a\\b", "100%", "名前", "a b", "*",
                ]
                for name in names { try expect(try await state.add(account(name)), "“\(name)” was not added") }
                for name in names {
                    let found = try await state.account(name)
                    try expect(found?.user.utf8.elementsEqual(name.utf8) == true, "“\(name)” is another account")
                }
                let sorted = names.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
                let users = try await state.users()
                try expect(
                    users.map { Array($0.utf8) } == sorted.map { Array($0.utf8) }, "the users are \(users)")
            },
            Check("neither a user nor a certificate has two accounts") { make in
                let state = try await make()
                let anna = account("anna", certificates: 1)
                var bert = account("bert")
                try expect(try await state.add(anna), "the account was not added")
                var other = account("anna")
                other.isLocked = true
                try expect(try await state.add(other) == false, "a user has two accounts")
                try expect(try await state.account("anna") == anna, "the account was replaced")
                bert.certificates = anna.certificates
                try expect(try await state.add(bert) == false, "a certificate has two owners")
                try expect(try await state.account("bert") == nil, "a refused account is there")
                bert.certificates = []
                try expect(try await state.add(bert), "the account was not added")
                let isChanged = try await state.update("bert") { $0.certificates = anna.certificates }
                try expect(!isChanged, "a certificate has two owners")
                try expect(try await state.account("bert") == bert, "a refused change was made")
            },
            Check("an account is changed, removed, and made anew") { make in
                let state = try await make()
                _ = try await state.add(account("anna", certificates: 2))
                let kept = sha256(1)
                let isChanged = try await state.update("anna") { account in
                    account.isLocked = true
                    account.password = nil
                    account.certificates = [kept, sha256(7)]
                }
                try expect(isChanged, "the account was not changed")
                var expected = account("anna")
                expected.isLocked = true
                expected.password = nil
                expected.certificates = [kept, sha256(7)]
                try expect(try await state.account("anna") == expected, "the account is another")
                try expect(
                    try await state.account(owningCertificate: sha256(0)) == nil, "a certificate keeps its owner")
                try expect(
                    try await state.account(owningCertificate: sha256(7)) == expected, "a certificate has no owner")
                struct Refusal: Error {}
                do {
                    _ = try await state.update("anna") { account in
                        account.isLocked = false
                        throw Refusal()
                    }
                    throw Failure(description: "the error of a change was lost")
                } catch is Refusal {}
                try expect(try await state.account("anna") == expected, "a change that threw was made")
                do {
                    _ = try await state.update("anna") { $0 = ServerAccount("bert") }
                    throw Failure(description: "an account got another name")
                } catch let error as CredentialStoreError {
                    try expect(error.code, is: .invalidItem, "the error")
                }
                try expect(try await state.account("anna") == expected, "a refused change was made")
                try expect(try await state.update("bert") { $0.isLocked = true } == false, "no account was changed")
                try expect(try await state.removeAccount("anna"), "the account was not removed")
                try expect(try await state.removeAccount("anna") == false, "the account was removed twice")
                try expect(try await state.account(owningCertificate: kept) == nil, "a certificate keeps its owner")
                try expect(try await state.add(account("anna", certificates: 2)), "the account was not made anew")
            },
            Check("of several changes at the same time, none is lost") { make in
                let state = try await make()
                _ = try await state.add(account("anna"))
                try await changeTogether([state])
            },
            Check("failures are counted until their time ends, and forgotten on demand") { make in
                let state = try await make()
                let (one, other) = (sha256(1), sha256(2))
                try expect(try await state.failures(of: one, now: 1000), is: 0, "before the first failure")
                try expect(try await state.countFailure(of: one, until: 1100, now: 1000), is: 1, "the first")
                // A later end does not prolong the time.
                try expect(try await state.countFailure(of: one, until: 1200, now: 1050), is: 2, "the second")
                try expect(try await state.failures(of: one, now: 1099), is: 2, "in the last second")
                try expect(try await state.failures(of: other, now: 1099), is: 0, "of another key")
                try expect(try await state.failures(of: one, now: 1100), is: 0, "after the end")
                try expect(try await state.countFailure(of: one, until: 1300, now: 1200), is: 1, "the first again")
                // The clock was ahead when the first was counted.
                try expect(try await state.countFailure(of: one, until: 1250, now: 1200), is: 2, "an earlier end")
                try expect(try await state.failures(of: one, now: 1250), is: 0, "after the earlier end")
                try expect(try await state.countFailure(of: other, until: 1300, now: 1200), is: 1, "of another key")
                try await state.forgetFailures(of: one)
                try expect(try await state.failures(of: one, now: 1200), is: 0, "after they were forgotten")
                try expect(try await state.failures(of: other, now: 1200), is: 1, "of another key")
            },
            Check("of several failures at the same time, each is counted") { make in
                try await failTogether([try await make()])
            },
            Check("a secret stays the same, and is another for another purpose") { make in
                let state = try await make()
                let first = try await state.secret(for: "one")
                try expect(first.count, is: 32, "its bytes")
                try expect(try await state.secret(for: "one") == first, "the secret has changed")
                try expect(try await state.secret(for: "other") != first, "two purposes have the same secret")
                try await askTogether([state])
            },
            Check("issued certificates are found, and revoked once") { make in
                let state = try await make()
                let authority = try CertificateAuthority()
                let issued = try ["one", "other"].map {
                    IssuedCertificate(try authority.issueClient(commonName: $0).leaf)
                }
                for certificate in issued { try await state.add(certificate) }
                var one = issued[0]
                let number = one.certificate.serialNumber ?? []
                try expect(try await state.certificate(serialNumber: number) == one, "a certificate is another")
                try expect(try await state.certificate(serialNumber: [1]) == nil, "a certificate was never issued")
                let key = one.certificate.publicKeySHA256 ?? []
                try expect(try await state.certificates(publicKeySHA256: key), is: [one], "those of a key")
                one.revoke(.init(at: 1000, for: .superseded))
                try expect(
                    try await state.revoke(serialNumber: number, .init(at: 1000, for: .superseded)), "it is not known")
                try expect(
                    try await state.revoke(serialNumber: number, .init(at: 2000, for: .unspecified)), "it is not known")
                try expect(try await state.certificate(serialNumber: number) == one, "the first revocation is lost")
                try expect(
                    try await state.revoke(serialNumber: [1], .init(at: 1000, for: .superseded)) == false,
                    "a certificate that was never issued is revoked")
                try expect(Set(try await state.certificates()), is: [one, issued[1]], "all of them")
            },
        ]

    /// The checks for persistent states, and for those that several processes share: every instance knows what one of them has stored.
    public static let sharedChecks: [Check] =
        ReplayCacheConformance.sharedChecks.map { Check($0) } + [
            Check("what was stored is there when the state is opened again") { make in
                let state = try await make()
                let account = account("anna", certificates: 1)
                _ = try await state.add(account)
                let secret = try await state.secret(for: "one")
                try await state.countFailure(of: sha256(1), until: 1100, now: 1000)
                let again = try await make()
                try expect(try await again.account("anna") == account, "the account is another")
                try expect(try await again.account(owningCertificate: sha256(0)) == account, "the owner is another")
                try expect(try await again.secret(for: "one") == secret, "the secret is another")
                try expect(try await again.failures(of: sha256(1), now: 1000), is: 1, "failures")
                try expect(try await again.removeAccount("anna"), "the account was not removed")
                try expect(try await state.account("anna") == nil, "the account is still there")
            },
            Check("several instances count and change together") { make in
                let states = [try await make(), try await make(), try await make()]
                _ = try await states[0].add(account("anna"))
                try await changeTogether(states)
                try await failTogether(states)
                try await askTogether(states)
            },
        ]

    private static func changeTogether(_ states: [any ServerState]) async throws {
        try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let state = states[number % states.count]
                group.addTask { _ = try await state.update("anna") { $0.certificates.insert(sha256(number)) } }
            }
            try await group.waitForAll()
        }
        let found = try await states[0].account("anna")?.certificates.count
        try expect(found ?? 0, is: 12, "changes")
    }

    private static func failTogether(_ states: [any ServerState]) async throws {
        let counts = try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let state = states[number % states.count]
                group.addTask { try await state.countFailure(of: sha256(50), until: 1300, now: 1000) }
            }
            return try await group.reduce(into: [Int]()) { $0.append($1) }
        }
        try expect(counts.sorted(), is: Array(1...12), "the counts")
    }

    private static func askTogether(_ states: [any ServerState]) async throws {
        let secrets = try await withThrowingTaskGroup { group in
            for number in 0..<12 {
                let state = states[number % states.count]
                group.addTask { try await state.secret(for: "together").bytes }
            }
            return try await group.reduce(into: Set<[UInt8]>()) { $0.insert($1) }
        }
        try expect(secrets.count, is: 1, "secrets of one purpose")
    }

    private static func sha256(_ number: Int) -> [UInt8] {
        [UInt8](repeating: 0xA5, count: 31) + [UInt8(truncatingIfNeeded: number)]
    }

    private static func account(_ user: String, certificates: Int = 0) -> ServerAccount {
        var account = ServerAccount(user)
        account.hash = PasswordHash(
            "$scrypt$ln=14,r=8,p=5$AAAAAAAAAAAAAAAAAAAAAA$BBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBA")
        account.digests = [
            .init(realm: "Reports “1”", algorithm: .sha256, value: SecretBytes("0123abcd")),
            .init(realm: "", algorithm: .md5, value: SecretBytes("ffff")),
        ]
        account.password = SecretBytes("p\u{E4}ss word")
        account.certificates = Set((0..<certificates).map { sha256($0) })
        return account
    }

    private static func expect(_ condition: Bool, _ what: @autoclosure () -> String) throws(Failure) {
        if !condition { throw Failure(description: what()) }
    }

    private static func expect<Value: Equatable>(_ found: Value, is expected: Value, _ what: String) throws(Failure) {
        if found != expected { throw Failure(description: "\(what): \(found), not \(expected)") }
    }
}

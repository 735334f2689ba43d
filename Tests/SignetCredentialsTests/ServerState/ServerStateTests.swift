import SignetCredentials
import SignetTesting
import Synchronization
import Testing

@Suite struct ServerStateTests {
    @Test(arguments: ServerStateConformance.checks) func memory(_ check: ServerStateConformance.Check) async throws {
        try await check.run { MemoryServerState(capacity: 200) }
    }

    @Test(arguments: ServerStateConformance.sharedChecks)
    func shared(_ check: ServerStateConformance.Check) async throws {
        let state = MemoryServerState(capacity: 200)
        try await check.run { state }
        await #expect(throws: (any Error).self) { try await check.run { MemoryServerState() } }
    }

    /// Does one thing as no state may.
    final class Wrong: ServerState {
        /// With what the check says that finds it.
        enum Fault: String, CaseIterable {
            case losesLocks = "an account is changed"
            case replacesAccounts = "neither a user nor"
            case sharesCertificates = "neither a user nor a certificate"
            case losesChanges = "of several changes at the same time"
            case countsForEver = "failures are counted until"
            case miscounts = "of several failures at the same time"
            case oneSecret = "a secret stays"
            case newSecrets = "a secret stays the same"
            case forgetsOwners = "an account is found"
            case keepsOwners = "an account is changed, removed"
            case looksAlike = "names are the same"
            case changesInPart = "an account is changed, removed, and"
            case forgetsRevocation = "issued certificates"
        }

        let fault: Fault
        let state = MemoryServerState()
        let released = Mutex<[[UInt8]: ServerAccount]>([:])
        init(_ fault: Fault) { self.fault = fault }

        func secret(for purpose: String) async throws -> SecretBytes {
            if fault == .newSecrets { return SecretBytes((0..<32).map { _ in .random(in: 0...255) }) }
            return state.secret(for: fault == .oneSecret ? "" : purpose)
        }

        private func name(_ user: String) -> String { fault == .looksAlike ? user.lowercased() : user }

        func account(_ user: String) -> ServerAccount? {
            var account = state.account(name(user))
            if fault == .losesLocks { account?.isLocked = false }
            return account
        }

        func account(owningCertificate sha256: [UInt8]) -> ServerAccount? {
            if fault == .forgetsOwners { return nil }
            return state.account(owningCertificate: sha256)
                ?? (fault == .keepsOwners ? released.withLock { $0[sha256] } : nil)
        }

        func add(_ account: ServerAccount) async throws -> Bool {
            if fault == .replacesAccounts { _ = state.removeAccount(account.user) }
            if fault == .keepsOwners {
                for certificate in account.certificates { released.withLock { $0[certificate] = account } }
            }
            var account = account
            if fault == .sharesCertificates, !account.certificates.isEmpty, !state.users().isEmpty {
                account.certificates = []
            }
            if fault == .looksAlike {
                var other = ServerAccount(name(account.user))
                other.certificates = account.certificates
                account = other
            }
            return state.add(account)
        }

        func update(
            _ user: String, _ change: @escaping @Sendable (inout ServerAccount) throws -> Void
        ) async throws -> Bool {
            if fault == .losesChanges {
                guard var account = state.account(user) else { return false }
                try await Task.sleep(for: .milliseconds(20))
                try change(&account)
                let changed = account
                return try state.update(user) { $0 = changed }
            }
            if fault == .changesInPart {
                // Changes made before an error stay.
                let problem = Mutex<(any Error)?>(nil)
                let isDone = try state.update(user) { account in
                    do { try change(&account) } catch { problem.withLock { $0 = error } }
                }
                if let problem = problem.withLock({ $0 }) { throw problem }
                return isDone
            }
            return try state.update(user, change)
        }

        func removeAccount(_ user: String) -> Bool { state.removeAccount(name(user)) }
        func users() async throws -> [String] { state.users() }

        func failures(of key: [UInt8], now: Int64) -> Int {
            state.failures(of: key, now: fault == .countsForEver ? 0 : now)
        }

        func countFailure(of key: [UInt8], until end: Int64, now: Int64) async throws -> Int {
            if fault == .miscounts {
                let known = state.failures(of: key, now: now)
                try await Task.sleep(for: .milliseconds(20))
                state.countFailure(of: key, until: end, now: now)
                return known + 1
            }
            return state.countFailure(of: key, until: end, now: now)
        }

        func forgetFailures(of key: [UInt8]) { state.forgetFailures(of: key) }

        func remember(_ key: [UInt8], until expiry: Int64, now: Int64) -> ReplayFinding {
            state.remember(key, until: expiry, now: now)
        }

        func add(_ certificate: IssuedCertificate) async { await state.add(certificate) }
        func certificate(serialNumber: [UInt8]) async -> IssuedCertificate? {
            await state.certificate(serialNumber: serialNumber)
        }
        func certificates(publicKeySHA256: [UInt8]) async -> [IssuedCertificate] {
            await state.certificates(publicKeySHA256: publicKeySHA256)
        }
        func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async -> Bool {
            if fault == .forgetsRevocation { return await state.certificate(serialNumber: serialNumber) != nil }
            return await state.revoke(serialNumber: serialNumber, revocation)
        }
        func certificates() async -> [IssuedCertificate] { await state.certificates() }
    }

    @Test(arguments: Wrong.Fault.allCases) func faultyStatesFailTheChecks(_ fault: Wrong.Fault) async throws {
        var failures: [String] = []
        for check in ServerStateConformance.checks {
            do { try await check.run { Wrong(fault) } } catch { failures.append(check.description) }
        }
        #expect(failures.contains { $0.hasPrefix(fault.rawValue) }, "\(failures)")
    }
}

import Foundation
import GRDB
import SignetCredentials
import Synchronization
import Testing

@testable import SignetCredentialsSQLite

/// How often the provider of a key is asked: it may be a person.
@Suite struct SingleFlightTests {
    private final class CountingKey: MasterKeyProvider {
        let name = "the counting key"
        private let state = Mutex((key: MasterKey.random(), asked: 0, error: nil as CredentialStoreError?))
        var asked: Int { state.withLock { $0.asked } }

        /// Seals a store with another key, as another process does, and gives that from now on.
        func change(in folder: StoreFolder) async throws {
            let (old, new) = (state.withLock { $0.key }, MasterKey.random())
            try await folder.open(FixedMasterKey(old)).rekey(to: FixedMasterKey(new))
            state.withLock { $0.key = new }
        }

        func fail(_ error: CredentialStoreError?) { state.withLock { $0.error = error } }

        func masterKey(for request: MasterKeyRequest) async throws -> MasterKey {
            let (key, error) = state.withLock { state in
                state.asked += 1
                return (state.key, state.error)
            }
            // Other callers have time to ask meanwhile.
            try await Task.sleep(for: .milliseconds(50))
            if let error { throw error }
            return key
        }
    }

    private static func findAtOnce(_ store: SQLiteCredentialStore) async -> [CredentialStoreError.Code?] {
        await withTaskGroup(of: CredentialStoreError.Code?.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    do { _ = try await store.find(CredentialQuery()) } catch {
                        return (error as? CredentialStoreError)?.code
                    }
                    return nil
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    /// An attacker without the key can change the header any number of times; each change costs one question.
    @Test(arguments: [
        "verifier = zeroblob(60)", "key = zeroblob(16)", "code = zeroblob(32)", "store = zeroblob(16)",
    ]) func aChangedHeaderIsAskedForOnce(change: String) async throws {
        try await StoreFolder.with { folder in
            let key = CountingKey()
            let store = SQLiteCredentialStore(try await folder.open(key))
            try await store.add(StoreFolder.credential("anna"))
            #expect(key.asked == 2)
            let header = try #require(try folder.rows("SELECT * FROM header").first)
            try folder.tamper("UPDATE header SET \(change)")
            let code: CredentialStoreError.Code = change.hasPrefix("code") ? .damaged : .wrongKey
            for _ in 0..<2 {
                #expect(await Self.findAtOnce(store) == Array(repeating: code, count: 8))
                #expect(key.asked == 3)
            }
            // As it was, it needs no question.
            try folder.tamper("DELETE FROM header")
            try folder.tamper("INSERT INTO header VALUES (?, ?, ?, ?, ?, ?)", .init(header.databaseValues))
            #expect(await Self.findAtOnce(store) == Array(repeating: nil, count: 8))
            #expect(key.asked == 3)
        }
    }

    /// A provider that does not answer says nothing about the header.
    @Test func aProviderThatFailedIsAskedAgainLater() async throws {
        try await StoreFolder.with { folder in
            let key = CountingKey()
            let store = SQLiteCredentialStore(try await folder.open(key))
            try await store.add(StoreFolder.credential("anna"))
            try await key.change(in: folder)
            key.fail(CredentialStoreError(.keyUnavailable, "No person has answered."))
            #expect(await Self.findAtOnce(store) == Array(repeating: .keyUnavailable, count: 8))
            key.fail(nil)
            let asked = key.asked
            #expect(await Self.findAtOnce(store) == Array(repeating: nil, count: 8))
            #expect(key.asked == asked + 1)
        }
    }

    /// Of those that wait one goes away, and of those that ask too; the others get their answer.
    @Test func cancelledCallersDoNotDisturbTheOthers() async throws {
        try await StoreFolder.with { folder in
            let key = CountingKey()
            let store = SQLiteCredentialStore(try await folder.open(key))
            try await store.add(StoreFolder.credential("anna"))
            for round in 0..<6 {
                try await key.change(in: folder)
                let tasks = (0..<6).map { _ in Task { try await store.find(CredentialQuery()).count } }
                try await Task.sleep(for: .milliseconds(10 * round))
                for task in tasks.prefix(3) { task.cancel() }
                for task in tasks.dropFirst(3) { #expect(try await task.value == 1) }
                for task in tasks.prefix(3) { _ = await task.result }
            }
        }
    }

    @Test func waitingCallersGetTheAnswer() async throws {
        let question = SingleFlight()
        for error in [nil, CredentialStoreError(.keyUnavailable, "")] {
            #expect(try await question.begin())
            let others = (0..<3).map { _ in Task { try await question.begin() } }
            let cancelled = Task { try await question.begin() }
            while question.waiting < 4 { await Task.yield() }
            cancelled.cancel()
            await #expect(throws: CancellationError.self) { try await cancelled.value }
            #expect(question.waiting == 3)
            question.end(error)
            for other in others {
                switch await other.result {
                case .success(let isOurs): #expect(isOurs == false && error == nil)
                case .failure(let thrown): #expect(thrown as? CredentialStoreError == error)
                }
            }
        }
    }

    /// A repair does not change the master key, so that the store does not ask for it.
    @Test func aRepairCostsNoQuestion() async throws {
        try await StoreFolder.with { folder in
            let key = CountingKey()
            let stores = [
                SQLiteCredentialStore(try await folder.open(key)), SQLiteCredentialStore(try await folder.open(key)),
            ]
            try await stores[0].add(StoreFolder.credential("anna"))
            let asked = key.asked
            try await stores[0].database.repair()
            for store in stores { #expect(try await store.find(CredentialQuery()).count == 1) }
            #expect(key.asked == asked)
            #expect(try await folder.open(key).check().isSound)
        }
    }
}

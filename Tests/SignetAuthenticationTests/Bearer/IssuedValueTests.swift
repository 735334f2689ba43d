import Synchronization
import Testing

@testable import SignetAuthentication

@Suite(.timeLimit(.minutes(5))) struct IssuedValueTests {
    private struct Refused: Error {}

    /// Numbers that are issued one after the other.
    private final class Issuer: Sendable {
        let count = Atomic(0)
        let isClosed = Atomic(false)
        let waiting = AsyncStream<Void>.makeStream()
        let open = AsyncStream<Void>.makeStream()

        func issue(waits: Bool) async throws -> Int {
            let number = count.add(1, ordering: .relaxed).newValue
            if waits {
                waiting.continuation.yield()
                for await _ in open.stream { break }
            }
            if isClosed.load(ordering: .relaxed) { throw Refused() }
            return number
        }
    }

    private let issuer = Issuer()

    private func value(
        keeping kept: Int? = nil, waits: Bool = false, isUsable: @escaping @Sendable (Int) -> Bool = { _ in true }
    ) -> IssuedValue<Int> {
        IssuedValue(keeping: kept, isUsable: isUsable) {
            $0 is Refused ? .forGood : nil
        } request: { [issuer] in
            try await issuer.issue(waits: waits)
        }
    }

    @Test func oneRequestServesAll() async throws {
        let value = value(waits: true)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await value.value() } }
            for await _ in issuer.waiting.stream { break }
            issuer.open.continuation.finish()
            for try await number in group { #expect(number == 1) }
        }
        #expect(try await value.value() == 1)
        #expect(issuer.count.load(ordering: .relaxed) == 1)
    }

    @Test func aValueThatCannotBeUsedIsReplaced() async throws {
        let value = value(keeping: 0, isUsable: { $0 > 1 })
        #expect(try await value.value() == 1, "A new value is used as it comes.")
        #expect(try await value.value() == 2)
        #expect(try await value.value() == 2)
        #expect(try await value.value { $0 == 2 } == 3)
    }

    @Test func noRequestFollowsARefusal() async throws {
        let value = value()
        issuer.isClosed.store(true, ordering: .relaxed)
        for _ in 0..<3 { await #expect(throws: Refused.self) { () async throws in try await value.value() } }
        #expect(issuer.count.load(ordering: .relaxed) == 1)
    }

    @Test func aCallerThatIsCancelledDoesNotWait() async throws {
        let value = value(waits: true)
        let cancelled = Task { try await value.value() }
        for await _ in issuer.waiting.stream { break }
        let other = Task { try await value.value() }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { () async throws in try await cancelled.value }
        issuer.open.continuation.finish()
        #expect(try await other.value == 1)
    }
}

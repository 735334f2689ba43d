import CallCounters
import Foundation

/// What each call costs this process: microseconds of processor time, blocks of memory, jobs on the global executor, changes of threads.
///
/// What is done once is left out: calls before those that count open the connections.
///
/// - Parameters:
///   - open: so many tasks call at a time, one call after the other each.
///   - call: gets the number of its task, from zero: no two calls of one number overlap.
public func cost(
    of calls: Int, open: Int, _ call: @escaping @Sendable (Int) async throws -> Void
) async throws -> String {
    count_jobs()
    try await run(20 * open, open: open, call)
    let before = call_counters()
    try await run(calls, open: open, call)
    let after = call_counters()
    let each = [\CallCounters.processor, \.allocations, \.enqueued, \.switches].map {
        String(format: "%.3f", Double(after[keyPath: $0] - before[keyPath: $0]) / Double(calls))
    }
    return each.joined(separator: " ")
}

private func run(_ calls: Int, open: Int, _ call: @escaping @Sendable (Int) async throws -> Void) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
        for number in 0..<open {
            let share = calls / open + (number < calls % open ? 1 : 0)
            group.addTask { for _ in 0..<share { try await call(number) } }
        }
        try await group.waitForAll()
    }
}

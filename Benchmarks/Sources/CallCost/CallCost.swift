import CallCounters

/// Fewer connections are open than were asked for, or the system does not tell how much memory a process has.
public struct IdleCostUnknown: Error {}

/// Prints what each call costs this process; see `print_cost`.
///
/// What is done once is left out: calls before those that count open the connections.
///
/// - Parameters:
///   - open: so many tasks call at a time, one call after the other each.
///   - call: gets the number of its task, from zero: no two calls of one number overlap.
public func printCost(
    of calls: Int, open: Int, _ call: @escaping @Sendable (Int) async throws -> Void
) async throws {
    count_jobs()
    try await run(20 * open, open: open, call)
    let before = call_counters()
    try await run(calls, open: open, call)
    print_cost(before, call_counters(), UInt64(calls))
}

/// Prints what each idle connection costs this process; see `print_idle_cost`.
///
/// - Parameter open: sees to it that so many connections are open, those that it has opened before among them.
public func printIdleCost(of connections: Int, _ open: @Sendable (Int) async throws -> Void) async throws {
    try await open(1)
    let one = resident_memory()
    try await open(connections)
    guard print_idle_cost(one, Int64(connections)) == 0 else { throw IdleCostUnknown() }
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

#if Server
import Synchronization

/// Tasks that can be cancelled and awaited independently of the task that began them.
final class RunningTasks: Sendable {
    private struct State {
        var tasks: [Int: Task<Void, Never>] = [:]
        var next = 0
        var isCancelled = false
    }

    private let state = Mutex(State())

    /// Runs `body` in a task of its own, and waits for its end.
    func run(_ body: @escaping @Sendable () async -> Void) async { await begin(body, limit: .max)?.value }

    /// Begins to run `body`; false when so many tasks are running already.
    func start(limit: Int, _ body: @escaping @Sendable () async -> Void) -> Bool { begin(body, limit: limit) != nil }

    private func begin(_ body: @escaping @Sendable () async -> Void, limit: Int) -> Task<Void, Never>? {
        state.withLock { state in
            guard state.tasks.count < limit else { return nil }
            state.next &+= 1
            let number = state.next
            let task = Task {
                await body()
                // This waits for the lock, under which the task is registered below.
                self.state.withLock { _ = $0.tasks.removeValue(forKey: number) }
            }
            if state.isCancelled { task.cancel() }
            state.tasks[number] = task
            return task
        }
    }

    /// Cancels all tasks, running ones and future ones.
    func cancelAll() {
        let tasks = state.withLock { state in
            state.isCancelled = true
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
    }

    /// Waits until no task is running.
    func waitForAll() async {
        while let task = state.withLock({ $0.tasks.values.first }) { await task.value }
    }
}
#endif

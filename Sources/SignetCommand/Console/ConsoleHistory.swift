#if CommandLine
import Foundation
import SignetDynamic
import Synchronization

/// The calls that the console has made, the newest last, in memory only.
final class ConsoleHistory: Sendable {
    static let maximumEntries = 100
    private static let maximumBytes = 64 << 20

    private struct Entry {
        var value: DynamicValue
        /// The same without secrets.
        var exported: DynamicValue
        var bytes: Int
    }

    private struct State {
        var entries: [Entry] = []
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// The number of the next entry.
    func nextNumber() -> Int {
        state.withLock {
            $0.lastNumber += 1
            return $0.lastNumber
        }
    }

    func add(_ value: DynamicValue, exported: DynamicValue) {
        let bytes = value.json().utf8.count
        state.withLock { state in
            state.entries.append(.init(value: value, exported: exported, bytes: bytes))
            var total = state.entries.reduce(0) { $0 + $1.bytes }
            while state.entries.count > Self.maximumEntries || total > Self.maximumBytes,
                let first = state.entries.first
            {
                total -= first.bytes
                state.entries.removeFirst()
            }
        }
    }

    var entries: DynamicValue { .array(state.withLock { $0.entries.map(\.value) }) }
    var exported: DynamicValue { .array(state.withLock { $0.entries.map(\.exported) }) }

    func clear() { state.withLock { $0.entries = [] } }
}
#endif

package import Logging
import Synchronization

/// Keeps everything that is logged, so that a test can look for what must or must not stand there.
package final class LogCollector: Sendable {
    private let lines = Mutex<[String]>([])
    package init() {}

    /// A line for each event: its level, its message and its metadata.
    package var text: String { lines.withLock { $0.joined(separator: "\n") } }

    /// A logger of the level `trace` that writes here.
    package var logger: Logger {
        var logger = Logger(label: "test", factory: { [self] _ in Handler(collector: self) })
        logger.logLevel = .trace
        return logger
    }

    private struct Handler: LogHandler {
        let collector: LogCollector
        var metadata: Logger.Metadata = [:]
        var logLevel: Logger.Level = .trace
        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }
        func log(event: LogEvent) {
            collector.lines.withLock { $0.append("\(event.level) \(event.message) \(event.metadata ?? [:])") }
        }
    }
}

import Foundation
import Signet
import Synchronization
import Testing

/// Keeps everything that is logged.
final class LogCollector: Sendable {
    private let lines = Mutex<[String]>([])
    var text: String { lines.withLock { $0.joined(separator: "\n") } }

    var logger: Logger {
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

    /// Fails where a secret, as it is or in base64, stands in what was logged, or in what is printed of reports and errors.
    func check(
        hides secrets: [String], _ reports: [ExchangeReport], _ errors: [(any Error)?],
        _ place: SourceLocation = #_sourceLocation
    ) {
        // Where nothing is printed, nothing is hidden.
        #expect(text.contains("trace "), sourceLocation: place)
        #expect(!reports.isEmpty, sourceLocation: place)
        #expect(!errors.isEmpty, sourceLocation: place)
        var printed = [text]
        for report in reports { printed += Self.forms(of: report) }
        for error in errors {
            guard let error else {
                Issue.record("there was no error", sourceLocation: place)
                continue
            }
            printed += Self.forms(of: error)
        }
        for secret in secrets {
            for form in [secret, Data(secret.utf8).base64EncodedString()] {
                #expect(printed.allSatisfy { !$0.contains(form) }, "\(form)", sourceLocation: place)
            }
        }
    }

    private static func forms(of value: Any) -> [String] {
        var dumped = ""
        dump(value, to: &dumped)
        return [dumped, String(describing: value), String(reflecting: value)]
    }
}

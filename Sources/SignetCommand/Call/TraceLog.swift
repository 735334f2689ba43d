#if CommandLine
import Signet
import SignetWSDL

/// Writes the library's log to standard error; messages have their secrets replaced.
struct TraceLog: LogHandler {
    var logLevel = Logger.Level.trace
    var metadata: Logger.Metadata = [:]

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        let all = metadata.merging(event.metadata ?? [:]) { $1 }
        for line in Self.lines(event.level, event.message.description, all) { print(line, to: &standardError) }
    }

    /// The message and its short values in one line, longer values below.
    static func lines(_ level: Logger.Level, _ message: String, _ metadata: Logger.Metadata) -> [String] {
        let values = metadata.map { (name: $0.key, value: "\($0.value)") }.sorted { $0.name < $1.name }
        let (long, short) = (values.filter { $0.name == "message" }, values.filter { $0.name != "message" })
        let first = (["\(level): \(message)"] + short.map { "\($0.name)=\($0.value)" }).joined(separator: " ")
        return ([first] + long.map(\.value)).map { TerminalText.block($0) }
    }
}
#endif

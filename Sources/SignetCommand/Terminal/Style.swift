#if CommandLine
import Foundation

/// Colours, only on a terminal and not when the user disables them (no-color.org).
struct Style: Sendable {
    let isColoured: Bool

    init(isColoured: Bool) { self.isColoured = isColoured }

    /// The style of a stream.
    init(for descriptor: Int32) {
        let environment = ProcessInfo.processInfo.environment
        isColoured =
            isatty(descriptor) == 1 && (environment["NO_COLOR"] ?? "").isEmpty && environment["TERM"] != "dumb"
    }

    func bold(_ text: String) -> String { coded(text, "1") }
    func dim(_ text: String) -> String { coded(text, "2") }
    func warning(_ text: String) -> String { coded(text, "33") }
    func good(_ text: String) -> String { coded(text, "32") }
    func bad(_ text: String) -> String { coded(text, "31") }

    private func coded(_ text: String, _ code: String) -> String {
        isColoured && !text.isEmpty ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
#endif

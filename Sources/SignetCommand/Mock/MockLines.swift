#if CommandLine
import Foundation
import SignetDynamic
import SignetMock
import SignetWSDL

/// What a mock prints: each request on standard output, warnings on standard error.
struct MockLines: Sendable {
    /// A service, and where it is.
    struct Address: Sendable {
        var service: DynamicService
        var path: String
        var hasWSDL: Bool
    }

    /// That of the command, for warnings.
    let name: String
    let isJSON: Bool
    let style: Style

    func warn(_ text: String) { print("\(name): \(TerminalText.line(text))", to: &standardError) }

    func begin(_ addresses: [Address], url: (_ path: String) -> String) {
        for address in addresses {
            let (url, count) = (url(address.path), address.service.operations.count)
            let line =
                isJSON
                ? json(["service": address.service.name, "port": address.service.port.name, "url": url])
                : "\(address.service.name): \(url), \(count) operation\(count == 1 ? "" : "s")\(address.hasWSDL ? ", WSDL at ?wsdl" : "")"
            show(line)
        }
        if !isJSON { show("Ctrl-C ends the mock.") }
    }

    func begin(recorderOf endpoint: String, at url: String, into folder: String) {
        let text = "Call \(url) instead of \(endpoint). Ctrl-C ends the recording in \(folder)."
        show(isJSON ? json(["url": url]) : TerminalText.line(text))
    }

    func show(_ event: MockEvent) {
        guard !isJSON else { return show(json(event)) }
        let what = event.operation ?? "\(event.method) \(event.path)"
        show(event.time, event.status, what + (event.answer.map { " (\($0))" } ?? ""), event.remarks)
    }

    func show(_ event: Recorder.Event) {
        guard !isJSON else { return show(json(event)) }
        let what = [event.action, event.name.map { "(\($0))" }].compactMap { $0 }.joined(separator: " ")
        show(event.time, event.status, what, event.remark.map { [$0] } ?? [])
    }

    private func show(_ time: Date, _ status: Int?, _ what: String, _ remarks: [String]) {
        let isGood = status == 200 || status == 202
        let clock = time.formatted(
            Date.ISO8601FormatStyle(timeZone: .current).time(includingFractionalSeconds: false))
        let word = status.map(String.init) ?? "no answer"
        let first =
            "\(style.dim(clock)) \(isGood ? style.good(word) : style.bad(word))"
            + (what.isEmpty ? "" : " \(TerminalText.line(what))")
        show(first + remarks.map { "\n    \(TerminalText.line($0))" }.joined())
    }

    private func json(_ value: some Encodable) -> String {
        do { return try Output.jsonLine(value) } catch { return "{\"error\": \"the line cannot be written\"}" }
    }

    private func show(_ line: String) { Output.line(line) }
}
#endif

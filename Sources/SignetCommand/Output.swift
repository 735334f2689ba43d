#if CommandLine
// The streams of C are variables, which Swift takes for shared state.
@preconcurrency import Foundation
import SignetDynamic
import SignetWSDL

/// Writes to standard output. What `print` writes belongs to it, too: both go through the stream of C, which remembers
/// that a write failed.
enum Output {
    /// Takes the places of standard streams that were closed before the program began: a file or a connection that
    /// is opened later would otherwise get such a place, and the output with it.
    static func begin() {
        var descriptor: Int32
        // It can only be read, so that writing to it fails.
        repeat { descriptor = open("/dev/null", O_RDONLY) } while 0...STDERR_FILENO ~= descriptor
        if descriptor > STDERR_FILENO { close(descriptor) }
    }

    /// Writes out what is still held back.
    ///
    /// - Throws: ``CommandError`` when something that was written is lost, such as on a full disk; once.
    static func flush() throws(CommandError) {
        errno = 0
        let isFlushed = fflush(stdout) == 0
        let reason = errno == 0 ? "" : ": \(String(cString: strerror(errno)))"
        guard isFlushed, ferror(stdout) == 0 else {
            clearerr(stdout)
            throw CommandError("Standard output cannot be written\(reason).")
        }
    }

    static func json(_ value: DynamicValue) { print(TerminalText.json(value.json(pretty: true))) }

    /// Writes a command's report as JSON for other programs.
    static func report(_ report: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(TerminalText.json(String(decoding: try encoder.encode(report), as: UTF8.self)))
    }

    /// Writes a line at once, also to a file or a pipe, whose reader wants each line when it is written.
    static func line(_ text: String) {
        print(text)
        fflush(stdout)
    }

    /// A line of JSON for other programs.
    static func jsonLine(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return TerminalText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes XML unchanged; on a terminal, control characters are escaped.
    ///
    /// - Throws: ``CommandError`` when standard output cannot be written.
    static func document(_ bytes: [UInt8]) throws(CommandError) {
        if isatty(STDOUT_FILENO) == 1 {
            print(TerminalText.block(String(decoding: bytes, as: UTF8.self)))
        } else {
            fwrite(bytes + Array("\n".utf8), 1, bytes.count + 1, stdout)
        }
        try flush()
    }
}
#endif

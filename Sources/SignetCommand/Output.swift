#if CommandLine
import Foundation
import SignetDynamic
import SignetWSDL

/// Writes to standard output.
enum Output {
    static func json(_ value: DynamicValue) { print(TerminalText.json(value.json(pretty: true))) }

    /// Writes a command's report as JSON for other programs.
    static func report(_ report: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        print(TerminalText.json(String(decoding: try encoder.encode(report), as: UTF8.self)))
    }

    /// Writes a line at once, also to a file or a pipe, whose reader wants each line when it is written.
    static func line(_ text: String) { try? FileHandle.standardOutput.write(contentsOf: Data("\(text)\n".utf8)) }

    /// A line of JSON for other programs.
    static func jsonLine(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        return TerminalText.json(String(decoding: try encoder.encode(value), as: UTF8.self))
    }

    /// Writes XML unchanged; on a terminal, control characters are escaped.
    ///
    /// - Throws: ``CommandError`` when standard output cannot be written, such as a full disk.
    static func document(_ bytes: [UInt8]) throws(CommandError) {
        if isatty(STDOUT_FILENO) == 1 {
            print(TerminalText.block(String(decoding: bytes, as: UTF8.self)))
        } else {
            do { try FileHandle.standardOutput.write(contentsOf: Data(bytes + Array("\n".utf8))) } catch {
                throw CommandError("Standard output cannot be written: \(error.localizedDescription)")
            }
        }
    }
}
#endif

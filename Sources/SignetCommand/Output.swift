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

    /// Writes XML unchanged; on a terminal, control characters are escaped.
    static func document(_ bytes: [UInt8]) {
        if isatty(STDOUT_FILENO) == 1 {
            print(TerminalText.block(String(decoding: bytes, as: UTF8.self)))
        } else {
            FileHandle.standardOutput.write(Data(bytes + Array("\n".utf8)))
        }
    }
}
#endif

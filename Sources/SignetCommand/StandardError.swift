#if CommandLine
import Foundation
import SignetWSDL

/// The standard error stream.
struct StandardError: TextOutputStream {
    /// What cannot be written is lost: there is no other place to say so.
    mutating func write(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}

/// A fresh stream, so that no state is shared.
var standardError: StandardError {
    get { StandardError() }
    set {}
}

/// Prints a line about a call to standard error.
func remark(_ line: String) { print("* \(TerminalText.indented(line))", to: &standardError) }
#endif

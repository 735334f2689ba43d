#if CommandLine
import Foundation

/// The standard error stream.
struct StandardError: TextOutputStream {
    mutating func write(_ text: String) { FileHandle.standardError.write(Data(text.utf8)) }
}

/// A fresh stream, so that no state is shared.
var standardError: StandardError {
    get { StandardError() }
    set {}
}
#endif

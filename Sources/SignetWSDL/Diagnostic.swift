/// A place in a document.
package struct SourceLocation: Sendable, Hashable, CustomStringConvertible {
    /// The file as it was named to the loader, or relative to the folder of the main document.
    package var file: String
    /// Counted from 1; zero when the whole file is meant.
    package var line: Int
    /// Counted in characters (Unicode scalars) from 1.
    package var column: Int

    package init(file: String, line: Int = 0, column: Int = 0) {
        self.file = file
        self.line = line
        self.column = column
    }

    /// `file:line:column`, as compilers write it.
    package var description: String { line > 0 ? "\(file):\(line):\(column)" : file }
}

/// A message for the user who supplied a document.
package struct Diagnostic: Sendable, Hashable, CustomStringConvertible {
    package enum Severity: String, Sendable, Hashable {
        /// The document gave no result.
        case error
        /// Something was left out or is bound more loosely than the schema says.
        case warning
        /// Information that needs no action.
        case note
    }

    package var severity: Severity
    package var message: String
    package var location: SourceLocation
    /// The only operation that the diagnostic concerns; it does not matter to a user who does not select that
    /// operation.
    package var operation: String?
    /// Whether a part of the document is left out, which strict options do not allow.
    package var isOmission: Bool

    package init(
        _ severity: Severity, _ message: String, at location: SourceLocation, operation: String? = nil,
        isOmission: Bool = false
    ) {
        self.operation = operation
        self.isOmission = isOmission
        self.severity = severity
        self.message = message
        self.location = location
    }

    /// `file:line:column: error: message`, which editors and build systems understand. Names and texts from a document
    /// cannot add a line break.
    package var description: String { TerminalText.line("\(location): \(severity.rawValue): \(message)") }
}

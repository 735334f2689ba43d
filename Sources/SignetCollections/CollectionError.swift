/// Why a collection of requests cannot be read.
package struct CollectionError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        private init(_ description: String) { self.description = description }

        /// The file is not of a format that is known here.
        package static let unknownFormat = Code("unknownFormat")
        /// The file breaks the rules of its format.
        package static let malformed = Code("malformed")
        /// The format is known, but this version or variant of it is not supported.
        package static let notSupported = Code("notSupported")
        /// The project is encrypted.
        package static let encrypted = Code("encrypted")
        /// The file, or what its variables stand for, is too large.
        package static let limitExceeded = Code("limitExceeded")
    }

    package var code: Code
    /// What is wrong and what to do next; never a value from the file, which may be a secret.
    package var message: String
    /// The name of the file.
    package var file = ""
    package var cause: (any Error)?

    init(_ code: Code, _ message: String, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.cause = cause
    }

    package var description: String { file.isEmpty ? message : "\(file): \(message)" }
}

extension CollectionError: Equatable {
    /// Errors are equal when their codes are.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

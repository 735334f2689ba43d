/// Why a WSDL or a schema could not be loaded, and where.
package struct WSDLError: Error, Sendable, CustomStringConvertible {
    /// The kind of defect. New codes may be added: keep a `default` when switching.
    package struct Code: Sendable, Hashable, CustomStringConvertible {
        package let description: String
        private init(_ description: String) { self.description = description }

        /// The document is not well-formed XML, has a DOCTYPE that needs an external entity, or exceeds a limit of the
        /// XML reader.
        package static let malformedXML = Code("malformedXML")
        /// The document is neither a WSDL 1.1 nor an XML Schema 1.0.
        package static let notWSDL = Code("notWSDL")
        /// An element or attribute that the standard demands is absent or has a value that it does not allow.
        package static let invalid = Code("invalid")
        /// A qualified name has a prefix that nothing declares.
        package static let undeclaredPrefix = Code("undeclaredPrefix")
        /// An import names a file outside the folder that may be read.
        package static let importRefused = Code("importRefused")
        /// An imported or included file does not exist or cannot be read.
        package static let importNotFound = Code("importNotFound")
        /// One of ``WSDLLoader/Limits`` is exceeded.
        package static let limitExceeded = Code("limitExceeded")
    }

    package var code: Code
    /// What is wrong and what to do next.
    package var message: String
    package var location: SourceLocation
    package var cause: (any Error)?

    package init(_ code: Code, _ message: String, at location: SourceLocation, cause: (any Error)? = nil) {
        self.code = code
        self.message = message
        self.location = location
        self.cause = cause
    }

    package var description: String { "\(location): \(message)" }

    /// The error as a diagnostic.
    package var diagnostic: Diagnostic { Diagnostic(.error, message, at: location) }

    /// The message as a part of a sentence.
    package var reason: String { message.hasSuffix(".") ? String(message.dropLast()) : message }

    /// A warning that a component is left out because of this error.
    ///
    /// - Parameter isOmission: whether strict options make the warning an error.
    func remark(_ consequence: String, isOmission: Bool = true) -> Diagnostic {
        Diagnostic(.warning, "\(consequence): \(message)", at: location, isOmission: isOmission)
    }
}

extension WSDLError: Equatable {
    /// Errors are equal when their codes are.
    package static func == (left: Self, right: Self) -> Bool { left.code == right.code }
}

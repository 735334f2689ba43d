import HTTPTypes

/// The value of a field such as `Content-Type` or `Content-Disposition`: what it is, and its parameters (RFC 9110
/// §5.6.6 and §8.3.1, RFC 2045 §5.1, RFC 2183 §2).
///
/// One parser reads the fields of HTTP and those of MIME parts, so that both are understood in the same way. It accepts
/// values that have only one meaning: values without required quotation marks, white space around `=`, comments, empty
/// parameters, a parameter given twice with one value. It refuses values that two parsers could understand differently.
package struct ParameterizedValue: Sendable, Hashable {
    /// The limit of parameters; a value with more is refused.
    package static let maximumParameters = 64

    /// Media type or disposition, with A to Z in lower case.
    package let essence: String
    private let first: Parameter?
    private let others: [Parameter]

    struct Parameter: Sendable, Hashable {
        /// With A to Z in lower case.
        let name: String
        let value: String
    }

    /// - Throws: ``ParameterDefect`` for a control character, for a quotation that does not end or is not the whole
    ///   value after `=`, for a missing semicolon, for a parameter with two different values, and for more than
    ///   ``maximumParameters`` parameters. If the parameter decides how a message is read, also for white space and
    ///   brackets outside of quotation marks, for needless escapes, and for a value that is split or encoded.
    package init(_ value: String) throws(ParameterDefect) {
        var scanner = ParameterScanner(value)
        essence = try scanner.essence()
        var first: Parameter?
        var others: [Parameter] = []
        do throws(ParameterDefect) {
            try scanner.refuseControls()
            while let next = try scanner.parameter() {
                if let known = Self.parameter(next.name, first, others) {
                    guard known.hasValue(of: next) else {
                        throw .init("The parameter “\(next.name.prefix(64))” is given twice, with different values.")
                    }
                } else if first == nil {
                    first = next
                } else {
                    guard others.count < Self.maximumParameters - 1 else {
                        throw .init("The value has more than \(Self.maximumParameters) parameters.")
                    }
                    others.append(next)
                }
            }
        } catch {
            throw ParameterDefect(error.message, essence: essence, isCarelessness: error.isCarelessness)
        }
        (self.first, self.others) = (first, others)
    }

    /// The value of a parameter, whose name is given in lower case; nil when there is no such parameter.
    package subscript(_ name: String) -> String? { Self.parameter(name, first, others)?.value }

    private static func parameter(_ name: String, _ first: Parameter?, _ others: [Parameter]) -> Parameter? {
        if let first, first.name == name { return first }
        return others.first { $0.name == name }
    }

    /// Whether a text is a type and a subtype, with or without parameters, in the form for sending (RFC 9110 §8.3.1).
    package static func isMediaType(_ text: String) -> Bool {
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }), let value = try? Self(text) else { return false }
        let names = value.essence.split(separator: "/", omittingEmptySubsequences: false)
        // Field names are tokens too, so their initialiser checks the syntax.
        return names.count == 2 && names.allSatisfy { HTTPField.Name(String($0)) != nil }
    }
}

extension ParameterizedValue.Parameter {
    /// Whether two parameters with one name mean the same. Charsets and media types are compared without regard to
    /// case.
    fileprivate func hasValue(of other: Self) -> Bool {
        switch name {
        case "charset": MediaType.charset(value) == MediaType.charset(other.value)
        case "type": value.utf8[...].asciiLowercased == other.value.utf8[...].asciiLowercased
        default: value.utf8.elementsEqual(other.value.utf8)
        }
    }

    /// Whether the parameter decides how a message is read. Parsers must not understand such a parameter differently.
    static func decides(_ name: some StringProtocol) -> Bool {
        switch name {
        case "charset", "boundary", "type", "start", "start-info", "action": true
        default: false
        }
    }
}

/// Why the value of a field with parameters is refused.
package struct ParameterDefect: Error, Sendable, Hashable {
    /// A sentence about the defect.
    package let message: String
    /// The text before the parameters, with A to Z in lower case; empty when the defect is in it.
    package let essence: String
    /// Whether a value lacks required quotation marks or semicolons, which many senders leave out around file names.
    package let isCarelessness: Bool

    init(_ message: String, essence: String = "", isCarelessness: Bool = false) {
        (self.message, self.essence, self.isCarelessness) = (message, essence, isCarelessness)
    }
}

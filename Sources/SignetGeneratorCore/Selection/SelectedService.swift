package import SignetWSDL

/// The part of a WSDL for which code is generated: the first stage's result.
package struct SelectedService: Sendable {
    package var service: Service
    /// The ports, the primary one first; the others have the same operations.
    package var ports: [BoundPort]
    package var documentation: String?
    package var operations: [SelectedOperation]

    /// Whether the ports are bound to HTTP without SOAP.
    package var isPlainHTTP: Bool { ports.first?.binding.format == .http }

    /// Whether any message uses SOAP's encoding, which requires `xsi:type`.
    package var isEncoded: Bool { operations.contains { $0.messages.contains(where: \.isEncoded) } }
}

/// A port together with its binding.
package struct BoundPort: Sendable {
    package var port: Port
    package var binding: Binding
    /// The version of WS-Addressing that it requires or allows.
    package var addressing: AddressingName?
    /// The requirements of the port's policies for every call, and what a message may have.
    package var requirements: [PolicyRequirement] = []
    package var accepted: [PolicyRequirement] = []
    /// The requirements of single operations beyond those of the port, where other ports do not have them.
    package var operations: [(name: String, requirements: [PolicyRequirement])] = []
}

/// A request-response or one-way operation.
package struct SelectedOperation: Sendable {
    /// The name in the WSDL; overloads share it.
    package var name: String
    /// The name that tells overloads apart.
    package var distinctName: String
    /// Its index among the operations of the portType, which all bindings share.
    package var portTypeIndex: Int?
    package var soapAction: String
    /// The actions of WS-Addressing; nil when the WSDL does not use WS-Addressing.
    package var actions: MessageActions?
    package var style: Binding.Style
    /// The exchange over HTTP without SOAP; nil with SOAP.
    package var http: HTTPExchange?
    package var input: SelectedMessage
    /// Nil for a one-way operation.
    package var output: SelectedMessage?
    package var faults: [SelectedMessage]
    /// The header blocks of the input and of the output.
    package var inputHeaders: [SelectedMessage]
    package var outputHeaders: [SelectedMessage]
    /// The message parts that travel beside the envelopes; nil when attachments are not allowed.
    package var inputAttachments: [String]?
    package var outputAttachments: [String]?
    /// The requirements of the operation's policies beyond those of the port.
    package var requirements: [PolicyRequirement] = []
    package var documentation: String?
    package var location: SourceLocation

    /// Bodies, faults and header blocks.
    package var messages: [SelectedMessage] {
        [input] + (output.map { [$0] } ?? []) + faults + inputHeaders + outputHeaders
    }
}

/// Collects the messages for the user of the generator.
package struct Diagnostics: Sendable {
    package private(set) var all: [Diagnostic] = []
    private var known: Set<Diagnostic> = []

    package init() {}

    package var hasErrors: Bool { all.contains { $0.severity == .error } }

    package mutating func add(_ diagnostic: Diagnostic) {
        if known.insert(diagnostic).inserted { all.append(diagnostic) }
    }

    mutating func error(_ message: String, at location: SourceLocation) {
        add(Diagnostic(.error, message, at: location))
    }
    mutating func warning(_ message: String, at location: SourceLocation) {
        add(Diagnostic(.warning, message, at: location))
    }
    /// Reports that a component is left out, which strict options do not allow.
    mutating func leftOut(_ message: String, at location: SourceLocation, isError: Bool) {
        add(Diagnostic(isError ? .error : .warning, isError ? message + Self.strictness : message, at: location))
    }

    /// The text added to an error that would be a warning without ‘strict’.
    static let strictness = " ‘strict’ makes this an error."

    mutating func note(_ message: String, at location: SourceLocation) {
        add(Diagnostic(.note, message, at: location))
    }
}

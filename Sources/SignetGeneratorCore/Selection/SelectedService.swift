package import SignetWSDL

/// The part of a WSDL that code is made for: the first stage's result.
package struct SelectedService: Sendable {
    package var service: Service
    /// The primary port first; the others speak the same operations.
    package var ports: [BoundPort]
    package var documentation: String?
    package var operations: [SelectedOperation]

    /// Whether the ports are bound to HTTP without SOAP.
    package var isPlainHTTP: Bool { ports.first?.binding.format == .http }

    /// Whether any message is written by the rules of SOAP's encoding, which wants types to be named.
    package var isEncoded: Bool { operations.contains { $0.messages.contains(where: \.isEncoded) } }
}

/// A port together with its binding.
package struct BoundPort: Sendable {
    package var port: Port
    package var binding: Binding
    /// The version of WS-Addressing that it asks for or allows.
    package var addressing: AddressingName?
    /// What the port's policies ask of every call, and what a message may have.
    package var requirements: [PolicyRequirement] = []
    package var accepted: [PolicyRequirement] = []
}

/// A request-response or one-way operation.
package struct SelectedOperation: Sendable {
    /// As the WSDL calls it; overloads share it.
    package var name: String
    /// The name that tells overloads apart.
    package var distinctName: String
    /// Its place among the operations of the portType, by which all bindings know it.
    package var portTypeIndex: Int?
    package var soapAction: String
    /// What WS-Addressing names the messages by; nil where the WSDL does not speak of it.
    package var actions: MessageActions?
    package var style: Binding.Style
    /// How it travels over HTTP without SOAP; nil with SOAP.
    package var http: HTTPExchange?
    package var input: SelectedMessage
    /// Nil for a one-way operation.
    package var output: SelectedMessage?
    package var faults: [SelectedMessage]
    /// The header blocks that go with the input, and with the output.
    package var inputHeaders: [SelectedMessage]
    package var outputHeaders: [SelectedMessage]
    /// The message parts that travel beside the envelopes; nil where none may.
    package var inputAttachments: [String]?
    package var outputAttachments: [String]?
    /// What the operation's policies ask of a call beyond those of the port.
    package var requirements: [PolicyRequirement] = []
    package var documentation: String?
    package var location: SourceLocation

    /// Bodies, faults and header blocks.
    package var messages: [SelectedMessage] {
        [input] + (output.map { [$0] } ?? []) + faults + inputHeaders + outputHeaders
    }
}

/// Collects what is said to the person who runs the generator.
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
    /// Something is left out, which strict options do not allow.
    mutating func leftOut(_ message: String, at location: SourceLocation, isError: Bool) {
        add(Diagnostic(isError ? .error : .warning, isError ? message + Self.strictness : message, at: location))
    }

    /// What is said of an error that is a warning otherwise.
    static let strictness = " ‘strict’ makes this an error."

    mutating func note(_ message: String, at location: SourceLocation) {
        add(Diagnostic(.note, message, at: location))
    }
}

package import SignetWSDL

/// The part of a WSDL that code is made for: the first stage's result.
package struct SelectedService: Sendable {
    package var service: Service
    /// The primary port first; the others speak the same operations.
    package var ports: [BoundPort]
    package var documentation: String?
    package var operations: [SelectedOperation]
}

/// A port together with its binding.
package struct BoundPort: Sendable {
    package var port: Port
    package var binding: Binding
}

/// A request-response or one-way operation, document/literal, whose messages hold one element each.
package struct SelectedOperation: Sendable {
    package var name: String
    package var soapAction: String
    package var input: QName
    /// Nil for a one-way operation.
    package var output: QName?
    package var faults: [QName]
    /// The elements of the header blocks that go with the input, and with the output.
    package var inputHeaders: [QName]
    package var outputHeaders: [QName]
    package var documentation: String?
    package var location: SourceLocation

    /// The elements of bodies, faults and header blocks.
    var elements: [QName] { [input] + (output.map { [$0] } ?? []) + faults + inputHeaders + outputHeaders }
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
    mutating func note(_ message: String, at location: SourceLocation) {
        add(Diagnostic(.note, message, at: location))
    }
}

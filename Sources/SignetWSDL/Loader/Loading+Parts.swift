extension Loading {
    /// Warns of RPC operations whose parts have elements. WSDL 1.1 does not say what the wrapper element then contains
    /// (§3.5), and WS-I forbids it (Basic Profile 1.1, R2203). The loader assumes that the wrapper contains the element
    /// itself.
    mutating func warnOfElementParts() {
        var said: Set<SourceLocation> = []
        for binding in definitions.bindings.values.sorted(by: { $0.name < $1.name }) {
            guard binding.format == .soap11 || binding.format == .soap12 else { continue }
            let abstract = definitions.portTypes[binding.portType]?.operations ?? []
            for bound in binding.operations where (bound.style ?? binding.style) == .rpc {
                for operation in abstract where operation.name == bound.name {
                    let messages = [(operation.input, bound.input), (operation.output, bound.output)]
                    for case (let use?, let how) in messages {
                        for part in elementParts(use, how) where said.insert(part.location).inserted {
                            warn(part, of: bound.name)
                        }
                    }
                }
            }
        }
    }

    /// The parts of a body that name an element.
    private func elementParts(_ use: MessageUse, _ bound: BindingMessage?) -> [Message.Part] {
        let elsewhere =
            (bound?.headers.filter { $0.message == use.message }.map(\.part) ?? []) + (bound?.attachments ?? [])
        return (definitions.messages[use.message]?.parts ?? []).filter { part in
            part.element != nil && bound?.parts?.contains(part.name) ?? !elsewhere.contains(part.name)
        }
    }

    private mutating func warn(_ part: Message.Part, of operation: String) {
        definitions.diagnostics.append(
            Diagnostic(
                .warning,
                "the operation ‘\(operation)’ is bound in RPC style, and its part ‘\(part.name)’ has an element instead of a type "
                    + "(WS-I Basic Profile 1.1, R2203); the element itself is taken to stand in the message.",
                at: part.location, operation: operation))
    }
}

package import SignetWSDL
package import SignetXML

/// Writes the Swift that calls an operation with the generated client.
///
/// Keep one for the calls of a service: what it prepares of a type is never released.
package struct SwiftCallWriter {
    /// A call with more than so many bytes of Swift is not shown.
    package static let mostBytes = 64 << 10

    private let operations: [(selected: SelectedOperation, plan: OperationPlan)]
    /// The name of the client's constant: that of the service.
    package let client: String
    /// The enum around the generated code.
    package let namespace: String
    private var values: PlannedValueReader

    init(_ operations: [SelectedOperation], _ plan: ServicePlan) {
        self.operations = Array(zip(operations, plan.operations))
        let name = SwiftName.member(plan.name)
        // A name without upper and lower case is that of the enum, too; and the call makes another constant.
        client = SwiftName.escaped(name == plan.name || name == "answer" ? name + "Client" : name)
        namespace = plan.name
        values = PlannedValueReader(plan)
    }

    /// The statement that calls an operation:
    ///
    /// ```swift
    /// let answer = try await webEase.logEntryQuery(.init(patientId: "4711"))
    /// ```
    ///
    /// The generated code must be that of the same WSDL and options. What is missing, or no value of its type, becomes a
    /// placeholder, at which the compiler stops.
    ///
    /// - Parameters:
    ///   - name: the operation's name in the WSDL, or that which tells overloads apart.
    ///   - input: the envelope of a call, or the element of its input.
    /// - Returns: nil when the service has no such operation.
    /// - Throws: `XMLError` for an input that is not that of the operation.
    package mutating func call(_ name: String, _ input: [UInt8]) throws(XMLError) -> String? {
        let found =
            operations.first { $0.selected.distinctName == name } ?? operations.first { $0.selected.name == name }
        guard let (selected, plan) = found else { return nil }
        let head =
            (plan.output == nil ? "" : "let answer = ") + "try await \(client).\(plan.name.filter { $0 != "`" })"
        let tooLong = "// \(head)(…) takes more than \(Self.mostBytes >> 10) KiB of Swift.\n"
        // An element takes more bytes than the expression for it, but for indentation and some names.
        guard input.count <= 4 * Self.mostBytes else { return tooLong }
        let element = try Self.element(of: plan.input, in: input)
        let value = try values.message(selected.input.key, plan.input, isEncoded: plan.isEncoded, element)
        let call = SwiftExpression.call(head, value)
        guard call.inOneLine.utf8.count <= Self.mostBytes else { return tooLong }
        let text = call.text("", indent: 0) + "\n"
        return text.utf8.count <= Self.mostBytes ? text : tooLong
    }

    /// The element of a message in an envelope; the body for a message that is its content. Any other element is the
    /// message itself.
    private static func element(of message: MessagePlan, in input: [UInt8]) throws(XMLError) -> [UInt8] {
        let root = try XMLFragment(parsing: input)
        guard root.localName == "Envelope", message.element?.localName != "Envelope",
            let body = root.children.first(where: { $0.localName == "Body" && $0.namespaceURI == root.namespaceURI })
        else { return input }
        return (message.element == nil ? body : body.children.first ?? body).bytes
    }
}

extension Generator {
    /// Prepares for writing calls of a service; nil after an error.
    package static func callWriter(
        _ definitions: WSDLDefinitions, options: GeneratorOptions = .init()
    ) -> (writer: SwiftCallWriter?, diagnostics: [Diagnostic]) {
        let (planned, diagnostics) = plan(definitions, options)
        return (planned.map { SwiftCallWriter($0.selected.operations, $0.plan) }, diagnostics)
    }
}

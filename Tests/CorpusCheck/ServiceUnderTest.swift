import SignetDynamic
import SignetGeneratorCore
package import SignetWSDL
import SignetXML

/// A service with the Swift that was planned for it.
package struct ServiceUnderTest {
    package var name: String
    package var operations: Int
    /// What travels in messages, each once.
    var messages: [MessageUnderTest]
    private let plan: InterpretedPlan
    private let definitions: WSDLDefinitions
    private let options: GeneratorOptions

    /// The services of a WSDL that can be made; what cannot is reported.
    package static func all(
        _ definitions: WSDLDefinitions, _ report: inout CorpusReport
    ) throws -> [ServiceUnderTest] {
        var all: [ServiceUnderTest] = []
        var namespaces: Set<String> = []
        var isAnyUsable = false
        var isAnySOAP = false
        var refusedWithoutSOAP: [String] = []
        for service in definitions.servicesOrBindings {
            // Ports of one port type speak the same operations.
            var portTypes: Set<QName> = []
            // Those with SOAP first: ASP.NET binds the same methods to HTTP as well, as far as they can be said in a
            // URL.
            let ports = service.ports.filter { !definitions.isPlainHTTP($0) }
            for port in ports + service.ports.filter(definitions.isPlainHTTP) {
                guard let binding = definitions.bindings[port.binding], binding.reasonNotUsable == nil else { continue }
                // ASP.NET writes such bindings where no method can be called that way.
                isAnyUsable = true
                if binding.operations.isEmpty || !portTypes.insert(binding.portType).inserted { continue }
                if binding.format != .http { isAnySOAP = true }
                var options = GeneratorOptions()
                options.service = service.name.localName
                options.port = port.name
                var (planned, diagnostics) = Generator.planned(definitions, options: options)
                if let name = planned?.namespace, !namespaces.insert(name).inserted {
                    // All services of a WSDL are compiled together.
                    options.namespace = "\(name)\(all.count)"
                    (planned, diagnostics) = Generator.planned(definitions, options: options)
                }
                let name = "\(service.name.localName)/\(port.name)"
                for diagnostic in diagnostics where diagnostic.severity == .error {
                    if binding.format == .http {
                        refusedWithoutSOAP.append("\(name): \(diagnostic)")
                    } else {
                        report.fail("\(name): \(diagnostic)")
                    }
                }
                guard let planned else { continue }
                all.append(ServiceUnderTest(name, planned, definitions, options))
            }
        }
        for refusal in refusedWithoutSOAP {
            if isAnySOAP { report.note(refusal) } else { report.fail(refusal) }
        }
        if all.isEmpty, report.failures.isEmpty {
            throw CorpusError(isAnyUsable ? "no port that can be used has an operation" : "no port can be used")
        }
        return all
    }

    private init(
        _ name: String, _ planned: Generator.Planned, _ definitions: WSDLDefinitions, _ options: GeneratorOptions
    ) {
        self.name = name
        operations = planned.operations.count
        self.definitions = definitions
        self.options = options
        plan = InterpretedPlan(planned.schema, planned.tables)
        let bodies = planned.operations.flatMap { [$0.input] + ($0.output.map { [$0] } ?? []) }.map(\.key)
        let nillable = planned.schema.nillableMessages.intersection(bodies)
        var seen: Set<TypeKey> = []
        messages = planned.operations.flatMap(\.messages).compactMap { message in
            guard seen.insert(message.key).inserted, let declaration = definitions.schema.declaration(of: message),
                let reference = planned.schema.messages[message.key], let type = planned.messageTypes[message.key]
            else { return nil }
            let isNillable = nillable.contains(message.key)
            return MessageUnderTest(
                declaration: declaration, reference: reference, isEncoded: message.isEncoded, isNillable: isNillable,
                type: isNillable ? "NillableMessage<\(type)>" : type, isDeclared: message.isDeclared,
                isContentOfBody: !message.isDeclared && message.element == nil,
                wrapper: message.isEncoded ? nil : Judges.Wrapper(message.content, named: declaration.name))
        }
    }

    /// The generated code.
    func files(base: String) -> [GeneratedFile] {
        var options = options
        options.access = .internal
        return Generator.generate(definitions, base: base, source: base, options: options).files
    }

    /// Reads an instance and writes it again.
    func roundTrip(_ instance: [UInt8], _ message: MessageUnderTest) throws -> [UInt8] {
        let name = XMLName(message.declaration.name.namespace, message.declaration.name.localName)
        let (reading, writing) = (PlanReader(plan: plan), PlanWriter(plan: plan))
        let read = try XMLReader.read(instance) { (reader) throws(XMLError) in
            if message.isEncoded { reader.tolerance.insert(.namespace) }
            try reader.root()
            let value = try reader.message {
                message.isNillable && $0.takeNilMessage() ? .null : reading.value(message.reference, &$0)
            }
            try reader.finish()
            return value
        }
        guard let read else { throw CorpusError("nothing was read") }
        var writer = XMLWriter()
        writer.writesTypes = message.isEncoded
        writer.message(name) { writing.content(read, &$0) }
        return try writer.finish()
    }

    /// What an instance of a message has lost or won when it is read and written anew.
    package func differences(_ instance: [UInt8]) throws -> [String] {
        let root = try XMLReader.read(instance) { (reader) throws(XMLError) in
            try reader.root()
            return QName(reader.namespaceURI, reader.elementName)
        }
        guard let message = messages.first(where: { $0.declaration.name == root }) else {
            throw CorpusError("no message has the element \(root)")
        }
        var comparison = InstanceComparison(definitions.schema)
        return try comparison.differences(instance, try roundTrip(instance, message), message.declaration)
    }
}

/// What travels in a body, a header block or a fault's detail.
struct MessageUnderTest {
    var declaration: ElementDeclaration
    var reference: BoundReference
    /// Whether it is written by the rules of SOAP's encoding.
    var isEncoded: Bool
    /// Whether the element itself may be nil.
    var isNillable: Bool
    /// The Swift type.
    var type: String
    /// Whether it is an element that a schema declares.
    var isDeclared: Bool
    /// Whether it is what stands in the body, without an element of its own.
    var isContentOfBody: Bool
    /// What tells judges of an element that no schema declares; nil for others, and where no schema can say it.
    var wrapper: Judges.Wrapper?
}

extension SelectedMessage {
    fileprivate var isDeclared: Bool {
        if case .element = content { true } else { false }
    }
}

extension Judges.Wrapper {
    fileprivate init?(_ content: SelectedMessage.Content, named name: QName) {
        self.init(namespace: name.namespace, name: name.localName, type: nil, parts: [])
        switch content {
        case .element: return nil
        case .type(let type): self.type = Part(name: nil, type: type.localName, element: nil, namespace: type.namespace)
        case .parts(let parts):
            for part in parts {
                switch part.content {
                case .element(let name):
                    self.parts.append(
                        Part(name: nil, type: nil, element: name.localName, namespace: name.namespace))
                case .type(let type):
                    self.parts.append(
                        Part(name: part.name, type: type.localName, element: nil, namespace: type.namespace))
                case .items: return nil
                }
            }
        }
    }
}

extension SchemaSet {
    /// The element that a message travels in; for what has none, one made up for it.
    fileprivate func declaration(of message: SelectedMessage) -> ElementDeclaration? {
        switch message.content {
        case .element: elements[message.key.name]
        case .type(let type): .message(message.element ?? message.key.name, type, at: message.location)
        case .parts(let parts):
            .message(
                message.element ?? message.key.name,
                parts.map { part in
                    let content: ElementDeclaration.Accessor.Content =
                        switch part.content {
                        case .element(let name): .element(name)
                        case .type(let type): .type(type, isNillable: false)
                        case .items(let type): .items(type)
                        }
                    return .init(name: part.name, content: content, location: part.location)
                }, at: message.location)
        }
    }
}

#if CommandLine
import SignetWSDL

/// The report as text for a terminal.
struct DescriptionText {
    private let style: Style
    private(set) var lines: [String] = []

    init(_ report: InspectReport, style: Style) {
        self.style = style
        for service in report.services { add(service) }
        if report.services.isEmpty { add("The WSDL has neither a service nor a binding.", at: 0) }
    }

    private mutating func add(_ line: String, at level: Int) {
        lines.append(String(repeating: "  ", count: level) + line)
    }

    private mutating func add(_ service: InspectReport.Service) {
        if !lines.isEmpty { lines.append("") }
        let namespace = style.dim("{\(TerminalText.line(service.namespace))}")
        add("\(style.bold("Service \(TerminalText.line(service.name))"))  \(namespace)", at: 0)
        addDocumentation(service.documentation, at: 1)
        for port in service.ports { add(port) }
        for operation in service.operations { add(operation) }
    }

    private mutating func add(_ port: InspectReport.Port) {
        let address = port.address.map(TerminalText.line) ?? "no address: give one with --endpoint"
        add(
            "\(style.bold("Port \(TerminalText.line(port.name))"))  \(TerminalText.line(port.binding))  \(address)",
            at: 1)
        addDocumentation(port.documentation, at: 2)
        if let reason = port.reasonNotUsable { addWarning("not usable: \(reason)", at: 2) }
        for sentence in port.security { add("asks for: \(TerminalText.line(sentence))", at: 2) }
        addRequirements(port.requirements, port.unsupportedRequirements)
        if !port.acceptedRequirements.isEmpty { add("calls may have: \(Self.list(port.acceptedRequirements))", at: 2) }
    }

    private mutating func add(_ operation: InspectReport.Operation) {
        lines.append("")
        let style = operation.style == "rpc" ? "  RPC style" : ""
        add("\(self.style.bold("Operation \(TerminalText.line(operation.name))"))\(style)", at: 1)
        addDocumentation(operation.documentation, at: 2)
        for sentence in operation.security { add("asks for: \(TerminalText.line(sentence))", at: 2) }
        addRequirements(operation.requirements, operation.unsupportedRequirements)
        if let reason = operation.reasonNotCallable { addWarning("cannot be called: \(reason)", at: 2) }
        for reason in operation.reasonsNotGenerated { addWarning("cannot be generated: \(reason)", at: 2) }
        if let action = operation.soapAction, !action.isEmpty { add("SOAPAction \(TerminalText.line(action))", at: 2) }
        if let input = operation.input { add(input, "input", at: 2) }
        if let output = operation.output {
            add(output, "output", at: 2)
        } else {
            add("no output: it is one-way", at: 2)
        }
        for fault in operation.faults { add(fault, "fault", at: 2) }
    }

    private mutating func addRequirements(_ requirements: [InspectReport.Requirement], _ unsupported: [String]) {
        if !requirements.isEmpty { add("calls need: \(Self.list(requirements))", at: 2) }
        for item in unsupported { addWarning("not done by signet: \(item)", at: 2) }
    }

    private static func list(_ requirements: [InspectReport.Requirement]) -> String {
        requirements.map { TerminalText.line($0.text) }.joined(separator: ", ")
    }

    private mutating func add(_ message: InspectReport.Message, _ title: String, at level: Int) {
        for node in message.headers { add(node, "\(title) header  ", at: level) }
        for node in message.body { add(node, "\(title)  ", at: level) }
        if message.body.isEmpty { add("\(title)  nothing", at: level) }
    }

    private mutating func addDocumentation(_ text: String?, at level: Int) {
        guard let text else { return }
        for line in Self.wrapped(TerminalText.sentence(text), width: 100) { add(style.dim(line), at: level) }
    }

    private mutating func addWarning(_ text: String, at level: Int) {
        add(style.warning(TerminalText.line(text)), at: level)
    }

    /// Adds a node and its children.
    ///
    /// - Parameter ambiguous: the keys that siblings of different namespaces have.
    private mutating func add(
        _ node: SchemaNode, _ before: String, at level: Int, ambiguous: Set<String> = []
    ) {
        let documentation = node.documentation.map { style.dim("  — \(Self.short(TerminalText.sentence($0)))") } ?? ""
        let title = NodeText.title(node, isAmbiguous: node.key.map(ambiguous.contains) ?? false)
        add("\(before)\(TerminalText.line(title))\(documentation)", at: level)
        // The elements of a group are members of the element around it.
        let inside = node.isGroup ? ambiguous : node.ambiguousKeys
        for child in node.children { add(child, "", at: level + 1, ambiguous: inside) }
    }

    /// The beginning of a longer text.
    private static func short(_ text: String) -> String {
        text.count > 100 ? text.prefix(99).trimmed + "…" : text
    }

    /// Lines of at most `width` characters, unless a word is longer.
    static func wrapped(_ text: String, width: Int) -> [String] {
        var lines: [String] = []
        for word in text.split(separator: " ") {
            if let last = lines.last, last.count + 1 + word.count <= width {
                lines[lines.count - 1] = "\(last) \(word)"
            } else {
                lines.append(String(word))
            }
        }
        return lines
    }
}

extension SchemaNode {
    fileprivate var isGroup: Bool {
        switch kind {
        case .sequence, .choice, .all: true
        case .element, .attribute, .any, .anyAttribute: false
        }
    }

    /// Its local name in a value, `@name` for an attribute; nil for a group.
    fileprivate var key: String? { name.map { kind == .attribute ? "@\($0)" : $0 } }

    /// The keys that members of different namespaces have: a value has them with the namespaces.
    fileprivate var ambiguousKeys: Set<String> {
        var found: [String: Set<String>] = [:]
        func collect(_ nodes: [SchemaNode]) {
            for node in nodes {
                if let key = node.key { found[key, default: []].insert(node.namespace ?? "") }
                if node.isGroup { collect(node.children) }
            }
        }
        collect(children)
        return Set(found.filter { $1.count > 1 }.keys)
    }
}

extension Substring {
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return String(text)
    }
}

/// One line for a node: `name? type, rules`.
enum NodeText {
    /// The maximum number of values shown of an enumeration; JSON has all of them.
    private static let shownValues = 20

    /// - Parameter isAmbiguous: whether a sibling of another namespace has the same name.
    static func title(_ node: SchemaNode, isAmbiguous: Bool) -> String {
        let namespace = isAmbiguous ? "{\(node.namespace ?? "")}" : ""
        let name =
            switch node.kind {
            case .element: namespace + (node.name ?? "")
            case .attribute: "@\(namespace)\(node.name ?? "")"
            case .sequence: "all in this order"
            case .choice: "one of"
            case .all: "all in any order"
            case .any: "any element"
            case .anyAttribute: "any attribute"
            }
        var parts = [name + occurrence(node)]
        if let type = node.type { parts.append(node.base.map { "\(type) (\($0))" } ?? type) }
        let remarks = remarks(node)
        return parts.joined(separator: "  ") + (remarks.isEmpty ? "" : "  " + remarks.joined(separator: "; "))
    }

    /// `?`, `*`, `+` or `{2,5}`, as in a regular expression; nothing for exactly one.
    static func occurrence(_ node: SchemaNode) -> String {
        switch (node.minOccurs, node.maxOccurs) {
        case (1, .number(1)): ""
        case (0, .number(1)): "?"
        case (0, .unbounded): "*"
        case (1, .unbounded): "+"
        case (let minimum, .unbounded): "{\(minimum),}"
        case (let minimum, .number(let maximum)): "{\(minimum),\(maximum)}"
        }
    }

    /// A value of a list, in quotes where its ends would not be seen.
    private static func quoted(_ value: String) -> String {
        let isPlain = value.first.map { !$0.isWhitespace } ?? false && value.last?.isWhitespace == false
        return isPlain && !value.contains(", ") ? value : "“\(value)”"
    }

    private static func remarks(_ node: SchemaNode) -> [String] {
        var remarks: [String] = []
        if let values = node.values {
            let more = values.count > shownValues ? ", … (\(values.count) in all)" : ""
            remarks.append("one of: \(values.prefix(shownValues).map(quoted).joined(separator: ", "))\(more)")
        }
        if let rules = node.rules { remarks.append(rules.joined(separator: " ")) }
        if node.nillable == true { remarks.append("nillable") }
        if node.mixed == true { remarks.append("mixed with text") }
        if node.abstract == true { remarks.append("abstract") }
        if let types = node.derivedTypes { remarks.append("or of type \(types.joined(separator: ", "))") }
        if let names = node.substitutes { remarks.append("or \(names.joined(separator: ", "))") }
        if let value = node.default { remarks.append("default “\(value)”") }
        if let value = node.fixed { remarks.append("always “\(value)”") }
        switch node.cut {
        case .recursion: remarks.append("… as above")
        case .depth: remarks.append("… (deeper with --types)")
        case .size: remarks.append("… (too large to show; choose one with --operation)")
        case nil: break
        }
        return remarks
    }
}
#endif

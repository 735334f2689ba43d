/// Compares what two versions of a WSDL promise to callers.
package struct ContractComparison {
    private let old: WSDLDefinitions
    private let new: WSDLDefinitions
    private var types: TypeComparison

    /// The differences, in the order of the old WSDL's services and operations; additions come last.
    package static func changes(from old: WSDLDefinitions, to new: WSDLDefinitions) -> [ContractChange] {
        var comparison = ContractComparison(old: old, new: new, types: TypeComparison(old.schema, new.schema))
        comparison.reportDefects()
        comparison.compareServices()
        comparison.comparePortTypes()
        return comparison.types.changes
    }

    private mutating func report(_ path: [String], _ message: String, isBreaking: Bool) {
        types.report(path, message, isBreaking: isBreaking)
    }

    // MARK: What could not be read

    /// A component that was left out of either version may have changed unnoticed.
    private mutating func reportDefects() {
        for (definitions, version) in [(old, "old"), (new, "new")] {
            for (name, defect) in definitions.defects.sorted(by: { $0.key.sortKey < $1.key.sortKey }) {
                reportDefect(defect, ["\(name.kind.rawValue) \(name.name.localName)"], version)
            }
            for omission in definitions.omissions {
                let message = "not all was compared: \(omission.message) (\(omission.location))"
                report(["the \(version) WSDL"], message, isBreaking: true)
            }
            for portType in definitions.portTypes.values.sorted(by: { $0.name < $1.name }) {
                for operation in portType.operations {
                    if let defect = operation.defect { reportDefect(defect, ["operation \(operation.name)"], version) }
                }
            }
            for binding in definitions.bindings.values.sorted(by: { $0.name < $1.name }) {
                let path = ["binding \(binding.name.localName)"]
                if let defect = binding.defect { reportDefect(defect, path, version) }
                for operation in binding.operations {
                    guard let defect = operation.defect else { continue }
                    reportDefect(defect, path + ["operation \(operation.name)"], version)
                }
            }
        }
    }

    private mutating func reportDefect(_ defect: WSDLError, _ path: [String], _ version: String) {
        report(
            path, "it was not compared: the \(version) WSDL has a defect at \(defect.location): \(defect.reason)",
            isBreaking: true)
    }

    // MARK: Services, ports and bindings

    private mutating func compareServices() {
        for service in old.services {
            let path = ["service \(service.name.localName)"]
            guard let now = new.services.first(where: { $0.name.localName == service.name.localName }) else {
                report(path, "it is gone", isBreaking: true)
                continue
            }
            for port in service.ports {
                let place = path + ["port \(port.name)"]
                guard let other = now.ports.first(where: { $0.name == port.name }) else {
                    report(place, "it is gone", isBreaking: true)
                    continue
                }
                if port.address != other.address {
                    report(
                        place, "its address was \(port.address ?? "not given") and is \(other.address ?? "not given")",
                        isBreaking: true)
                }
                comparePolicies(old.policySummary(of: port), new.policySummary(of: other), place)
                compareBindings(old.bindings[port.binding], new.bindings[other.binding], place)
            }
            for port in now.ports where !service.ports.contains(where: { $0.name == port.name }) {
                report(path + ["port \(port.name)"], "it is new", isBreaking: false)
            }
        }
        for service in new.services
        where !old.services.contains(where: { $0.name.localName == service.name.localName }) {
            report(["service \(service.name.localName)"], "it is new", isBreaking: false)
        }
    }

    private mutating func comparePolicies(_ old: PolicySummary, _ new: PolicySummary, _ path: [String]) {
        if old.isTruncated || new.isTruncated {
            report(
                path,
                "not all was compared: its policies are nested too deeply, or refer to each other too often; compare them by hand",
                isBreaking: true)
        }
        for sentence in new.sentences where !old.sentences.contains(sentence) {
            report(path, "its policy now has: \(sentence)", isBreaking: !sentence.hasSuffix(", optional"))
        }
        for sentence in old.sentences where !new.sentences.contains(sentence) {
            report(path, "its policy does not have any more: \(sentence)", isBreaking: false)
        }
    }

    private mutating func compareBindings(_ first: Binding?, _ second: Binding?, _ path: [String]) {
        guard let first, let second else {
            if first != nil { report(path, "its binding is gone", isBreaking: true) }
            return
        }
        if first.format != second.format || first.transport != second.transport {
            report(path, "it was bound to \(first.shown) and is bound to \(second.shown)", isBreaking: true)
        }
        compare(first.verb ?? "", second.verb ?? "", "its method", path)
        let namesakes = Dictionary(grouping: second.operations, by: \.name)
        for operation in first.operations {
            let place = path + ["operation \(operation.name)"]
            let others = namesakes[operation.name] ?? []
            guard let other = others.first(where: { $0.input?.name == operation.input?.name }) ?? others.first else {
                report(place, "it is not bound any more", isBreaking: true)
                continue
            }
            comparePolicies(
                old.policySummary(of: operation, in: first), new.policySummary(of: other, in: second), place)
            compare(operation.soapAction ?? "", other.soapAction ?? "", "its soapAction", place)
            compare(operation.httpLocation ?? "", other.httpLocation ?? "", "its location", place)
            compare(
                (operation.style ?? first.style).rawValue, (other.style ?? second.style).rawValue, "its style", place)
            compare(operation.input, other.input, .toService, place + ["input"])
            compare(operation.output, other.output, .toCaller, place + ["output"])
        }
    }

    private mutating func compare(_ old: String, _ new: String, _ what: String, _ path: [String]) {
        if old != new { report(path, "\(what) was ‘\(old)’ and is ‘\(new)’", isBreaking: true) }
    }

    private mutating func compare(
        _ first: BindingMessage?, _ second: BindingMessage?, _ direction: MessageDirection, _ path: [String]
    ) {
        // An absent value is compared with the operations.
        guard let first, let second else { return }
        compare(first.use.rawValue, second.use.rawValue, "its use", path)
        compare(first.namespace ?? "", second.namespace ?? "", "its namespace", path)
        compare(first.urlEncoding?.rawValue ?? "", second.urlEncoding?.rawValue ?? "", "its encoding", path)
        let types = { (message: BindingMessage) in message.contents.map { $0.type ?? "" }.joined(separator: ", ") }
        compare(types(first), types(second), "its media type", path)
        if first.parts != second.parts {
            report(path, "other parts of the message form the body", isBreaking: true)
        }
        let (before, after) = (first.headers.map(\.identity), second.headers.map(\.identity))
        for header in before where !after.contains(header) {
            report(path, "the header block ‘\(header)’ is gone", isBreaking: direction == .toCaller)
        }
        for header in after where !before.contains(header) {
            report(path, "the header block ‘\(header)’ is new", isBreaking: direction == .toService)
        }
        for header in first.headers where after.contains(header.identity) {
            compareParts(header.message, header.message, only: header.part, direction, path)
        }
    }

    // MARK: Operations and messages

    private mutating func comparePortTypes() {
        let before = old.portTypes.values.sorted { $0.name < $1.name }
        let after = new.portTypes.values.sorted { $0.name < $1.name }
        for portType in before {
            let namesakes = after.filter { $0.name.localName == portType.name.localName }
            guard let now = namesakes.first(where: { $0.name == portType.name }) ?? namesakes.first else {
                for operation in portType.operations {
                    report(["operation \(operation.name)"], "it is gone", isBreaking: true)
                }
                continue
            }
            compare(portType.operations, now.operations)
        }
        for portType in after where !before.contains(where: { $0.name.localName == portType.name.localName }) {
            for operation in portType.operations {
                report(["operation \(operation.name)"], "it is new", isBreaking: false)
            }
        }
    }

    private mutating func compare(_ before: [Operation], _ after: [Operation]) {
        let namesakes = Dictionary(grouping: after, by: \.name)
        for operation in before {
            let path = ["operation \(operation.name)"]
            let others = namesakes[operation.name] ?? []
            // An overloaded operation is told apart by its input's name (WSDL 1.1 §2.5).
            guard let now = others.first(where: { $0.input?.name == operation.input?.name }) ?? others.first else {
                report(path, "it is gone", isBreaking: true)
                continue
            }
            compare(operation.input, now.input, .toService, path + ["input"])
            compare(operation.output, now.output, .toCaller, path + ["output"])
            for fault in operation.faults {
                guard let other = now.faults.first(where: { $0.name == fault.name }) else {
                    report(path + ["fault \(fault.shown)"], "it is gone", isBreaking: false)
                    continue
                }
                compareParts(fault.message, other.message, .toCaller, path + ["fault \(fault.shown)"])
            }
            for fault in now.faults where !operation.faults.contains(where: { $0.name == fault.name }) {
                // Callers receive it as an undeclared fault.
                report(path + ["fault \(fault.shown)"], "it is new", isBreaking: false)
            }
        }
        let known = Set(before.map(\.name))
        for operation in after where !known.contains(operation.name) {
            report(["operation \(operation.name)"], "it is new", isBreaking: false)
        }
    }

    private mutating func compare(
        _ first: MessageUse?, _ second: MessageUse?, _ direction: MessageDirection, _ path: [String]
    ) {
        switch (first, second) {
        case (let first?, let second?): compareParts(first.message, second.message, direction, path)
        case (.some, nil): report(path, "it is gone", isBreaking: true)
        case (nil, .some): report(path, "it is new", isBreaking: true)
        case (nil, nil): break
        }
    }

    private mutating func compareParts(
        _ first: QName, _ second: QName, only wanted: String? = nil, _ direction: MessageDirection, _ path: [String]
    ) {
        // A message that neither version declares is not compared: its name does not travel.
        guard let oldMessage = old.messages[first] else { return }
        let before = oldMessage.parts.filter { wanted == nil || $0.name == wanted }
        let message = new.messages[second] ?? new.messages.first { $0.key.localName == second.localName }?.value
        let after = message?.parts.filter { wanted == nil || $0.name == wanted } ?? []
        for part in before {
            // A part with an element is identified by the element: the part's own name does not travel.
            let match =
                after.first { $0.element != nil && $0.element == part.element }
                ?? after.first { $0.name == part.name }
                ?? (before.count == 1 && after.count == 1 && part.element != nil ? after.first : nil)
            guard let match else {
                report(path + [part.name], "the part is gone", isBreaking: true)
                continue
            }
            compare(part, match, direction, path)
        }
        for part in after
        where !before.contains(where: { $0.name == part.name || ($0.element != nil && $0.element == part.element) })
            && !(before.count == 1 && after.count == 1 && part.element != nil)
        {
            report(path + [part.name], "the part is new", isBreaking: direction == .toService)
        }
    }

    private mutating func compare(
        _ first: Message.Part, _ second: Message.Part, _ direction: MessageDirection, _ path: [String]
    ) {
        if let a = first.element, let b = second.element {
            let place = path + [a.localName]
            if a != b { report(place, "its element was \(a) and is \(b)", isBreaking: true) }
            guard let before = old.schema.elements[a], let after = new.schema.elements[b] else {
                if (old.schema.elements[a] == nil) != (new.schema.elements[b] == nil) {
                    let isGone = old.schema.elements[a] != nil
                    report(place, isGone ? "it is not declared any more" : "it is declared now", isBreaking: isGone)
                }
                return
            }
            types.compareAll(before, after, direction, place)
        } else if let a = first.type, let b = second.type {
            types.compareAll(.named(a), .named(b), direction, path + [first.name])
        } else {
            report(path + [first.name], "the part has an element in one and a type in the other", isBreaking: true)
        }
    }
}

extension MessageUse {
    fileprivate var shown: String { name ?? message.localName }
}

extension BindingMessage.HeaderUse {
    /// Identifies a header block among the others.
    fileprivate var identity: String { "\(message.localName).\(part)" }
}

extension ComponentName {
    fileprivate var sortKey: String { "\(kind.rawValue) \(name)" }
}

extension Binding {
    fileprivate var shown: String {
        switch format {
        case .soap11: "SOAP 1.1 over ‘\(transport)’"
        case .soap12: "SOAP 1.2 over ‘\(transport)’"
        case .http: "plain HTTP"
        case .other(let namespace): "‘\(namespace)’"
        }
    }
}

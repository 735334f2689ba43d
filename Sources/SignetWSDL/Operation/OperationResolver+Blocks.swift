/// Header blocks and faults.
extension OperationResolver {
    /// The header blocks of a message. A block without a usable type is left out with a warning: callers can still read
    /// it, and send it by name.
    func headers(
        _ uses: [BindingMessage.HeaderUse], _ operation: String, _ remarks: inout [Diagnostic]
    ) -> [ResolvedBlock] {
        var blocks: [ResolvedBlock] = []
        var known: Set<BlockKey> = []
        for header in uses {
            let part = definitions.messages[header.message]?.parts.first { $0.name == header.part }
            let found = part.map { self.blocks($0, header.namespace, header.use) } ?? []
            for block in found {
                if known.insert(BlockKey(block)).inserted {
                    blocks.append(block)
                } else if !blocks.contains(where: { BlockKey($0) == BlockKey(block) && $0.type == block.type }) {
                    remarks.append(
                        Diagnostic(
                            .warning,
                            "the operation ‘\(operation)’: its header block ‘\(header.part)’ has the element \(block.element) of "
                                + "another header block, with another type; it is left out.",
                            at: header.location, operation: operation, isOmission: true))
                }
            }
            guard found.isEmpty else { continue }
            remarks.append(
                Diagnostic(
                    .warning,
                    "the operation ‘\(operation)’: its header block ‘\(header.part)’ \(defect(of: part, header)); "
                        + "it is left out.",
                    at: header.location, operation: operation, isOmission: true))
        }
        return blocks
    }

    private func defect(of part: Message.Part?, _ header: BindingMessage.HeaderUse) -> String {
        guard let part else { return "names a part of \(header.message) that is not there" }
        guard let element = part.element else { return "has neither element nor type" }
        return definitions.schema.elements[element] == nil
            ? "has the element \(element), which is not there\(definitions.schema.hint(missingElement: element))"
            : "has the element \(element), which is abstract, and no other stands for it"
    }

    /// The faults of an operation. A fault without a usable type is left out with a warning: callers receive it as an
    /// undeclared fault.
    func faults(
        of abstract: Operation, _ bound: BindingOperation, _ remarks: inout [Diagnostic]
    ) -> [ResolvedFault] {
        var faults: [ResolvedFault] = []
        // An element that a fault names itself takes precedence over a substitute for another fault's element: it may
        // have its own action.
        var substitutes: [ResolvedFault] = []
        for fault in abstract.faults {
            let message = definitions.messages[fault.message]
            let written = bound.faults.first { $0.name == fault.name }
            let part = message?.parts.count == 1 ? message?.parts.first : nil
            let details = part.map { blocks($0, written?.namespace, written?.use ?? .literal) } ?? []
            if details.isEmpty {
                remarks.append(
                    Diagnostic(
                        .warning,
                        "the fault ‘\(fault.name ?? fault.message.localName)’ of the operation ‘\(abstract.name)’ "
                            + "has no single element or type that is there; it arrives as an undeclared fault.",
                        at: fault.location,
                        operation: abstract.name))
            }
            for detail in details {
                let resolved = ResolvedFault(block: detail, action: abstract.action(of: fault, in: binding.portType))
                if let named = part?.element, detail.element != named {
                    substitutes.append(resolved)
                } else {
                    faults.append(resolved)
                }
            }
        }
        return distinct(faults + substitutes, abstract, &remarks)
    }

    /// Lists each detail once. A receiver cannot tell two types with one element name apart: such faults are left
    /// undeclared.
    private func distinct(
        _ faults: [ResolvedFault], _ abstract: Operation, _ remarks: inout [Diagnostic]
    ) -> [ResolvedFault] {
        let types = Dictionary(grouping: faults, by: \.block.element).mapValues { Set($0.map(\.block.type)) }
        for (element, several) in types.sorted(by: { $0.key < $1.key }) where several.count > 1 {
            let names = several.compactMap { $0?.localName }.sorted()
            remarks.append(
                Diagnostic(
                    .warning,
                    "faults of the operation ‘\(abstract.name)’ have a detail called ‘\(element.localName)’ "
                        + "of the types \(names.quotedList(limit: 20)), which cannot be told apart; they arrive as "
                        + "undeclared faults.",
                    at: abstract.location, operation: abstract.name))
        }
        var known: Set<BlockKey> = []
        return faults.filter { fault in
            types[fault.block.element]?.count == 1 && known.insert(BlockKey(fault.block)).inserted
        }
    }

    /// A header block or the content of a fault's detail: a global element, each of its substitutes (XML Schema Part 1
    /// §3.3.6), or an element with the name of the part, in the namespace that the binding gives (WSDL 1.1 §3.6, §3.7).
    private func blocks(
        _ part: Message.Part, _ namespace: String?, _ use: BindingMessage.Use
    ) -> [ResolvedBlock] {
        if let name = part.element {
            let elements = definitions.schema.elements[name].map(definitions.schema.substitutes) ?? []
            return elements.map {
                ResolvedBlock(element: $0.name, isEncoded: use == .encoded, location: part.location)
            }
        }
        guard let type = part.type else { return [] }
        let element = QName(namespace ?? "", part.name)
        return [ResolvedBlock(element: element, type: type, isEncoded: use == .encoded, location: part.location)]
    }
}

/// Identifies a block among those of one message.
private struct BlockKey: Hashable {
    var element: QName
    var isEncoded: Bool

    init(_ block: ResolvedBlock) { (element, isEncoded) = (block.element, block.isEncoded) }
}

import SignetSOAP
import SignetWSDL

/// Turns the header blocks of a message into values, and values into header blocks.
struct HeaderValues {
    let schema: SchemaSet
    /// The name of the operation, for errors.
    let operation: String
    /// The blocks that the operation declares for the message.
    let declared: [PlannedBlock]

    /// - Parameter value: an object with the names of the blocks as keys.
    func blocks(of value: DynamicValue, in version: SOAPVersion) throws(DynamicError) -> [HeaderBlock] {
        guard case .object(let members) = value else {
            throw DynamicError(.invalidValue, "the header blocks must be an object with their names as keys.")
        }
        var blocks: [HeaderBlock] = []
        for member in members {
            let block = try block(called: member.name)
            var encoder = Encoder(schema, encoding: block.isEncoded ? version : nil)
            // An array in SOAP's encoding is one block.
            let values: [DynamicValue] =
                if !block.isEncoded, case .array(let values) = member.value { values } else { [member.value] }
            for value in values { blocks.append(HeaderBlock(try encoder.fragment(block.element, value))) }
        }
        return blocks
    }

    /// The element of a header block: one that the operation declares, or any other of the schema.
    private func block(called key: String) throws(DynamicError) -> PlannedBlock {
        let wanted = ElementKey.name(key)
        let declared = declared.filter { block in wanted.map { $0 == block.name } ?? (block.name.localName == key) }
        if declared.count == 1, let only = declared.first { return only }
        let known = schema.elements.values.filter { wanted == $0.name || $0.name.localName == key }
        if known.count == 1, let only = known.first { return PlannedBlock(element: only, isEncoded: false) }
        if let wanted, XMLName.isNCName(wanted.localName), !wanted.namespace.isEmpty {
            return PlannedBlock(element: .undeclared(wanted), isEncoded: false)
        }
        let names = ElementKey.texts(of: self.declared.map(\.name))
        throw DynamicError(
            .unknownName,
            known.isEmpty
                ? "there is no header block ‘\(key)’\(NearMatch.hint(key, among: names)) The operation ‘\(operation)’ "
                    + (names.isEmpty ? "declares none" : "declares \(names.quotedList())")
                    + "; write the name of one that no schema has as ‘{namespace}name’."
                : "several elements are called ‘\(key)’: write one of \(known.map { ElementKey.expandedName($0.name) }.sorted().quotedList())."
        )
    }

    /// An object with the names of the blocks as keys.
    func value(of blocks: [ReceivedHeaderBlock]) throws -> DynamicValue {
        let names = blocks.map { QName($0.namespaceURI, $0.localName) }
        var members: [DynamicValue.Member] = []
        for (block, name) in zip(blocks, names) {
            let known = known(name)
            var decoder = Decoder(schema, isEncoded: known.isEncoded)
            let value = try decoder.value(try XMLTree(block.fragment), known.element)
            let key = ElementKey.text(name, among: names)
            // A block that occurs twice is rare: the first one counts.
            if !members.contains(where: { $0.name == key }) { members.append(.init(key, value)) }
        }
        return .object(members)
    }

    /// The block as the operation declares it, otherwise as the schema does.
    private func known(_ name: QName) -> PlannedBlock {
        declared.first { $0.name == name }
            ?? PlannedBlock(element: schema.elements[name] ?? .undeclared(name), isEncoded: false)
    }
}

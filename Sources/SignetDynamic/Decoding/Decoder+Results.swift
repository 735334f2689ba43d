import SignetSOAP
import SignetWSDL

extension Decoder {
    /// Renames the values in the answer of a remote procedure to the names that their type declares: their namespaces
    /// have no meaning, nor has the name of a single value (SOAP 1.1 §7.1).
    mutating func nameValues(in tree: inout XMLTree, _ declaration: ElementDeclaration) throws(DynamicError) {
        guard case .complex(let shape) = try types.shape(of: declaration.type), shape.wildcards.isEmpty else { return }
        let values = tree.content.indices.filter { index in
            guard case .element(let child) = tree.content[index] else { return false }
            // The element that names the value does not count (SOAP 1.2 Part 2 §4.2.1).
            return child.name.namespace != XMLReader.procedures
        }
        let only = shape.uses.count == 1 && values.count == 1 ? shape.uses.first : nil
        for index in values {
            guard case .element(var value) = tree.content[index], shape.use(of: value.name) == nil,
                let use = only ?? shape.use(key: value.name.localName)
            else { continue }
            value.name = use.element.name
            tree.content[index] = .element(value)
        }
    }
}

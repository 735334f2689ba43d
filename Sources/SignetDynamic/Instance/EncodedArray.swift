import SignetWSDL

/// An array of SOAP's encoding (SOAP 1.1 §5.4.2), as a schema declares it.
struct EncodedArray {
    /// The type of the innermost items, which are no arrays themselves, and its name in `arrayType`.
    var item: TypeReference
    var itemName: QName
    /// The ranks of the arrays around an array, the innermost last: `[]`, `[,]`.
    var ranks: [String]
    /// The name of its items.
    var element: QName

    static let arrayType = QName(Namespaces.soapEncoding11, "arrayType")

    var dimensions: Int { 1 + (ranks.last?.filter { $0 == "," }.count ?? 0) }

    /// The type of its items when they are arrays; nil when they are not.
    var items: EncodedArray? {
        guard ranks.count > 1 else { return nil }
        var inner = self
        inner.ranks.removeLast()
        inner.element = QName("", "item")
        return inner
    }

    /// The declaration of the items, when they are no arrays.
    var declaration: ElementDeclaration {
        var declaration = ElementDeclaration.message(
            element, itemName, isNillable: true, at: SourceLocation(file: ""))
        declaration.type = item
        return declaration
    }
}

extension SchemaSet {
    /// The array that a type describes; nil when the type is no array.
    func encodedArray(_ reference: TypeReference) -> EncodedArray? {
        let type: ComplexType
        switch reference {
        case .anonymous(.complex(let anonymous)): type = anonymous
        case .named(let name):
            guard case .complex(let named)? = types[name] else { return nil }
            type = named
        default: return nil
        }
        guard case .derived(let base, _, let particle) = type.content, base.localName == "Array",
            Namespaces.soapEncodings.contains(base.namespace)
        else { return nil }
        let anyType = QName(Namespaces.schema, "anyType")
        var array = EncodedArray(
            item: .named(anyType), itemName: anyType, ranks: ["[]"], element: QName("", "item"))
        let element = particle.flatMap(Self.onlyElement)
        if let element { array.element = element.name }
        if let declared = type.attributes.uses.lazy.compactMap(\.arrayType).first {
            array.item = .named(declared.item)
            array.itemName = declared.item
            array.ranks = declared.ranks
        } else if let element {
            array.item = element.type
            if case .named(let name) = element.type { array.itemName = name }
        }
        return array
    }

    private static func onlyElement(of particle: Particle) -> ElementDeclaration? {
        var particle = particle
        while case .group(_, let parts) = particle.term, parts.count == 1, let part = parts.first { particle = part }
        if case .element(let element) = particle.term { return element }
        return nil
    }
}

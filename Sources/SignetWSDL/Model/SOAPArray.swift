/// An array of SOAP's encoding (SOAP 1.1 §5.4.2, SOAP 1.2 Part 2 §3.1.6).
package struct SOAPArray: Sendable {
    /// More dimensions are not taken apart.
    package static let maximumDimensions = 8

    /// What an item is, under the name that the type gives it; the names of those that arrive say nothing.
    package var item: ElementDeclaration
    /// The type that `arrayType` names.
    package var itemType: QName
    /// What stands between that type and the size, one for each array around an array: `[]`.
    package var ranks: [String]
    /// How many dimensions the array itself has.
    package var dimensions: Int

    /// Nil for a type that is no array.
    package init?(_ type: ComplexType) {
        var element: ElementDeclaration?
        var declared: AttributeUse.ArrayType?
        if case .derived(let base, _, let particle) = type.content, base.isArray {
            element = particle?.onlyElement
            declared = type.attributes.uses.lazy.compactMap(\.arrayType).first
        } else if type.name?.isArray != true {
            return nil
        }
        self.init(declared, element, at: type.location)
    }

    /// An array as its `arrayType` says.
    package init(
        _ declared: AttributeUse.ArrayType?, _ element: ElementDeclaration? = nil, at location: SourceLocation
    ) {
        // Of several, the last says how large the array itself is (SOAP 1.1 §5.4.2).
        let all = declared?.ranks ?? ["[]"]
        ranks = Array(all.dropLast())
        dimensions = 1 + (all.last?.filter { $0 == "," }.count ?? 0)
        itemType = QName(Namespaces.schema, "anyType")
        var type = element?.type ?? .unspecified
        if let declared {
            itemType = declared.item
            type = ranks.isEmpty ? .named(itemType) : .array(of: itemType, ranks.joined(), at: location)
        } else if case .named(let name) = type {
            itemType = name
        }
        item = ElementDeclaration(
            name: element?.name ?? QName("", "item"), type: type, isNillable: true, isAbstract: false,
            documentation: element?.documentation, location: element?.location ?? location)
    }
}

extension QName {
    /// Whether it names the type that arrays are derived from.
    fileprivate var isArray: Bool { localName == "Array" && Namespaces.soapEncodings.contains(namespace) }
}

extension TypeReference {
    /// An array that no schema names: the items of an array of arrays.
    fileprivate static func array(of item: QName, _ ranks: String, at location: SourceLocation) -> TypeReference {
        let encoding = Namespaces.soapEncoding11
        var attributes = AttributeGroup()
        attributes.uses = [
            AttributeUse(
                kind: .reference(QName(encoding, "arrayType")), isRequired: false, isProhibited: false,
                location: location, arrayType: .init(item: item, dimensions: ranks))
        ]
        return .anonymous(
            .complex(
                ComplexType(
                    isAbstract: false, isMixed: false,
                    content: .derived(base: QName(encoding, "Array"), method: .restriction, particle: nil),
                    attributes: attributes, location: location)))
    }
}

extension Particle {
    /// The element that a content model is made of, if it is only one.
    fileprivate var onlyElement: ElementDeclaration? {
        var particle = self
        for _ in 0..<8 {
            switch particle.term {
            case .element(let element): return element
            case .group(_, let parts):
                guard parts.count == 1, let part = parts.first else { return nil }
                particle = part
            default: return nil
            }
        }
        return nil
    }
}

/// An array of SOAP's encoding (SOAP 1.1 §5.4.2, SOAP 1.2 Part 2 §3.1.6).
package struct SOAPArray: Sendable {
    /// The maximum number of dimensions; arrays with more are not supported.
    package static let maximumDimensions = 8

    /// The declaration of an item, with the name that the type gives it. The names of received items have no meaning.
    package var item: ElementDeclaration
    /// The type that `arrayType` names.
    package var itemType: QName
    /// The brackets between that type and the size, one entry for each array of arrays: `[]`.
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

    /// Creates the array that an `arrayType` describes.
    package init(
        _ declared: AttributeUse.ArrayType?, _ element: ElementDeclaration? = nil, at location: SourceLocation
    ) {
        // The last of several brackets gives the size of the array itself (SOAP 1.1 §5.4.2).
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
    /// Whether it is the name of the base type of arrays.
    fileprivate var isArray: Bool { localName == "Array" && Namespaces.soapEncodings.contains(namespace) }
}

extension TypeReference {
    /// The type of the items of an array of arrays, which no schema declares.
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
    /// The element of a content model that consists of one element; otherwise nil.
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

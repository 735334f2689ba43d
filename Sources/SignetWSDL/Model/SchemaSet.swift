/// The components of all schemas of a WSDL, by name (XML Schema Part 1 §2.2).
package struct SchemaSet: Sendable {
    package var elements: [QName: ElementDeclaration] = [:]
    package var types: [QName: TypeDefinition] = [:]
    package var attributes: [QName: AttributeDeclaration] = [:]
    package var groups: [QName: Particle] = [:]
    package var attributeGroups: [QName: AttributeGroup] = [:]
    /// The members of substitution groups by their head.
    package var substitutions: [QName: [QName]] = [:]
    /// Imports that were not read because they do not name a file in the folder.
    package var unreadImports: [UnreadImport] = []

    /// The base type that a simple type reaches through derivation steps without facets, at most a hundred; the type
    /// itself when its first step has facets.
    package func skippingTrivialSteps(_ reference: TypeReference) -> TypeReference {
        var end = reference
        for _ in 0..<100 {
            let definition: TypeDefinition? =
                switch end {
                case .named(let name): types[name]
                case .anonymous(let type): type
                case .unspecified: nil
                }
            guard case .simple(let type)? = definition, case .restriction(let base, let facets) = type.variety,
                facets.isEmpty, case .named = base
            else { break }
            end = base
        }
        return end
    }

    /// Whether other elements may replace this one: it is abstract, or the head of a substitution group (XML Schema
    /// Part 1 §3.3.6).
    package func isReplaceable(_ name: QName) -> Bool {
        elements[name]?.isAbstract == true || substitutions[name] != nil
    }

    /// The elements that may occur in place of an element: itself first unless it is abstract, then the members of its
    /// substitution group, and their members.
    package func substitutes(of head: ElementDeclaration) -> [ElementDeclaration] {
        var result = head.isAbstract ? [] : [head]
        var passed: Set<QName> = [head.name]
        var open = [head.name]
        while let next = open.popLast() {
            for name in (substitutions[next] ?? []).sorted() where passed.insert(name).inserted {
                guard let member = elements[name] else { continue }
                if !member.isAbstract { result.append(member) }
                open.append(name)
            }
        }
        return result
    }

    /// Gives the head's type to members of substitution groups that have no type (XML Schema Part 1 §3.3.2).
    mutating func inheritTypes() {
        func isTyped(_ name: QName) -> Bool {
            if case .unspecified? = elements[name]?.type { false } else { elements[name] != nil }
        }
        var open = substitutions.keys.filter(isTyped)
        while let head = open.popLast() {
            guard let type = elements[head]?.type else { continue }
            for name in substitutions[head] ?? [] where elements[name] != nil && !isTyped(name) {
                elements[name]?.type = type
                open.append(name)
            }
        }
    }

    /// The global attribute with this name; `xml:lang` and its like need no schema (XML 1.0 §2.10, §2.12).
    package func attribute(_ name: QName) -> AttributeDeclaration? {
        if let found = attributes[name] { return found }
        guard name.namespace == Namespaces.xml else { return nil }
        return AttributeDeclaration(
            name: name, type: .named(QName(Namespaces.schema, "string")), location: SourceLocation(file: name.namespace)
        )
    }

    package struct UnreadImport: Sendable {
        package var namespace: String
        package var address: String
        package var location: SourceLocation
    }
}

/// An `element`, global or local.
package struct ElementDeclaration: Sendable {
    /// A local element that is unqualified is in no namespace.
    package var name: QName
    package var type: TypeReference
    package var isNillable: Bool
    package var isAbstract: Bool
    package var substitutionGroup: QName?
    package var preset: Preset?
    package var documentation: String?
    package var location: SourceLocation
}

extension ElementDeclaration {
    /// The declaration assumed for an element that no schema declares (XML Schema Part 1 §3.4.7): it may hold anything.
    package static func undeclared(_ name: QName) -> ElementDeclaration {
        ElementDeclaration(
            name: name, type: .unspecified, isNillable: true, isAbstract: false,
            location: SourceLocation(file: name.namespace))
    }

    /// The element of a header block or a fault whose part has a type (WSDL 1.1 §3.6, §3.7).
    package static func block(_ name: QName, type: QName, at location: SourceLocation) -> ElementDeclaration {
        ElementDeclaration(name: name, type: .named(type), isNillable: false, isAbstract: false, location: location)
    }
}

/// A default or fixed value.
package enum Preset: Sendable, Hashable {
    case byDefault(String)
    case fixed(String)

    package var text: String {
        switch self {
        case .byDefault(let text), .fixed(let text): text
        }
    }
}

/// How an element, an attribute or a derivation refers to a type.
package indirect enum TypeReference: Sendable {
    case named(QName)
    case anonymous(TypeDefinition)
    /// The schema names no type: `xs:anyType`, or `xs:anySimpleType` for an attribute.
    case unspecified
}

package enum TypeDefinition: Sendable {
    case simple(SimpleType)
    case complex(ComplexType)

    package var location: SourceLocation {
        switch self {
        case .simple(let type): type.location
        case .complex(let type): type.location
        }
    }
}

/// An `attribute` declaration.
package struct AttributeDeclaration: Sendable {
    package var name: QName
    package var type: TypeReference
    package var preset: Preset?
    package var documentation: String?
    package var location: SourceLocation
}

/// The use of an attribute in a complex type.
package struct AttributeUse: Sendable {
    package enum Kind: Sendable {
        case declared(AttributeDeclaration)
        case reference(QName)
    }

    package var kind: Kind
    package var isRequired: Bool
    package var isProhibited: Bool
    /// Overrides the value of the referenced declaration.
    package var preset: Preset?
    package var documentation: String?
    package var location: SourceLocation
    /// The value of `wsdl:arrayType` (WSDL 1.1 §2.2).
    package var arrayType: ArrayType?

    /// The items of an array and its dimensions as SOAP 1.1 §5.4.2 writes them: `[]`, `[,]`, `[][]`, `[3]`.
    package struct ArrayType: Sendable, Hashable {
        package var item: QName
        package var dimensions: String
        /// One for each array around an array, the innermost last, without sizes: `[]`, `[,]`.
        package var ranks: [String] {
            let all = dimensions.split(separator: "[").map { "[" + $0.filter { $0 == "," || $0 == "]" } }
            return all.isEmpty ? ["[]"] : all
        }

        package init(item: QName, dimensions: String) {
            self.item = item
            self.dimensions = dimensions
        }
    }
}

/// The attributes of a complex type or of an `attributeGroup`.
package struct AttributeGroup: Sendable {
    package var uses: [AttributeUse] = []
    package var groups: [GroupUse] = []
    /// `xs:anyAttribute`.
    package var anyAttribute: Wildcard?

    /// The place of an `anyAttribute`.
    package var wildcard: SourceLocation? { anyAttribute?.location }

    package init() {}

    package struct GroupUse: Sendable {
        package var name: QName
        package var location: SourceLocation
    }
}

/// The components of all schemas of a WSDL, by name (XML Schema Part 1 §2.2).
package struct SchemaSet: Sendable {
    package var elements: [QName: ElementDeclaration] = [:]
    package var types: [QName: TypeDefinition] = [:]
    package var attributes: [QName: AttributeDeclaration] = [:]
    package var groups: [QName: Particle] = [:]
    package var attributeGroups: [QName: AttributeGroup] = [:]
    /// The members of substitution groups by their head.
    package var substitutions: [QName: [QName]] = [:]
    /// Components that an `xs:redefine` changes, with its place.
    package var redefined: [QName: SourceLocation] = [:]
    /// Imports that were not read because they do not name a file in the folder.
    package var unreadImports: [UnreadImport] = []

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

/// A value that a schema gives in advance.
package enum Preset: Sendable, Hashable {
    case byDefault(String)
    case fixed(String)
}

/// What an element, an attribute or a derivation says about a type.
package indirect enum TypeReference: Sendable {
    case named(QName)
    case anonymous(TypeDefinition)
    /// Nothing was said: `xs:anyType`, or `xs:anySimpleType` for an attribute.
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

/// What a complex type says about an attribute.
package struct AttributeUse: Sendable {
    package enum Kind: Sendable {
        case declared(AttributeDeclaration)
        case reference(QName)
    }

    package var kind: Kind
    package var isRequired: Bool
    package var isProhibited: Bool
    /// Overrides what a referenced declaration says.
    package var preset: Preset?
    package var documentation: String?
    package var location: SourceLocation
}

/// The attributes of a complex type or of an `attributeGroup`.
package struct AttributeGroup: Sendable {
    package var uses: [AttributeUse] = []
    package var groups: [GroupUse] = []
    /// The place of an `anyAttribute`.
    package var wildcard: SourceLocation?

    package init() {}

    package struct GroupUse: Sendable {
        package var name: QName
        package var location: SourceLocation
    }
}

import SignetXML

/// A complex type (XML Schema Part 1 §3.4).
package struct ComplexType: Sendable {
    package enum Content: Sendable {
        case empty
        case particle(Particle)
        /// Text of a simple type. The base may also be a complex type with simple content; see ``textType``.
        case simple(base: TypeReference, method: Derivation)
        /// Derived from another complex type; the particle is that of the derivation alone.
        case derived(base: QName, method: Derivation, particle: Particle?)
    }

    package enum Derivation: String, Sendable, Hashable {
        case `extension`, restriction
    }

    /// Nil for an anonymous type.
    package var name: QName?
    package var isAbstract: Bool
    package var isMixed: Bool
    package var content: Content
    package var attributes: AttributeGroup
    package var documentation: String?
    package var location: SourceLocation
    /// The facets that a restriction of simple content adds.
    package var simpleContentFacets: [Facet] = []
    /// The type of the text that a restriction of simple content declares in place of its base's.
    package var simpleContentType: SimpleType?

    /// The type of the text of simple content, or the type that it restricts; nil for complex content.
    package var textType: TypeReference? {
        guard case .simple(let base, _) = content else { return nil }
        return simpleContentType.map { .anonymous(.simple($0)) } ?? base
    }
}

/// A part of a content model and how often it may occur (XML Schema Part 1 §3.9).
package struct Particle: Sendable {
    package indirect enum Term: Sendable {
        case element(ElementDeclaration)
        case reference(QName)
        case group(Compositor, [Particle])
        case groupReference(QName)
        /// `xs:any`.
        case wildcard(Wildcard)
    }

    package enum Compositor: String, Sendable, Hashable {
        case sequence, choice, all
    }

    package var term: Term
    package var minimum: Int
    /// Nil for `unbounded`.
    package var maximum: Int?
    package var documentation: String?
    package var location: SourceLocation
}

/// A simple type (XML Schema Part 2 §4.1).
package struct SimpleType: Sendable {
    package enum Variety: Sendable {
        case restriction(base: TypeReference, facets: [Facet])
        case list(item: TypeReference)
        case union(members: [TypeReference])
    }

    /// Nil for an anonymous type.
    package var name: QName?
    package var variety: Variety
    package var documentation: String?
    package var location: SourceLocation

    /// The values of an enumeration; empty when the type has no enumeration.
    package var enumeration: [Facet] {
        guard case .restriction(_, let facets) = variety else { return [] }
        return facets.filter { $0.name == "enumeration" }
    }
}

/// A facet such as `enumeration`, `pattern` or `maxLength`.
package struct Facet: Sendable {
    package var name: String
    package var value: String
    package var documentation: String?
    package var location: SourceLocation
    /// The value as a qualified name, when it has a prefix that is declared at its place.
    package var qualifiedName: QName?
    /// The default namespace at the value's place; empty for no namespace.
    package var defaultNamespace = ""

    /// The value as an `xs:QName` or `xs:NOTATION` (XML Schema Part 2 §3.2.18); nil when it is not a name, or its
    /// prefix is not declared.
    package var nameValue: QName? {
        let name = value.trimmedXMLSpace
        return qualifiedName ?? (XMLName.isNCName(name) ? QName(defaultNamespace, name) : nil)
    }
}

/// The names that `xs:any` or `xs:anyAttribute` allows (XML Schema Part 1 §3.10).
package struct Wildcard: Sendable {
    package enum Namespaces: Sendable, Hashable {
        /// `##any`.
        case any
        /// `##other`: every namespace but this one; names without a namespace are not allowed either.
        case other(than: String)
        /// These namespaces; the empty string stands for no namespace.
        case these([String])
    }

    package enum Processing: String, Sendable, Hashable {
        /// The content must be declared.
        case strict
        /// The content must be valid if it is declared.
        case lax
        /// The content only has to be well-formed.
        case skip
    }

    package var namespaces: Namespaces
    package var processing: Processing
    package var location: SourceLocation

    /// The intersection, with this wildcard's processing (XML Schema Part 1 §3.10.6). For two different `##other`,
    /// whose intersection no wildcard expresses, the result is this one.
    package func intersected(with other: Wildcard) -> Wildcard {
        var result = self
        switch (namespaces, other.namespaces) {
        case (.any, let namespaces): result.namespaces = namespaces
        case (_, .any): break
        case (.these(let own), .these(let list)): result.namespaces = .these(own.filter(list.contains))
        case (.these(let own), .other): result.namespaces = .these(own.filter(other.allows))
        case (.other, .these(let list)): result.namespaces = .these(list.filter(allows))
        case (.other(let own), .other(let than)): if own.isEmpty { result.namespaces = .other(than: than) }
        }
        return result
    }

    /// The union, with this wildcard's processing (§3.10.6). Where no wildcard expresses the union, the result allows
    /// slightly more.
    package func united(with other: Wildcard) -> Wildcard {
        var result = self
        switch (namespaces, other.namespaces) {
        case (.any, _), (_, .any): result.namespaces = .any
        case (.these(let own), .these(let list)): result.namespaces = .these(own + list.filter { !own.contains($0) })
        case (.other(let own), .other(let than)): if own != than { result.namespaces = .other(than: "") }
        case (.these(let list), .other(let than)), (.other(let than), .these(let list)):
            result.namespaces = list.contains("") ? .any : .other(than: list.contains(than) ? "" : than)
        }
        return result
    }

    package func allows(_ namespace: String) -> Bool {
        switch namespaces {
        case .any: true
        case .other(let excluded): namespace != excluded && !namespace.isEmpty
        case .these(let list): list.contains(namespace)
        }
    }
}

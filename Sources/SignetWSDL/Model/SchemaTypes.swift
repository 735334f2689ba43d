import SignetXML

/// A complex type (XML Schema Part 1 §3.4).
package struct ComplexType: Sendable {
    package enum Content: Sendable {
        case empty
        case particle(Particle)
        /// Text of a simple type, which a complex type with simple content may stand for; see ``textType``.
        case simple(base: TypeReference, method: Derivation)
        /// Derived from another complex type; what the derivation itself says.
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
    /// What a restriction of simple content adds.
    package var simpleContentFacets: [Facet] = []
    /// The type of the text that a restriction of simple content gives instead of its base's.
    package var simpleContentType: SimpleType?

    /// What the text of simple content is, or is restricted from; nil for complex content.
    package var textType: TypeReference? {
        guard case .simple(let base, _) = content else { return nil }
        return simpleContentType.map { .anonymous(.simple($0)) } ?? base
    }
}

/// A part of a content model and how often it may stand (XML Schema Part 1 §3.9).
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

    /// The values of an enumeration; empty when there is none.
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
    /// The value as a qualified name, when it has a prefix that is declared where it stands.
    package var qualifiedName: QName?
    /// What a name without a prefix is in where the value stands; empty for no namespace.
    package var defaultNamespace = ""

    /// What the value means as an `xs:QName` or `xs:NOTATION` (XML Schema Part 2 §3.2.18); nil when it is no name, or nothing
    /// declares its prefix.
    package var nameValue: QName? {
        let name = value.trimmedXMLSpace
        return qualifiedName ?? (XMLName.isNCName(name) ? QName(defaultNamespace, name) : nil)
    }
}

/// What `xs:any` or `xs:anyAttribute` lets in (XML Schema Part 1 §3.10).
package struct Wildcard: Sendable {
    package enum Namespaces: Sendable, Hashable {
        /// `##any`.
        case any
        /// `##other`: every namespace but this one; no namespace is not let in either.
        case other(than: String)
        /// These; the empty name is no namespace.
        case these([String])
    }

    package enum Processing: String, Sendable, Hashable {
        /// What is let in must be declared.
        case strict
        /// What is let in must be valid if it is declared.
        case lax
        /// What is let in only has to be well-formed.
        case skip
    }

    package var namespaces: Namespaces
    package var processing: Processing
    package var location: SourceLocation

    /// What both let in, processed as this one says (XML Schema Part 1 §3.10.6). Of two different `##other`, which no wildcard
    /// can be, this one.
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

    /// What either lets in, processed as this one says (§3.10.6). What no wildcard can be lets in a little more.
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

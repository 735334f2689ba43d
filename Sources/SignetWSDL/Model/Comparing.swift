/// A component that can be compared with another one of its kind; location and documentation do not count.
protocol Comparing {
    /// Writes its whole meaning to `text`, in an order that does not depend on the notation.
    func describe(to text: inout String)
}

extension Comparing {
    func saysTheSame(as other: Self) -> Bool {
        var (mine, its) = ("", "")
        describe(to: &mine)
        other.describe(to: &its)
        return mine == its
    }
}

extension String {
    /// Adds values, separated unambiguously whatever text they contain.
    fileprivate mutating func add(_ values: Any?...) {
        for value in values {
            let shown = value.map { "\($0)" } ?? "-"
            self += "\(shown.utf8.count):\(shown) "
        }
    }

    fileprivate mutating func add(_ parts: [some Comparing]) {
        self += "("
        for part in parts { part.describe(to: &self) }
        self += ")"
    }
}

extension ElementDeclaration: Comparing {
    func describe(to text: inout String) {
        text.add(name, isNillable, isAbstract, substitutionGroup, preset)
        type.describe(to: &text)
    }
}

extension AttributeDeclaration: Comparing {
    func describe(to text: inout String) {
        text.add(name, preset)
        type.describe(to: &text)
    }
}

extension TypeReference: Comparing {
    func describe(to text: inout String) {
        switch self {
        case .named(let name): text.add("named", name)
        case .anonymous(let type): type.describe(to: &text)
        case .unspecified: text.add("unspecified")
        }
    }
}

extension TypeDefinition: Comparing {
    func describe(to text: inout String) {
        switch self {
        case .simple(let type): type.describe(to: &text)
        case .complex(let type): type.describe(to: &text)
        }
    }
}

extension SimpleType: Comparing {
    func describe(to text: inout String) {
        text.add(name)
        switch variety {
        case .restriction(let base, let facets):
            text.add("restriction")
            base.describe(to: &text)
            text.add(facets)
        case .list(let item):
            text.add("list")
            item.describe(to: &text)
        case .union(let members):
            text.add("union")
            text.add(members)
        }
    }
}

extension Facet: Comparing {
    func describe(to text: inout String) { text.add(name, value, qualifiedName) }
}

extension ComplexType: Comparing {
    func describe(to text: inout String) {
        text.add(name, isAbstract, isMixed)
        switch content {
        case .empty: text.add("empty")
        case .particle(let particle): particle.describe(to: &text)
        case .simple(let base, let method):
            text.add(method)
            base.describe(to: &text)
        case .derived(let base, let method, let particle):
            text.add(method, base)
            particle?.describe(to: &text)
        }
        attributes.describe(to: &text)
        text.add(simpleContentFacets)
        simpleContentType?.describe(to: &text)
    }
}

extension Particle: Comparing {
    func describe(to text: inout String) {
        text.add(minimum, maximum)
        switch term {
        case .element(let element): element.describe(to: &text)
        case .reference(let name): text.add("ref", name)
        case .group(let compositor, let parts):
            text.add(compositor)
            text.add(parts)
        case .groupReference(let name): text.add("group", name)
        case .wildcard(let wildcard): wildcard.describe(to: &text)
        }
    }
}

extension Wildcard: Comparing {
    func describe(to text: inout String) { text.add(namespaces, processing) }
}

extension AttributeGroup: Comparing {
    func describe(to text: inout String) {
        text.add(uses)
        text.add(groups.map(\.name))
        anyAttribute?.describe(to: &text)
    }
}

extension AttributeUse: Comparing {
    func describe(to text: inout String) {
        text.add(isRequired, isProhibited, preset, arrayType)
        switch kind {
        case .declared(let attribute): attribute.describe(to: &text)
        case .reference(let name): text.add("ref", name)
        }
    }
}

extension Message: Comparing {
    func describe(to text: inout String) {
        text.add(name)
        for part in parts { text.add(part.name, part.element, part.type) }
    }
}

extension PortType: Comparing {
    func describe(to text: inout String) {
        text.add(name)
        for operation in operations {
            text.add(operation.name, operation.outputIsFirst, operation.defect)
            for use in [operation.input, operation.output] + operation.faults {
                text.add(use?.name, use?.message, use?.action)
            }
        }
    }
}

extension Binding: Comparing {
    func describe(to text: inout String) {
        text.add(name, portType, format, style, transport, verb, defect, requiredExtensions.map(\.name))
        for operation in operations {
            text.add(operation.name, operation.soapAction, operation.style, operation.httpLocation, operation.defect)
            for message in [operation.input, operation.output] + operation.faults {
                text.add(message?.name, message?.use, message?.parts, message?.namespace, message?.encodingStyle)
                for header in message?.headers ?? [] { text.add(header.message, header.part, header.use) }
            }
        }
    }
}

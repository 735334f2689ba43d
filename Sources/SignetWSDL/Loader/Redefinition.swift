/// A component inside `xs:redefine` or, in schemas of version 1.1, `xs:override` (XML Schema Part 1 §4.2.2).
struct Redefinition {
    let node: XMLNode
    let reader: SchemaReader
    let component: ComponentName

    init?(_ node: XMLNode, _ reader: SchemaReader) {
        guard node.name.namespace == Namespaces.schema, let name = node.attribute("name"),
            let kind = ComponentName.Kind(rawValue: node.name.localName)
        else { return nil }
        self.node = node
        self.reader = reader
        component = ComponentName(kind, QName(reader.target, name))
    }
}

extension Loading {
    /// Replaces the old component by the new one. A reference of the new component to itself means the old one, which
    /// is kept under a name that no document can contain.
    mutating func apply(_ redefinition: Redefinition) throws(WSDLError) {
        let (node, reader, name) = (redefinition.node, redefinition.reader, redefinition.component.name)
        try guarded(redefinition.component.kind, node, reader.target) { (me) throws(WSDLError) in
            _ = try node.required("name")
            switch redefinition.component.kind {
            case .complexType:
                var type = try reader.complexType(node, name: name)
                let old = me.retireType(name)
                if type.base == name, let old { type.base = old }
                me.definitions.schema.types[name] = .complex(type)
            case .simpleType:
                var type = try reader.simpleType(node, name: name)
                let old = me.retireType(name)
                if case .restriction(base: .named(name), let facets) = type.variety, let old {
                    type.variety = .restriction(base: .named(old), facets: facets)
                }
                me.definitions.schema.types[name] = .simple(type)
            case .group:
                let model = try reader.modelGroup(node)
                let old = me.rename(name, in: \.schema.groups)
                me.definitions.schema.groups[name] = old.map { model.referring(to: $0, insteadOf: name) } ?? model
            case .attributeGroup:
                var group = try reader.attributes(of: node)
                let old = me.rename(name, in: \.schema.attributeGroups)
                for index in group.groups.indices where group.groups[index].name == name {
                    group.groups[index].name = old ?? name
                }
                me.definitions.schema.attributeGroups[name] = group
            case .element:
                // Only an override may add a component.
                me.definitions.schema.elements[name] = try reader.element(node, name: name)
            case .attribute:
                me.definitions.schema.attributes[name] = try reader.attribute(node, name: name)
            case .message, .portType, .binding, .service: break
            }
        }
    }

    private mutating func retireType(_ name: QName) -> QName? {
        guard let hidden = rename(name, in: \.schema.types) else { return nil }
        definitions.schema.types[hidden]?.name = hidden
        return hidden
    }

    /// Renames a component and returns the new name; nil when there is no such component.
    private mutating func rename<Value>(_ name: QName, in table: WritableKeyPath<WSDLDefinitions, [QName: Value]>)
        -> QName?
    {
        guard let old = definitions[keyPath: table].removeValue(forKey: name) else { return nil }
        retired[name, default: 0] += 1
        let hidden = name.original(retired[name] ?? 1)
        definitions[keyPath: table][hidden] = old
        return hidden
    }
}

extension TypeDefinition {
    fileprivate var name: QName? {
        get {
            switch self {
            case .simple(let type): type.name
            case .complex(let type): type.name
            }
        }
        set {
            switch self {
            case .simple(var type):
                type.name = newValue
                self = .simple(type)
            case .complex(var type):
                type.name = newValue
                self = .complex(type)
            }
        }
    }
}

extension ComplexType {
    /// The named type that this one is derived from.
    fileprivate var base: QName? {
        get {
            switch content {
            case .derived(let base, _, _), .simple(.named(let base), _): base
            default: nil
            }
        }
        set {
            guard let newValue else { return }
            switch content {
            case .derived(_, let method, let particle):
                content = .derived(base: newValue, method: method, particle: particle)
            case .simple(.named, let method): content = .simple(base: .named(newValue), method: method)
            default: break
            }
        }
    }
}

extension Particle {
    /// The same with another group in the place of one that it refers to.
    fileprivate func referring(to new: QName, insteadOf old: QName) -> Particle {
        var result = self
        switch term {
        case .groupReference(old): result.term = .groupReference(new)
        case .group(let compositor, let parts):
            result.term = .group(compositor, parts.map { $0.referring(to: new, insteadOf: old) })
        default: break
        }
        return result
    }
}

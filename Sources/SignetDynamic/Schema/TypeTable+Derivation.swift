import SignetSOAP
import SignetWSDL

extension TypeTable {
    /// Whether a value of one type may be used where another type is declared: it is that type, or is derived from it
    /// (XML Schema Part 1 §3.14.6, §3.4.6). The types of SOAP's encoding count as those of XML Schema.
    func isDerived(_ name: QName, from base: QName) -> Bool {
        isDerived(Self.plain(name), from: Self.plain(base), depth: 0)
    }

    private func isDerived(_ name: QName, from base: QName, depth: Int) -> Bool {
        if base == .anyType { return true }
        var next: QName? = name
        for _ in 0...Self.depth {
            guard let current = next else { break }
            if current == base { return true }
            next = parent(of: current)
        }
        // A union accepts each of its members.
        guard case .simple(let type)? = schema.types[base], case .union(let members) = type.variety,
            depth < Self.nestedUnions
        else { return false }
        return members.contains { member in
            guard case .named(let member) = member else { return false }
            return isDerived(name, from: Self.plain(member), depth: depth + 1)
        }
    }

    /// The type from which a type is derived; nil when it is unknown.
    private func parent(of name: QName) -> QName? {
        let anySimpleType = QName(Namespaces.schema, "anySimpleType")
        if name.namespace == Namespaces.schema {
            guard let type = XSDBuiltInType(rawValue: name.localName) else { return nil }
            return type.base.map { QName(Namespaces.schema, $0.rawValue) } ?? anySimpleType
        }
        switch schema.types[name] {
        case .simple(let type)?:
            guard case .restriction(.named(let base), _) = type.variety else { return anySimpleType }
            return Self.plain(base)
        case .complex(let type)?:
            switch type.content {
            case .derived(let base, _, _), .simple(.named(let base), _): return Self.plain(base)
            default: return nil
            }
        case nil: return nil
        }
    }

    private static func plain(_ name: QName) -> QName {
        guard Namespaces.soapEncodings.contains(name.namespace) else { return name }
        let plain = QName(Namespaces.schema, name.localName)
        return BuiltIn.named(plain) == nil ? name : plain
    }
}

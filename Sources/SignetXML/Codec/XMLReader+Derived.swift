/// Elements whose `xsi:type` says of which type they are (XML Schema Part 1 §2.6.1).
extension XMLReader {
    /// Reads an element of a type derived from `declared`; nil stands for an abstract type.
    public mutating func derived<Value>(
        _ x: inout XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return failNil() }
        if let value = derived(Value.self, declared, types) { x.wrappedValue = value }
    }

    public mutating func derived<Value>(
        _ x: inout XMLDerived<Value?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return acceptNil() }
        x.wrappedValue = derived(Value.self, declared, types)
    }

    public mutating func derived<Value>(
        _ x: inout XMLDerived<Nillable<Value>?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        x.wrappedValue = takeNil() ? .null : derived(Value.self, declared, types).map { .value($0) }
    }

    public mutating func derived<Value>(
        _ x: inout XMLDerived<[Value]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return failNil() }
        if let value = derived(Value.self, declared, types) { x.wrappedValue.append(value) }
    }

    public mutating func derived<Value>(
        _ x: inout XMLDerived<[Nillable<Value>]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() {
            x.wrappedValue.append(.null)
        } else if let value = derived(Value.self, declared, types) {
            x.wrappedValue.append(.value(value))
        }
    }

    // MARK: Alternatives of a choice

    public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<Value>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        if takeNil() {
            failNil()
            return nil
        }
        return derived(Value.self, declared, types).map { make(XMLDerived($0)) }
    }

    public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<Value?>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        if takeNil() { return make(XMLDerived(nil)) }
        return derived(Value.self, declared, types).map { make(XMLDerived($0)) }
    }

    public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<[Value]>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        let place = alternative
        var values = XMLDerived<[Value]>([])
        repeat { derived(&values, declared, types) } while nextRepetition(place)
        return values.value.isEmpty ? nil : make(values)
    }

    // MARK: Types

    private mutating func derived<Value>(
        _ type: Value.Type, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Value? {
        // A start tag that was foreseen has no attributes.
        if leaf.framed, let named = namedType(declared, types) {
            if let value = empty(named) as? Value {
                _ = value
                return content(of: named) as? Value
            }
            deviate(.unknownType, "the type “\(named.xmlType)” is not derived from that of the element.")
        } else if declared == nil, !hasFailed {
            deviate(.unknownType, "the type of the element is abstract, and xsi:type names none derived from it.")
        }
        guard !hasFailed else { return nil }
        guard let declared else {
            frameLeaf()
            skipRest()
            return nil
        }
        return content(of: declared) as? Value
    }

    private func empty<T: XMLDerivable>(_ type: T.Type) -> any XMLDerivable { T(_decoding: ()) }

    private mutating func content<T: XMLDerivable>(of type: T.Type) -> any XMLDerivable {
        var value = T(_decoding: ())
        content(of: &value)
        return value
    }

    /// The type that `xsi:type` names; nil when there is none, or it is not known.
    private mutating func namedType(
        _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> (any XMLDerivable.Type)? {
        guard !attributes.isEmpty, let text = attribute("type", namespace: .schemaInstance) else { return nil }
        var trimmed = XSDWhiteSpace.collapse.applied(to: text)
        let name = trimmed.withUTF8 { bytes in XSDQName(lexical: bytes.span, in: self) }
        guard let name else {
            deviate(.unknownType, "xsi:type is no qualified name whose prefix is declared.")
            return nil
        }
        if let namespace = XMLNamespace.known(name.namespaceURI) {
            let key = XMLName(namespace, name.localName)
            if let declared, declared.xmlType == key { return declared }
            if let type = types[key] { return type }
        }
        if declared != nil {
            deviate(.unknownType, "the type “\(name.description.prefix(200))” of xsi:type is not known.")
        }
        return nil
    }
}

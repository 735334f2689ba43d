/// Reads elements whose `xsi:type` states their type (XML Schema Part 1 §2.6.1).
extension XMLReader {
    /// Reads an element of a type derived from `declared`; a nil `declared` means an abstract type.
    mutating func derived<Value>(
        _ x: inout XMLDerived<Value>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return failNil() }
        if let value = derived(Value.self, declared, types) { x.value = value }
    }

    mutating func derived<Value>(
        _ x: inout XMLDerived<Value?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return acceptNil() }
        x.value = derived(Value.self, declared, types)
    }

    mutating func derived<Value>(
        _ x: inout XMLDerived<Nillable<Value>?>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        x.value = takeNil() ? .null : derived(Value.self, declared, types).map { .value($0) }
    }

    mutating func derived<Value>(
        _ x: inout XMLDerived<[Value]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() { return failNil() }
        if let value = derived(Value.self, declared, types) { x.value.append(value) }
    }

    mutating func derived<Value>(
        _ x: inout XMLDerived<[Nillable<Value>]>, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) {
        if takeNil() {
            x.value.append(.null)
        } else if let value = derived(Value.self, declared, types) {
            x.value.append(.value(value))
        }
    }

    // MARK: Alternatives of a choice

    @_spi(Generated) public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<Value>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        if takeNil() {
            failNil()
            return nil
        }
        return derived(Value.self, declared, types).map { make(XMLDerived($0)) }
    }

    @_spi(Generated) public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<Value?>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        if takeNil() { return make(XMLDerived(nil)) }
        return derived(Value.self, declared, types).map { make(XMLDerived($0)) }
    }

    @_spi(Generated) public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<[Value]>) -> Choice, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Choice? {
        repeated { reader, values in
            var found = XMLDerived<[Value]>([])
            reader.derived(&found, declared, types)
            values += found.value
        }.map { make(XMLDerived($0)) }
    }

    @_spi(Generated) public mutating func branchDerived<Choice, Value>(
        _ make: (XMLDerived<[Nillable<Value>]>) -> Choice, _ declared: (any XMLDerivable.Type)?,
        _ types: XMLTypeRegistry
    ) -> Choice? {
        repeated { reader, values in
            var found = XMLDerived<[Nillable<Value>]>([])
            reader.derived(&found, declared, types)
            values += found.value
        }.map { make(XMLDerived($0)) }
    }

    // MARK: Types

    private mutating func derived<Value>(
        _ type: Value.Type, _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> Value? {
        if types.keepsUnknownVariants, empty(XMLAny.self) is Value, namesOther(than: declared, types) {
            return content(of: XMLAny.self) as? Value
        }
        if let named = namedType(declared, types) {
            if empty(named) is Value { return content(of: named) as? Value }
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

    private mutating func content<T: XMLDerivable>(of type: T.Type) -> any XMLDerivable { filled(type) }

    /// Whether `xsi:type` names a type that is neither the declared one nor among these.
    private mutating func namesOther(than declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry) -> Bool {
        guard let text = typeText(), let name = qualifiedName(text) else { return false }
        guard let key = name.known else { return true }
        return declared?.xmlType != key && types[key] == nil
    }

    /// The type that `xsi:type` names; nil when there is none, or the program does not know it.
    private mutating func namedType(
        _ declared: (any XMLDerivable.Type)?, _ types: XMLTypeRegistry
    ) -> (any XMLDerivable.Type)? {
        guard let text = typeText() else { return nil }
        guard let name = qualifiedName(text) else {
            deviate(.unknownType, "xsi:type is no qualified name whose prefix is declared.")
            return nil
        }
        if let key = name.known {
            if let declared, declared.xmlType == key { return declared }
            if let type = types[key] { return type }
        }
        if declared != nil {
            deviate(.unknownType, "the type “\(name.description.prefix(200))” of xsi:type is not known.")
        }
        return nil
    }

    /// The value of `xsi:type` at the element that is about to be taken; nil when it has none.
    mutating func typeText() -> String? {
        // A predicted start tag has no attributes.
        leaf.framed && !attributes.isEmpty ? attribute("type", namespace: .schemaInstance) : nil
    }

    /// The name that a text means, if its prefix is declared here; nil for any other text.
    func qualifiedName(_ text: String) -> XSDQName? {
        var trimmed = XSDWhiteSpace.collapse.applied(to: text)
        return trimmed.withUTF8 { bytes in XSDQName(lexical: bytes.span, in: self) }
    }

    /// Reads the innermost open element as the type that `xsi:type` names; nil when it names none of these.
    mutating func value(of types: XMLTypeRegistry) throws(XMLError) -> (any XMLDerivable)? {
        beginLeaf()
        guard let text = typeText(), let name = qualifiedName(text)?.known, let type = types[name] else { return nil }
        let value = content(of: type)
        try settle()
        return value
    }
}

extension XSDQName {
    /// The name for a comparison with names of the program; nil when the program knows no such namespace.
    fileprivate var known: XMLName? { XMLNamespace.known(namespaceURI).map { XMLName($0, localName) } }
}

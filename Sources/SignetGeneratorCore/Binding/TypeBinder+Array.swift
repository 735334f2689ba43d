package import SignetWSDL

/// What is known of an array of SOAP's encoding.
package struct BoundArray: Sendable {
    /// The items: repeated, and nil where an array has a hole.
    package var item: BoundField
    /// The type of the items in SOAP's `arrayType`, and what stands between the name and the size: `[]` where items are arrays.
    package var itemType: QName
    package var ranks: String
    /// How many dimensions the array has.
    package var dimensions: Int

    /// What the table says of the items' type, its namespace being the fourth: nothing where they say it themselves.
    package var tableTypes: String {
        if item.type == .builtIn(.any) { return "" }
        return ranks.isEmpty ? "3:\(itemType.localName) -" : "1:Array -"
    }
}

/// Arrays (SOAP 1.1 §5.4.2, SOAP 1.2 Part 2 §3.1.6) and the other types of SOAP's encoding.
extension TypeBinder {
    /// What a type of the encoding's own schema is bound to; nil for any other type.
    func bindEncoding(_ name: QName) -> BoundReference? {
        if Namespaces.soapEncodings.contains(name.namespace) {
            if name.localName == "base64" { return .builtIn(.base64) }
            return .builtIn(BuiltInType(schemaName: name.localName) ?? .any)
        }
        // Axis sends maps and vectors without saying what they hold.
        if name.namespace == Namespaces.apacheSOAP, schema.types[name] == nil { return .builtIn(.any) }
        return nil
    }

    /// Binds a type that restricts the encoding's `Array`; false when it does not.
    mutating func bindArray(_ type: ComplexType, _ key: TypeKey) -> Bool {
        guard case .derived(let base, _, let particle) = type.content, base.localName == "Array",
            Namespaces.soapEncodings.contains(base.namespace)
        else { return false }
        let declared = type.attributes.uses.lazy.compactMap(\.arrayType).first
        let element = particle.flatMap { Self.onlyElement(of: $0) }
        var reference: BoundReference?
        var itemType = QName.anyType
        var ranks = ""
        var dimensions = 1
        if let declared {
            itemType = declared.item
            // Of several, the last says how large the array itself is (SOAP 1.1 §5.4.2).
            let all = declared.ranks
            ranks = all.dropLast().joined()
            dimensions = 1 + (all.last?.filter { $0 == "," }.count ?? 0)
            reference = bindItems(itemType, all.dropLast(), key.nested("item"), at: type.location)
        } else if let element {
            if case .named(let name) = element.type { itemType = name }
            reference = bind(element.type, anonymous: key.nested("item"), at: element.location)
        } else {
            reference = .builtIn(.any)
        }
        guard let reference else { return true }
        let item = BoundField(
            name: element?.name ?? QName("", "item"), kind: .element, type: reference, occurrence: .repeated,
            isNillable: true, location: type.location)
        result.types[key] = BoundType(
            content: .array(BoundArray(item: item, itemType: itemType, ranks: ranks, dimensions: dimensions)),
            documentation: type.documentation, location: type.location)
        return true
    }

    /// Binds the items of an array, which are arrays themselves where there are ranks.
    private mutating func bindItems(
        _ type: QName, _ ranks: ArraySlice<String>, _ key: TypeKey, at location: SourceLocation
    ) -> BoundReference? {
        guard let last = ranks.last else { return bind(.named(type), anonymous: key, at: location) }
        guard ranks.count <= 8 else {
            fail("an array of arrays is nested too deeply", at: location)
            return nil
        }
        guard let reference = bindItems(type, ranks.dropLast(), key.nested("item"), at: location) else { return nil }
        let item = BoundField(
            name: QName("", "item"), kind: .element, type: reference, occurrence: .repeated, isNillable: true,
            location: location)
        return enter(
            BoundType(
                content: .array(
                    BoundArray(
                        item: item, itemType: type, ranks: ranks.dropLast().joined(),
                        dimensions: 1 + last.filter { $0 == "," }.count)), location: location), key)
    }

    /// The element that a content model is made of, if it is only one.
    private static func onlyElement(of particle: Particle) -> ElementDeclaration? {
        var particle = particle
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

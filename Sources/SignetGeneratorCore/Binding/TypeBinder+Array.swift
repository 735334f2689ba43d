package import SignetWSDL

/// The binding of an array of SOAP's encoding.
package struct BoundArray: Sendable {
    /// The items: a repeated field; an item is nil where the array has a gap.
    package var item: BoundField
    /// The type of the items in SOAP's `arrayType`, and the brackets between the name and the size: `[]` when items are
    /// arrays.
    package var itemType: QName
    package var ranks: String
    /// How many dimensions the array has.
    package var dimensions: Int

    /// The entry of the table for the items' type, whose namespace is the fourth; empty when the items state their
    /// types themselves.
    package var tableTypes: String {
        if item.type == .builtIn(.any) { return "" }
        return ranks.isEmpty ? "3:\(itemType.localName) -" : "1:Array -"
    }
}

/// Arrays (SOAP 1.1 §5.4.2, SOAP 1.2 Part 2 §3.1.6) and the other types of SOAP's encoding.
extension TypeBinder {
    /// The binding of a type of the encoding's own schema; nil for any other type.
    func bindEncoding(_ name: QName) -> BoundReference? {
        if Namespaces.soapEncodings.contains(name.namespace) {
            if name.localName == "base64" { return .builtIn(.base64) }
            return .builtIn(BuiltInType(schemaName: name.localName) ?? .any)
        }
        // Axis sends maps and vectors without the types of their contents.
        if name.namespace == Namespaces.apacheSOAP, schema.types[name] == nil { return .builtIn(.any) }
        return nil
    }

    /// Binds a type that restricts the encoding's `Array`; returns false for any other type.
    mutating func bindArray(_ type: ComplexType, _ key: TypeKey) -> Bool {
        guard let array = SOAPArray(type) else { return false }
        guard array.ranks.count < 8 else {
            fail("an array of arrays is nested too deeply", at: type.location)
            return true
        }
        let item = array.item
        guard let reference = bind(item.type, anonymous: key.nested("item"), at: item.location) else { return true }
        let field = BoundField(
            name: item.name, kind: .element, type: reference, occurrence: .repeated, isNillable: true,
            location: type.location)
        result.types[key] = BoundType(
            content: .array(
                BoundArray(
                    item: field, itemType: array.itemType, ranks: array.ranks.joined(),
                    dimensions: array.dimensions)),
            documentation: type.documentation, location: type.location)
        return true
    }
}

import SignetSOAP
import SignetWSDL

/// Writes values in SOAP's encoding (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
extension Encoder {
    /// Writes the items of an array, row by row when it has several dimensions.
    mutating func items(
        _ value: DynamicValue, _ array: SOAPArray, into tree: inout XMLTree
    ) throws(DynamicError) -> [Piece] {
        var sizes: [Int] = []
        let pieces = try items(value, array, &sizes, "")
        let size = sizes + Array(repeating: 0, count: array.dimensions - min(sizes.count, array.dimensions))
        if encoding == .soap12 {
            let namespace = Namespaces.soapEncoding12
            tree.attributes.append(
                .init(name: QName(namespace, "itemType"), value: [.name(array.itemType), .plain(array.ranks.joined())]))
            tree.attributes.append(
                .init(
                    name: QName(namespace, "arraySize"),
                    value: [.plain(size.map(String.init).joined(separator: " "))]))
        } else {
            let sizes = size.map(String.init).joined(separator: ",")
            tree.attributes.append(
                .init(
                    name: QName(Namespaces.soapEncoding11, "arrayType"),
                    value: [.name(array.itemType), .plain("\(array.ranks.joined())[\(sizes)]")]))
        }
        return pieces
    }

    /// - Parameters:
    ///   - sizes: the extents found so far, from the outermost dimension to that around the present one.
    ///   - place: the position of the present row.
    private mutating func items(
        _ value: DynamicValue, _ array: SOAPArray, _ sizes: inout [Int], _ place: String, depth: Int = 1
    ) throws(DynamicError) -> [Piece] {
        guard case .array(let values) = value else {
            throw error(.invalidValue, "an array is expected, not \(value.kind).")
        }
        if sizes.count < depth {
            sizes.append(values.count)
        } else if sizes[depth - 1] != values.count {
            throw error(
                .invalidValue,
                "the rows of an array of several dimensions are equally long: \(sizes[depth - 1]) items are expected, not "
                    + "\(values.count).")
        }
        var pieces: [Piece] = []
        for (index, value) in values.enumerated() {
            let step = "[\(index)]"
            if depth == array.dimensions {
                pieces.append(.element(array.item, value, step: place + step))
            } else {
                pieces += try at(step) { (encoder) throws(DynamicError) in
                    try encoder.items(value, array, &sizes, place + step, depth: depth + 1)
                }
            }
        }
        return pieces
    }
}

extension TypeTable {
    /// The type that an encoded value states for itself, because its receiver may know no schema (SOAP 1.1 §5.1); nil
    /// when the value does not determine it.
    func encodedType(_ declared: TypeReference, _ shape: Shape, _ value: DynamicValue) -> QName? {
        if case .any = shape { return value.encodedType }
        if case .named(let name) = declared { return name }
        if case .complex(let complex) = shape, complex.array != nil {
            return QName(Namespaces.soapEncoding11, "Array")
        }
        return nil
    }
}

extension DynamicValue {
    /// The type of a value whose declaration allows any type.
    fileprivate var encodedType: QName? {
        let name: String
        switch self {
        case .string: name = "string"
        case .bool: name = "boolean"
        case .number(let digits):
            name =
                Int32(digits) != nil
                ? "int" : Int64(digits) != nil ? "long" : XSDInteger(digits) != nil ? "integer" : "double"
        case .null, .array, .object: return nil
        }
        return QName(Namespaces.schema, name)
    }
}

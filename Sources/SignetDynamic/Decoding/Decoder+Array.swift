import SignetSOAP
import SignetWSDL

extension Decoder {
    /// The array that an element represents: the declared one, or the one that the element states itself when its type
    /// is open; nil when the element is no array.
    mutating func array(_ tree: XMLTree, _ declared: Shape) -> SOAPArray? {
        switch declared {
        case .simple: return nil
        case .complex(let complex): return complex.array
        case .any:
            let place = SourceLocation(file: tree.name.namespace)
            if let said = tree.arrayType {
                let array = SOAPArray(said, at: place)
                // A type that no schema defines counts as no type.
                return (try? types.shape(of: .named(said.item))) == nil ? SOAPArray(nil, at: place) : array
            }
            let type = tree.attribute(XMLTree.typeName).flatMap(tree.resolve)
            let isArray = type?.localName == "Array" && Namespaces.soapEncodings.contains(type?.namespace ?? "")
            return isArray ? SOAPArray(nil, at: place) : nil
        }
    }
}

extension XMLTree {
    /// The type of the items and the size, as SOAP 1.1 writes them: `xsd:int[2,3]`.
    private var arrayTypeText: String? { attribute(QName(Namespaces.soapEncoding11, "arrayType")) }

    /// The number of items of an array in each dimension; empty when the array does not state it.
    var sizes: [Int] {
        let text = arrayTypeText ?? attribute(QName(Namespaces.soapEncoding12, "arraySize"))
        return text.flatMap { SOAPEncoding.dimensions($0) } ?? []
    }

    /// The type that an array states for its items.
    var arrayType: AttributeUse.ArrayType? {
        if let text = arrayTypeText, let open = text.firstIndex(of: "[") {
            return resolve(String(text[..<open])).map { .init(item: $0, dimensions: String(text[open...])) }
        }
        let item = attribute(QName(Namespaces.soapEncoding12, "itemType")).flatMap(resolve)
        return item.map { .init(item: $0, dimensions: "[]") }
    }
}

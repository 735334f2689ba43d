import SignetXML

/// A whole envelope, read and written with the calls that SignetSOAP makes.
struct Message<Value: XMLStructure> {
    /// The element in the body.
    var element: XMLName
    /// SOAP's encoding (SOAP 1.1 §5): every element says its type.
    var isEncoded = false

    private static var soap: XMLNamespace { XMLNamespace("http://schemas.xmlsoap.org/soap/envelope/") }
    private static var envelope: XMLName { XMLName(soap, "Envelope") }
    private static var encoding: String { "http://schemas.xmlsoap.org/soap/encoding/" }
    private let opening: XMLDocumentPrefix
    private let body = XMLName(soap, "Body")
    private let style = XMLName(soap, "encodingStyle")

    init(_ namespace: String, _ name: String, isEncoded: Bool = false) {
        element = XMLName(XMLNamespace(namespace), name)
        self.isEncoded = isEncoded
        var namespaces = [("soap", Self.soap), ("t", element.namespace)]
        if isEncoded {
            namespaces += [
                ("xsi", .schemaInstance), ("xs", XMLNamespace("http://www.w3.org/2001/XMLSchema")),
                ("soapenc", XMLNamespace(Self.encoding)),
            ]
        }
        opening = XMLDocumentPrefix(Self.envelope, declaring: namespaces)
    }

    func decode(_ bytes: [UInt8]) throws -> Value {
        try XMLReader.read(bytes) { reader in
            var result: Value?
            try reader.root()
            while try reader.nextChild() {
                guard reader.isElement(body) else {
                    try reader.skipElement()
                    continue
                }
                while try reader.nextChild() {
                    if reader.isElement(element) { result = try reader.structure() } else { try reader.skipElement() }
                }
            }
            try reader.finish()
            guard let result else { throw NoAnswer(element: "\(element)") }
            return result
        }
    }

    func encode(_ value: Value) throws(XMLError) -> [UInt8] {
        var writer = XMLWriter(opening)
        writer.writesTypes = isEncoded
        writer.startElement(body)
        writer.element(element, value, attributes: isEncoded ? [(style, Self.encoding)] : [])
        writer.endElement(body)
        writer.endElement(Self.envelope)
        return try writer.finish()
    }
}

struct NoAnswer: Error, CustomStringConvertible {
    var element: String

    var description: String { "the body of the envelope holds no \(element)" }
}

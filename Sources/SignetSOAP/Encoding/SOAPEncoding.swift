@_spi(Generated) import SignetXML

/// The encoding of SOAP: how values are written where a WSDL says `use="encoded"` (SOAP 1.1 §5, SOAP 1.2 Part 2 §3).
package enum SOAPEncoding {
    static let schema = XMLNamespace("http://www.w3.org/2001/XMLSchema")
    static let soap11 = XMLNamespace("http://schemas.xmlsoap.org/soap/encoding/")
    static let soap12 = XMLNamespace("http://www.w3.org/2003/05/soap-encoding")

    static func namespace(_ version: SOAPVersion) -> XMLNamespace { version == .soap12 ? soap12 : soap11 }

    /// The prefixes that an envelope with encoded messages declares, so that types can be named.
    static func prefixes(_ version: SOAPVersion) -> [(prefix: String, namespace: XMLNamespace)] {
        [("xsi", .schemaInstance), ("xsd", schema), ("soapenc", namespace(version))]
    }

    /// The extents of an array: `2,3` of `xsd:int[][2,3]`, or the words of `arraySize`; nil when an extent is missing.
    package static func dimensions(_ text: some StringProtocol) -> [Int]? {
        var part = text[...]
        if let open = text.lastIndex(of: "[") {
            part = text[text.index(after: open)...].prefix { $0 != "]" }
        }
        let words = part.split { $0 == "," || $0 == " " || $0 == "\n" || $0 == "\t" }
        let numbers = words.compactMap { Int($0) }
        return numbers.isEmpty || numbers.count < words.count || numbers.contains { $0 < 0 } ? nil : numbers
    }
}

extension XMLWriter {
    /// Writes an array's type and size into the attributes of its element: `soapenc:arrayType="xsd:int[3]"` (SOAP 1.1
    /// §5.4.2), or `itemType` and `arraySize` in SOAP 1.2 (Part 2 §3.1.6).
    ///
    /// - Parameter ranks: the text between type name and size when the items are arrays themselves: `[]`.
    package mutating func arrayType(_ item: XMLName, _ dimensions: [Int], ranks: String = "") {
        let prefix = prefix(declaring: item.namespace.uri, wished: item.namespace == SOAPEncoding.schema ? "xsd" : "t")
        let type = prefix.isEmpty ? item.localName : "\(prefix):\(item.localName)"
        if hasPrefix(for: SOAPEncoding.soap12) {
            attribute(XMLName(SOAPEncoding.soap12, "itemType"), type + ranks)
            attribute(XMLName(SOAPEncoding.soap12, "arraySize"), dimensions.map(String.init).joined(separator: " "))
        } else {
            let size = dimensions.map(String.init).joined(separator: ",")
            attribute(XMLName(SOAPEncoding.soap11, "arrayType"), "\(type)\(ranks)[\(size)]")
        }
    }
}

extension XMLFields {
    /// Declares the items of an array (SOAP 1.1 §5.4.2), each of which may be nil. Generated code calls this.
    @_semantics("optimize.no.crossmodule") public mutating func items<T: XMLValue>(_ x: inout [T?]) {
        add(&x, blank: { [] }) { x, reader in
            var item: T?
            T._read(optional: &item, from: &reader)
            x.append(item)
        } writing: { x, part, writer in
            for item in x { writer.nillableValue(part.element, item) }
        }
    }

    /// Declares the items of an array of structures (SOAP 1.1 §5.4.2), each of which may be nil. Generated code calls
    /// this.
    @_semantics("optimize.no.crossmodule") public mutating func items<T: XMLStructure>(_ x: inout [T?]) {
        add(&x, blank: { [] }) { x, reader in
            var item: T?
            reader.optionalStructure(&item)
            x.append(item)
        } writing: { x, part, writer in
            for item in x { writer.nillableStructure(part.element, item) }
        }
    }

    /// Declares the extents of an array of several dimensions. They are compared as they are written. Generated code
    /// calls this.
    public mutating func dimensions(_ x: inout [Int]) {
        add(&x, .value, blank: { [] }, reading: { $1.dimensions(&$0) }, writing: nil)
    }

    /// Writes an array's type and size into the attributes of its element. Generated code calls this.
    ///
    /// - Parameter size: the extents of the whole value.
    @_semantics("optimize.no.crossmodule") public mutating func arrayType<T: XMLStructure>(
        _ x: inout T, _ item: XMLName, ranks: String = "", size: @escaping @Sendable (T) -> [Int]
    ) {
        startTag(&x, size) { $1.arrayType(item, $0, ranks: ranks) }
    }
}

extension XMLReader {
    package mutating func dimensions(_ x: inout [Int]) {
        var text: String?
        String._read(optional: &text, from: &self)
        if let text, let dimensions = SOAPEncoding.dimensions(text) { x = dimensions }
    }
}

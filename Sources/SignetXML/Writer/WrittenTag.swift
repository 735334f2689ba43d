/// A parsed start tag that an ``XMLWriter`` has written, so that its form is known.
struct WrittenTag {
    typealias Attribute = (prefix: [UInt8], localName: [UInt8], value: [UInt8])
    var prefix: [UInt8]
    var localName: [UInt8]
    /// The attributes with their values as written, namespace declarations among them.
    var attributes: [Attribute] = []

    /// Parses a tag that has no `>` yet.
    init(_ bytes: UnsafeBufferPointer<UInt8>) {
        var rest = Array(bytes.dropFirst())[...]
        (prefix, localName) = Self.name(rest.prefix { $0 != UInt8(ascii: " ") })
        rest = rest.drop { $0 != UInt8(ascii: " ") }
        while !rest.isEmpty {
            let name = rest.dropFirst().prefix { $0 != UInt8(ascii: "=") }
            let value = rest[name.endIndex...].dropFirst(2).prefix { $0 != UInt8(ascii: "\"") }
            let (prefix, localName) = Self.name(name)
            attributes.append((prefix, localName, Array(value)))
            rest = rest[value.endIndex...].dropFirst()
        }
    }

    private static func name(_ name: ArraySlice<UInt8>) -> (prefix: [UInt8], localName: [UInt8]) {
        guard let colon = name.firstIndex(of: UInt8(ascii: ":")) else { return ([], Array(name)) }
        return (Array(name[..<colon]), Array(name[(colon + 1)...]))
    }

    /// Whether the tag has `xml:space="preserve"` (XML 1.0 §2.10).
    var keepsSpace: Bool {
        attributes.contains {
            $0.prefix.elementsEqual("xml".utf8) && $0.localName.elementsEqual("space".utf8)
                && $0.value.elementsEqual("preserve".utf8)
        }
    }
}

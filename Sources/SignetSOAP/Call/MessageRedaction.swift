/// Makes messages fit for a log: what is secret by its name is replaced, what cannot be read is not shown.
package enum MessageRedaction {
    /// Parts of local names, in lower case, that mark an element or attribute as secret.
    private static let marks = [
        "password", "passwd", "passphrase", "secret", "token", "credential", "privatekey", "identity", "pin",
    ]

    /// The message as text, with the values of secret elements and attributes replaced.
    package static func redacted(_ bytes: [UInt8]) -> String {
        guard let ranges = try? XMLReader.read(bytes, { (reader) throws(XMLError) in try secrets(&reader) }) else {
            return "(not shown: \(bytes.count) bytes that are not well-formed XML)"
        }
        var text: [UInt8] = []
        var from = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where range.lowerBound >= from {
            text += bytes[from..<range.lowerBound]
            text += Array("[redacted]".utf8)
            from = range.upperBound
        }
        return String(decoding: text + bytes[from...], as: UTF8.self)
    }

    private static func secrets(_ reader: inout XMLReader) throws(XMLError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        // Everything inside a secret element is secret.
        var secretDepth: Int?
        while true {
            switch try reader.next() {
            case .startElement:
                for attribute in reader.attributeValueRanges where secretDepth != nil || isSecret(attribute.name) {
                    ranges.append(attribute.range)
                }
                if secretDepth == nil, isSecret(reader.elementName) { secretDepth = reader.depth }
            case .endElement:
                if let depth = secretDepth, reader.depth < depth { secretDepth = nil }
            case .text:
                if secretDepth != nil { ranges.append(reader.currentTextRange) }
            case .endOfDocument:
                return ranges
            }
        }
    }

    private static func isSecret(_ name: String) -> Bool {
        let name = name.lowercased().filter { $0 != "-" && $0 != "_" }
        return marks.contains { $0 == "pin" || $0 == "identity" ? name == $0 : name.contains($0) }
    }
}

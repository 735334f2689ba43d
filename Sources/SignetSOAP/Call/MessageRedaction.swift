/// Prepares messages for a log: it replaces values that are secret by their names, and does not show text that cannot
/// be parsed.
package enum MessageRedaction {
    /// The message as text, with the values of secret elements and attributes replaced.
    ///
    /// - Parameter charset: the parameter of the media type; nil when the media type has none.
    package static func redacted(_ message: [UInt8], charset: String? = nil) -> String {
        guard let bytes = try? XMLReader.utf8(message, charset: charset),
            let ranges = try? XMLReader.read(
                bytes, charset: "utf-8", { (reader) throws(XMLError) in try secrets(&reader, bytes) })
        else { return "(not shown: \(message.count) bytes that are not well-formed XML)" }
        var text: [UInt8] = []
        var from = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
        where !range.isEmpty && range.lowerBound >= from {
            text += bytes[from..<range.lowerBound]
            text += Array("[redacted]".utf8)
            from = range.upperBound
        }
        return String(decoding: text + bytes[from...], as: UTF8.self)
    }

    /// Attributes that name the value beside them, as in `<item name="password">`.
    private static let naming: Set<String> = ["name", "key"]

    private static func secrets(_ reader: inout XMLReader, _ bytes: [UInt8]) throws(XMLError) -> [Range<Int>] {
        var ranges: [Range<Int>] = []
        while true {
            switch try reader.next() {
            case .startElement:
                let attributes = reader.attributeValueRanges
                let isNamedSecret = attributes.contains { attribute in
                    naming.contains(attribute.name.lowercased())
                        && SecretName.matches(String(decoding: bytes[attribute.range], as: UTF8.self))
                }
                let isSecretElement = SecretName.matches(reader.elementName)
                let isSecret = isNamedSecret || isSecretElement
                for attribute in attributes {
                    let isLabel = !isSecretElement && naming.contains(attribute.name.lowercased())
                    if isSecret && !isLabel || SecretName.matches(attribute.name) { ranges.append(attribute.range) }
                }
                // All content is secret: text, comments, elements with their attributes.
                if isSecret { ranges.append(try reader.skipElementContent()) }
            case .endElement, .text: break
            case .endOfDocument: return ranges
            }
        }
    }
}

/// Prepares messages for a log: it replaces values that are secret by their names, and does not show text that cannot
/// be parsed.
package enum MessageRedaction {
    /// The message as text, with the values of secret elements and attributes replaced.
    ///
    /// - Parameter charset: the parameter of the media type; nil when the media type has none.
    package static func redacted(_ message: [UInt8], charset: String? = nil) -> String {
        do { return String(decoding: try replacingSecrets(message, charset: charset).message, as: UTF8.self) } catch {
            return "(not shown: \(message.count) bytes that are not well-formed XML)"
        }
    }

    /// The message in UTF-8, with the values of secret elements and attributes replaced.
    ///
    /// - Parameter keepsMessageElement: whether the element in the body of an envelope keeps its content when its own name looks
    ///   secret, as that of the operation `ChangePassword` does; not when it holds text.
    /// - Returns: the message, and the pieces of it that were replaced.
    /// - Throws: an error for a message that is not well-formed.
    package static func replacingSecrets(
        _ message: [UInt8], charset: String?, keepsMessageElement: Bool = false
    ) throws(XMLError) -> (message: [UInt8], secrets: [ArraySlice<UInt8>]) {
        let bytes = try XMLReader.utf8(message, charset: charset)
        var found = Secrets()
        // Values of SOAP's encoding stand elsewhere, where something refers to them (SOAP 1.1 §5.4.1), and refer to others.
        for round in 0...maximumRounds {
            let known = found.references.count
            found.ranges = []
            found.areAllTargetsSecret = round == maximumRounds
            try find(&found, in: bytes, keepsMessageElement)
            if found.references.count == known { break }
        }
        let ranges = found.ranges
        var text: [UInt8] = []
        var secrets: [ArraySlice<UInt8>] = []
        var from = 0
        for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound })
        where !range.isEmpty && range.lowerBound >= from {
            text += bytes[from..<range.lowerBound]
            text += Array("[redacted]".utf8)
            secrets.append(bytes[range])
            from = range.upperBound
        }
        return (text + bytes[from...], secrets)
    }

    /// How often references to references are followed. Behind that, everything that can be referred to is secret.
    private static let maximumRounds = 8

    /// Attributes that name the value beside them, as in `<item name="password">`.
    private static let naming: Set<String> = ["name", "key"]

    /// What stands in a Security header block and is no token (SOAP Message Security 1.1).
    private static let securityParts: Set<String> = [
        "Timestamp", "Signature", "SignatureConfirmation", "SecurityTokenReference", "EncryptedKey", "ReferenceList",
        "EncryptedData",
    ]
    private static let assertions: Set<String> = [
        "urn:oasis:names:tc:SAML:1.0:assertion", "urn:oasis:names:tc:SAML:2.0:assertion",
    ]

    /// Whether the element whose start tag was read last is a token: a sender that has a SAML assertion can use it.
    private static func isSecurityToken(_ reader: borrowing XMLReader, in parent: String?) -> Bool {
        let name = reader.elementName
        return parent == "Security" && !securityParts.contains(name)
            || ["Assertion", "EncryptedAssertion"].contains(name) && assertions.contains(reader.namespaceURI)
    }

    private struct Secrets {
        var ranges: [Range<Int>] = []
        /// The identifiers to which secret elements refer.
        var references: Set<String> = []
        /// Whether every element with an identifier is secret.
        var areAllTargetsSecret = false
    }

    private static func find(
        _ secrets: inout Secrets, in bytes: [UInt8], _ keepsMessageElement: Bool
    ) throws(XMLError) {
        secrets = try XMLReader.read(bytes, charset: "utf-8") { [secrets] (reader) throws(XMLError) in
            var secrets = secrets
            try find(&secrets, &reader, bytes, keepsMessageElement)
            return secrets
        }
    }

    private static func find(
        _ secrets: inout Secrets, _ reader: inout XMLReader, _ bytes: [UInt8], _ keepsMessageElement: Bool
    ) throws(XMLError) {
        var open: [String] = []
        // The element in the body that keeps its content, unless there is text between its elements.
        var kept: (start: Int, hasText: Bool)?
        while true {
            switch try reader.next() {
            case .startElement:
                let isMessage = keepsMessageElement && open == ["Envelope", "Body"]
                let attributes = reader.attributeValueRanges
                let values = reader.allAttributes()
                let isNamedSecret = values.contains { attribute in
                    let isSecret = naming.contains(attribute.name.lowercased()) && SecretName.matches(attribute.value)
                    return isSecret
                        || attribute.name == "id"
                            && (secrets.areAllTargetsSecret || secrets.references.contains(attribute.value))
                }
                let isSecretElement =
                    isSecurityToken(reader, in: open.last)
                    || SecretName.matches(reader.elementName)
                        && !(isMessage && holdsElements(bytes[reader.bytesRead...]))
                let isSecret = isNamedSecret || isSecretElement
                if isSecret, let reference = values.first(where: { $0.name == "href" || $0.name == "ref" })?.value {
                    secrets.references.insert(String(reference.drop { $0 == "#" }))
                }
                for attribute in attributes {
                    let isLabel =
                        !isSecretElement && (naming.contains(attribute.name.lowercased()) || attribute.name == "id")
                    // A reference says nothing, and without it the message could not be read.
                    let isReference =
                        ["href", "ref"].contains(attribute.name) && bytes[attribute.range].first == UInt8(ascii: "#")
                    if isSecret && !isLabel && !isReference || SecretName.matches(attribute.name) {
                        secrets.ranges.append(attribute.range)
                    }
                }
                // All content is secret: text, comments, elements with their attributes.
                if isSecret {
                    let content = try reader.skipElementContent()
                    secrets.ranges.append(content)
                    secrets.references.formUnion(references(in: bytes[content]))
                } else {
                    open.append(reader.elementName)
                    if isMessage { kept = (reader.bytesRead, false) }
                }
            case .endElement:
                if open.count == 3, let found = kept {
                    if found.hasText {
                        let end = bytes[found.start..<reader.bytesRead].lastIndex(of: UInt8(ascii: "<"))
                        secrets.ranges.append(found.start..<(end ?? found.start))
                    }
                    kept = nil
                }
                _ = open.popLast()
            case .text:
                if open.count == 3, kept != nil, SecretName.matches(open[2]) {
                    let isSpace = try reader.currentText().allSatisfy(\.isWhitespace)
                    if !isSpace { kept?.hasText = true }
                }
            case .endOfDocument: return
            }
        }
    }

    /// The identifiers that attributes in a piece of XML refer to: `href="#a"`.
    private static func references(in content: ArraySlice<UInt8>) -> Set<String> {
        var found: Set<String> = []
        var rest = content
        let isQuote = { (byte: UInt8) in byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "'") }
        while let start = rest.firstIndex(where: isQuote) {
            let value = rest[(start + 1)...]
            guard let end = value.firstIndex(of: rest[start]) else {
                rest = value
                continue
            }
            if value.first == UInt8(ascii: "#") {
                found.insert(String(decoding: value[(start + 2)..<end], as: UTF8.self))
                rest = rest[(end + 1)...]
            } else {
                // The quote may stand in text, and the next one begin a value.
                rest = value
            }
        }
        return found
    }

    /// Whether the content of an element begins with another element.
    private static func holdsElements(_ content: ArraySlice<UInt8>) -> Bool {
        let rest = content.drop { $0 == 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }.prefix(2)
        guard rest.first == UInt8(ascii: "<"), let next = rest.last else { return false }
        return next != UInt8(ascii: "!") && next != UInt8(ascii: "/") && next != UInt8(ascii: "?")
    }
}

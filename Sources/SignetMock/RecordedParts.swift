#if Server
import SignetHTTP
package import SignetSOAP
import SignetXML

/// The parts of a recorded message beside its envelope.
package struct RecordedParts: Sendable, Hashable {
    package var packaging: MultipartMessage.Packaging
    package var attachments: [MessageAttachment]
}

extension RecordedParts {
    /// A message with parts, without secrets: those of the envelope and of other parts in XML are replaced. Parts are left out that secret
    /// elements name, that have a secret name, or that cannot be searched.
    ///
    /// - Returns: the message, and what is left out.
    static func redacted(
        _ bytes: [UInt8], contentType: String
    ) throws -> (content: RecordedContent, remark: String?) {
        let message = try ReceivedMessage(bytes, contentType: contentType)
        let root = MediaType(message.rootType)
        let redacted = try MessageRedaction.replacingSecrets(
            message.root, charset: root.charset ?? message.charset, keepsMessageElement: true)
        let version =
            SOAPVersion.ofEnvelope(redacted.message, charset: "utf-8", XMLLimits())
            ?? SOAPVersion.named(byMediaType: root.essence) ?? .soap11
        var names = NamesInSecrets(redacted.secrets)
        let searched = try message.attachments.compactMap { part in
            try part.searched(limit: bytes.count) { names.formUnion(NamesInSecrets($0)) }
        }
        let kept = searched.filter { !names.name($0) }
        let content = RecordedContent(
            contentType: RecordedContent.mediaType(
                version.mediaType, action: version == .soap12 ? message.action : nil),
            bytes: RecordedContent.withoutEncoding(String(decoding: redacted.message, as: UTF8.self)),
            parts: RecordedParts(
                packaging: message.isXOP ? .xop : .attachments, attachments: kept.map(\.withoutSecretFields)))
        // What cannot be sent again is no use in a recording.
        _ = try content.sent()
        let count = message.attachments.count - kept.count
        return (
            content,
            count == 0
                ? nil
                : "without \(count) of \(message.attachments.count) attachments, which are secret or cannot be read"
        )
    }
}

/// What secret elements and attributes may name: the words in their content.
private struct NamesInSecrets {
    private var words: Set<String> = []

    init(_ secrets: [ArraySlice<UInt8>]) {
        for secret in secrets { take(Self.text(String(decoding: secret, as: UTF8.self))) }
    }

    mutating func formUnion(_ other: Self) { words.formUnion(other.words) }

    private mutating func take(_ text: String) {
        for word in text.split(whereSeparator: { $0.isWhitespace || "<>\"',;".contains($0) }) {
            words.insert(String(word))
            words.formUnion(ContentID.candidates(String(word)))
            if let decoded = ContentID.decode(word.utf8) { words.insert(decoded) }
            words.insert(Self.last(String(word)))
        }
    }

    /// Whether a secret element names a part, by its identifier or its location.
    func name(_ part: MessageAttachment) -> Bool {
        if words.contains(part.contentID) { return true }
        guard let location = part.contentLocation else { return false }
        return words.contains(location) || words.contains(Self.last(location))
    }

    /// The last component of a path.
    private static func last(_ url: String) -> String {
        url.split(separator: "/").last.map { String($0.prefix { $0 != "?" && $0 != "#" }) } ?? url
    }

    /// The text of a piece of XML, whose pieces comments and CDATA sections may split.
    private static func text(_ xml: String) -> String {
        var text = xml
        if text.contains("<!--") || text.contains("<?") {
            text = text.replacing(#/<!--.*?-->|<\?.*?\?>/#.dotMatchesNewlines(), with: "")
        }
        for mark in ["<![CDATA[", "]]>"] { text = text.replacing(mark, with: "") }
        guard text.contains("&") else { return text }
        text = text.replacing(#/&#(x[0-9A-Fa-f]{1,6}|[0-9]{1,7});/#) { match in
            let digits = match.1
            let number = digits.hasPrefix("x") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
            return number.flatMap(Unicode.Scalar.init).map { String($0) } ?? ""
        }
        for (entity, character) in [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&apos;", "'"), ("&amp;", "&")] {
            text = text.replacing(entity, with: character)
        }
        return text
    }
}

extension MessageAttachment {
    /// Types of content that is secret as a whole.
    private static let secretTypes: Set = ["application/x-pkcs12", "application/pkcs12", "application/pkcs8"]

    /// The part with its content in memory and without the secrets in XML; nil when it is secret by its name, or may have secrets where
    /// none can be looked for.
    ///
    /// - Parameter take: gets the secrets.
    fileprivate func searched(
        limit: Int, _ take: ([ArraySlice<UInt8>]) -> Void
    ) throws -> MessageAttachment? {
        let type = MediaType(contentType)
        let essence = type.defect?.essence ?? type.essence
        // WS-I Attachments Profile 1.0 §4.4: the name of a part of the WSDL stands before "=".
        let names = [fileName, contentID.firstIndex(of: "=").map { String(contentID[..<$0]) }].compactMap { $0 }
        if names.contains(where: SecretName.matches) || Self.secretTypes.contains(essence) { return nil }
        if essence.hasPrefix("multipart/") || essence.hasPrefix("message/") { return nil }
        let content = try bytes(limit: limit)
        guard !content.isEmpty, essence.hasSuffix("xml") || Self.beginsAsXML(content) else {
            return replacingContent(by: content)
        }
        guard let redacted = try? MessageRedaction.replacingSecrets(content, charset: type.charset) else { return nil }
        guard !redacted.secrets.isEmpty else { return replacingContent(by: content) }
        take(redacted.secrets)
        var part = replacingContent(
            by: RecordedContent.withoutEncoding(String(decoding: redacted.message, as: UTF8.self)))
        part.contentType = RecordedContent.mediaType(essence.isEmpty ? "text/xml" : essence, action: nil)
        return part
    }

    /// Whether content in any encoding may be XML, whatever its type says.
    private static func beginsAsXML(_ content: [UInt8]) -> Bool {
        let marks: Set<UInt8> = [0x00, 0x09, 0x0A, 0x0D, 0x20, 0xBB, 0xBF, 0xEF, 0xFE, 0xFF]
        return content.prefix(64).first { !marks.contains($0) } == UInt8(ascii: "<")
    }

    /// The part without values in the query of its location, and without what cannot be sent.
    fileprivate var withoutSecretFields: MessageAttachment {
        var part = self
        part.contentLocation = contentLocation.map {
            ContentID.encode(Endpoint.withoutQueryValues($0), plain: "-._~:/?#[]@!$&'()*+,;=%")
        }
        if fileName?.unicodeScalars.contains(where: { $0.properties.generalCategory == .control }) == true {
            part.fileName = nil
        }
        let type = MediaType(contentType)
        let names = contentType.split(separator: ";").dropFirst().map { String($0.prefix { $0 != "=" }) }
        let isSendable = contentType.utf8.allSatisfy { (0x20...0x7E).contains($0) } && !contentType.isEmpty
        if !isSendable || type.defect != nil || names.contains(where: SecretName.matches) {
            let essence = type.defect?.essence ?? type.essence
            part.contentType = essence.isEmpty ? "application/octet-stream" : essence
        }
        return part
    }
}
#endif

import SignetSOAP
import SignetWSDL

extension XMLTree {
    private static let include = QName("http://www.w3.org/2004/08/xop/include", "Include")

    /// Returns the tree with the content of attachments in base64 wherever the tree refers to it (XOP 1.0 §3.2).
    ///
    /// - Parameter room: the number of bytes that may be inserted; reduced by the inserted bytes.
    /// - Throws: `AttachmentError` for content that cannot be read or is too large; ``DynamicError`` for a reference to
    ///   a missing part.
    func including(_ attachments: AttachmentIndex, room: inout Int) throws -> XMLTree {
        let elements = elements
        guard !elements.isEmpty else { return self }
        var tree = self
        if elements.count == 1, let only = elements.first, only.name == Self.include, !hasText {
            let reference = only.attribute(QName("", "href"))?.trimmedXMLSpace ?? ""
            guard let attachment = attachments[reference] else {
                throw DynamicError(
                    .invalidValue,
                    "the message refers to the part ‘\(reference.prefix(200))’, which the message does not have.")
            }
            let bytes = try attachment.bytes(limit: room)
            room -= bytes.count
            tree.content = [.text(.plain(XSDBase64Binary(bytes).lexicalForm))]
            return tree
        }
        tree.content = try content.map { item in
            guard case .element(let element) = item else { return item }
            return .element(try element.including(attachments, room: &room))
        }
        return tree
    }
}

/// The fields before a part of a multipart message (RFC 2045 §3).
package struct PartHeader: Sendable, Hashable {
    package struct Field: Sendable, Hashable {
        /// The name in lower case.
        package let name: String
        /// The value on one line, without white space around it.
        package let value: String
    }

    package let fields: [Field]
    /// The identifier without angle brackets; nil when the part has none.
    package let contentID: String?
    /// The content type as sent; `text/plain` when the part has none (RFC 2045 §5.2).
    package let contentType: String
    package let contentLocation: String?
    /// The last component of the path that the sender gave; nil when there is none, or when it cannot be a file name.
    package let fileName: String?
    package let transferEncoding: TransferEncoding
    /// Where the part begins, in bytes from the start of the message.
    package let offset: Int

    /// - Parameter bytes: the lines before the empty line.
    init(_ bytes: ArraySlice<UInt8>, offset: Int, limits: AttachmentLimits) throws(AttachmentError) {
        func malformed(_ what: String) -> AttachmentError {
            AttachmentError(
                .malformedHeader, "The header of a part \(what); report it to the sender.", offset: offset)
        }
        var lines: [String] = []
        for line in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: true) {
            let line = line.last == UInt8(ascii: "\r") ? line.dropLast() : line
            // Bytes that are not UTF-8 are read as Latin-1, which keeps different bytes different.
            let text =
                String(validating: line, as: UTF8.self)
                ?? String(String.UnicodeScalarView(line.map { Unicode.Scalar($0) }))
            if text.unicodeScalars.contains(where: \.isControl) { throw malformed("holds a control character") }
            guard text.unicodeScalars.first?.isSpace == true else {
                if lines.count == limits.headerFields {
                    throw AttachmentError(
                        .tooManyFields,
                        "The header of a part has more than \(limits.headerFields) fields; raise AttachmentLimits.headerFields if this is wanted.",
                        offset: offset)
                }
                lines.append(text)
                continue
            }
            if lines.isEmpty { throw malformed("begins with the continuation of a field") }
            lines[lines.count - 1] += " " + String(String.UnicodeScalarView(text.unicodeScalars[...].trimmed))
        }
        var fields: [Field] = []
        for line in lines {
            let scalars = line.unicodeScalars
            guard let colon = scalars.firstIndex(of: ":") else { throw malformed("has a line without a colon") }
            let name = String(String.UnicodeScalarView(scalars[..<colon].trimmed))
            guard !name.isEmpty, name.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw malformed("has a field without a proper name")
            }
            let value = scalars[scalars.index(after: colon)...].trimmed
            fields.append(Field(name: name.lowercased(), value: String(String.UnicodeScalarView(value))))
        }
        func only(_ name: String) throws(AttachmentError) -> String? {
            var found: String?
            for field in fields where field.name == name {
                if let found, found != field.value { throw malformed("has two fields “\(name)” that differ") }
                found = field.value
            }
            return found
        }
        self.fields = fields
        self.offset = offset
        if let id = try only("content-id").map(ContentID.bare) {
            guard ContentID.isUsable(id) else { throw malformed("has a Content-ID that is empty or not one word") }
            contentID = id
        } else {
            contentID = nil
        }
        contentType = try only("content-type").flatMap { $0.isEmpty ? nil : $0 } ?? "text/plain"
        contentLocation = try only("content-location")
        let encoding = try only("content-transfer-encoding") ?? ""
        guard let transferEncoding = TransferEncoding(named: encoding) else {
            throw AttachmentError(
                .unsupportedEncoding,
                "A part has the Content-Transfer-Encoding “\(encoding.shown)”, which RFC 2045 does not define; ask its sender for “binary”.",
                offset: offset)
        }
        self.transferEncoding = transferEncoding
        guard let disposition = try only("content-disposition") else {
            fileName = nil
            return
        }
        do throws(ParameterDefect) { fileName = Self.fileName(try ParameterizedValue(disposition)) } catch {
            // The file name has no influence on how the message is read: without it nothing else is lost.
            guard error.isCarelessness else {
                throw AttachmentError(.malformedHeader, error.message, offset: offset)
            }
            fileName = nil
        }
    }

    /// Only the last component counts, because the receiver saves the file in a folder of its own choice (RFC 2183
    /// §2.3).
    private static func fileName(_ disposition: ParameterizedValue) -> String? {
        var name = disposition["filename"]
        // RFC 2231 §4: charset'language'percent-encoded.
        if let extended = disposition["filename*"] {
            let parts = extended.split(separator: "'", maxSplits: 2, omittingEmptySubsequences: false)
            if parts.count == 3, parts[0].lowercased() == "utf-8", let text = ContentID.decode(parts[2].utf8) {
                name = text
            }
        }
        // The path is split by scalars: a combining mark makes another character of a slash, but the file system still
        // sees the slash.
        guard let last = name?.unicodeScalars.split(whereSeparator: { $0 == "/" || $0 == "\\" }).last.map(String.init),
            last != ".", last != "..", !last.unicodeScalars.contains(where: \.isControl)
        else { return nil }
        return last
    }
}

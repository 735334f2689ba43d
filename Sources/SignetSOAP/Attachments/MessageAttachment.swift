/// A part beside the envelope: what SOAP with Attachments refers to and MTOM takes out of it.
///
/// ```swift
/// let scan = MessageAttachment(file: "/tmp/scan.tiff", contentType: "image/tiff")
/// for (index, attachment) in answer.attachments.enumerated() {
///     try await attachment.save(to: "/srv/in/\(index)-\(attachment.plainName)")
/// }
/// ```
///
/// Whatever it was made of, it can be sent; a received one can be sent on as it is. What was received and is not small is in a file
/// that has no name, shared by the attachments of one message, and gone with the last of them.
public struct MessageAttachment: Sendable {
    /// Where the content is.
    enum Content: Sendable {
        case bytes([UInt8])
        /// A file of the program's, opened each time it is sent or read.
        case file(path: String)
        case body(HTTPBody)
        /// A range of a file of ours.
        case kept(AttachmentFile, start: Int, count: Int)
    }

    /// The identifier without angle brackets, as it stands in the `Content-ID` field (RFC 2392). Of a received one whatever its sender has
    /// chosen; ``plainName`` is fit for a file.
    public var contentID: String
    /// The media type with its parameters.
    public var contentType: String
    /// The URL by which an envelope may name it instead of ``contentID`` (SOAP with Attachments §3).
    public var contentLocation: String?
    /// A name that its sender proposes for a file. Of a received one without folders; it may still be that of a file you have.
    public var fileName: String?
    let content: Content

    init(
        _ content: Content, contentType: String, contentID: String?, contentLocation: String?, fileName: String?
    ) {
        self.content = content
        self.contentID = contentID ?? ContentID.fresh()
        self.contentType = contentType
        self.contentLocation = contentLocation
        self.fileName = fileName
    }

    /// Bytes in memory.
    ///
    /// - Parameters:
    ///   - contentType: a media type, which like the other names is checked when it is sent.
    ///   - contentID: nil for one that no other attachment has.
    public init(
        _ bytes: [UInt8], contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            .bytes(bytes), contentType: contentType, contentID: contentID, contentLocation: contentLocation,
            fileName: fileName)
    }

    /// A file that is read while it is sent, and must not change meanwhile.
    ///
    /// - Parameters:
    ///   - fileName: the name that the receiver is told; none unless given.
    public init(
        file path: String, contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            .file(path: path), contentType: contentType, contentID: contentID, contentLocation: contentLocation,
            fileName: fileName)
    }

    /// Content that is written while it is sent: a message with it can be sent again only if it is replayable, and says its length
    /// only if it does.
    public init(
        _ body: HTTPBody, contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            body.bytes.map { .bytes($0) } ?? .body(body), contentType: contentType, contentID: contentID,
            contentLocation: contentLocation, fileName: fileName)
    }

    /// A name for a file: what the sender proposes, or the identifier, as far as it steers neither path nor shell nor terminal; other
    /// characters are underscores. Two attachments may have the same.
    public var plainName: String {
        let name = (fileName ?? contentID).unicodeScalars.prefix(80).map { scalar -> Character in
            let isPlain =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.@".unicodeScalars.contains(scalar)
            return isPlain ? Character(scalar) : "_"
        }
        let isHidden = name.first.map { $0 == "." || $0 == "-" } ?? true
        return (isHidden ? "_" : "") + String(name)
    }

    /// In bytes; of a file what it is now. Nil where nobody knows, or the file cannot be opened.
    public var count: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file(let path): try? AttachmentFile.reading(path).length()
        case .body(let body): body.count
        case .kept(_, _, let count): count
        }
    }

    /// Whether it can be sent again.
    public var isReplayable: Bool {
        if case .body(let body) = content { body.isReplayable } else { true }
    }

    /// Whether it was not read before, or can be read again.
    var canBeSent: Bool {
        guard case .body(let body) = content else { return true }
        return (try? body.check()) != nil
    }

    /// The URL by which an envelope names it: `cid:` and ``contentID``, percent-encoded (RFC 2392 §2).
    public var url: String { ContentID.url(contentID) }

    /// Whether a URL in an envelope names this attachment by its ``contentID`` or ``contentLocation``.
    public func isNamed(by url: String) -> Bool {
        ContentID.candidates(url).contains(contentID) || (contentLocation.map { $0 == url } ?? false)
    }
}

extension MessageAttachment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Type, size and name; never the content.
    public var description: String {
        "MessageAttachment \(contentID.shown) (\(contentType.shown), \(count.map { "\($0) bytes" } ?? "length unknown"))"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["contentID": contentID, "contentType": contentType, "count": count as Any])
    }
}

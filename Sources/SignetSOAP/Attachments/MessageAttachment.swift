/// A part beside the envelope: SOAP with Attachments refers to it, and MTOM moves content of the envelope into it.
///
/// ```swift
/// let scan = MessageAttachment(file: "/tmp/scan.tiff", contentType: "image/tiff")
/// for (index, attachment) in answer.attachments.enumerated() {
///     try await attachment.save(to: "/srv/in/\(index)-\(attachment.safeFileName)")
/// }
/// ```
///
/// Every attachment can be sent; a received one can be forwarded as it is. A received attachment that is not small is
/// in a file without a name, which the attachments of one message share, and which is removed with the last of them.
public struct MessageAttachment: Sendable {
    /// The source of the content.
    enum Content: Sendable {
        case bytes([UInt8])
        /// A file of the program, which is opened each time it is sent or read.
        case file(path: String)
        case body(HTTPBody)
        /// A range of a file that this library keeps.
        case kept(AttachmentFile, start: Int, count: Int)
    }

    /// The identifier without angle brackets, as it stands in the `Content-ID` field (RFC 2392). In a received
    /// attachment the sender has chosen it; use ``safeFileName`` to name a file.
    public var contentID: String
    /// The media type with its parameters.
    public var contentType: String
    /// The URL by which an envelope may name it instead of ``contentID`` (SOAP with Attachments §3).
    public var contentLocation: String?
    /// The file name that the sender proposes. In a received attachment it has no folders; a file of that name may
    /// still exist on your disk.
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

    /// Makes an attachment of bytes in memory.
    ///
    /// - Parameters:
    ///   - bytes: the content.
    ///   - contentType: the media type; like the other names, it is checked when the attachment is sent.
    ///   - contentID: the identifier; nil for a unique one.
    ///   - contentLocation: the URL by which an envelope may name the attachment; none unless given.
    ///   - fileName: the file name to propose to the receiver; none unless given.
    public init(
        _ bytes: [UInt8], contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            .bytes(bytes), contentType: contentType, contentID: contentID, contentLocation: contentLocation,
            fileName: fileName)
    }

    /// Makes an attachment of a file that is read while it is sent, and must not change during that time.
    ///
    /// - Parameters:
    ///   - path: the path of the file.
    ///   - contentType: the media type; like the other names, it is checked when the attachment is sent.
    ///   - contentID: the identifier; nil for a unique one.
    ///   - contentLocation: the URL by which an envelope may name the attachment; none unless given.
    ///   - fileName: the file name to propose to the receiver; none unless given.
    public init(
        file path: String, contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            .file(path: path), contentType: contentType, contentID: contentID, contentLocation: contentLocation,
            fileName: fileName)
    }

    /// Makes an attachment of content that is written while it is sent. A message with it can be sent again only if the
    /// content is replayable, and states its length only if the content does.
    public init(
        _ body: HTTPBody, contentType: String = "application/octet-stream", contentID: String? = nil,
        contentLocation: String? = nil, fileName: String? = nil
    ) {
        self.init(
            body.bytes.map { .bytes($0) } ?? .body(body), contentType: contentType, contentID: contentID,
            contentLocation: contentLocation, fileName: fileName)
    }

    /// A name for a file: the name that the sender proposes, or the identifier. Characters that have a meaning in
    /// paths, shells or terminals are replaced by underscores. Two attachments may have the same name.
    public var safeFileName: String {
        let name = (fileName ?? contentID).unicodeScalars.prefix(80).map { scalar -> Character in
            let isPlain =
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || "-_.@".unicodeScalars.contains(scalar)
            return isPlain ? Character(scalar) : "_"
        }
        let isHidden = name.first.map { $0 == "." || $0 == "-" } ?? true
        return (isHidden ? "_" : "") + String(name)
    }

    /// The size in bytes; of a file its size now. Nil when the size is unknown, or the file cannot be opened.
    public var count: Int? {
        switch content {
        case .bytes(let bytes): bytes.count
        case .file(let path): try? AttachmentFile.reading(path).length()
        case .body(let body): body.count
        case .kept(_, _, let count): count
        }
    }

    /// Whether the attachment can be sent again.
    public var isReplayable: Bool {
        if case .body(let body) = content { body.isReplayable } else { true }
    }

    /// Whether the content was not read before, or can be read again.
    var canBeSent: Bool {
        guard case .body(let body) = content else { return true }
        return (try? body.check()) != nil
    }

    /// The URL by which an envelope names it: `cid:` and ``contentID``, percent-encoded (RFC 2392 §2).
    public var url: String { ContentID.url(contentID) }

    /// Whether a URL names this attachment by its ``contentID``, percent-encoded as RFC 2392 §2 has it.
    package func isIdentified(by url: String) -> Bool { ContentID.candidates(url).first == contentID }

    /// Whether a URL in an envelope names this attachment by its ``contentID`` or ``contentLocation``.
    public func isNamed(by url: String) -> Bool {
        ContentID.candidates(url).contains(contentID) || (contentLocation.map { $0 == url } ?? false)
    }
}

extension MessageAttachment: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The type, size and name; never the content.
    public var description: String {
        "MessageAttachment \(contentID.shown) (\(contentType.shown), \(count.map { "\($0) bytes" } ?? "length unknown"))"
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror {
        Mirror(self, children: ["contentID": contentID, "contentType": contentType, "count": count as Any])
    }
}

#if canImport(Darwin)
import Darwin
#elseif canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// An envelope and its attachments as a multipart/related message (RFC 2387), ready to be sent.
package struct MultipartMessage: Sendable {
    /// How the envelope refers to its attachments.
    package enum Packaging: Sendable, Hashable {
        /// As an XOP package, in which `xop:Include` elements replace content of the envelope (XOP §4, MTOM §3).
        case xop
        /// By their URLs (SOAP Messages with Attachments §3).
        case attachments
    }

    /// The value of the `Content-Type` field.
    package let contentType: String
    /// The content: in memory when all parts are; otherwise written while it is sent. It states its length when all
    /// lengths are known, and is replayable when all parts are.
    package let body: HTTPBody

    /// - Parameters:
    ///   - envelope: the envelope, in UTF-8.
    ///   - action: the action of SOAP 1.2; SOAP 1.1 has a field of its own for it.
    /// - Throws: ``AttachmentError``: `unwritable` for names and types that cannot stand in a header, `duplicateID`,
    ///   and `fileFailed` for a file that cannot be opened.
    package init(
        envelope: [UInt8], packaging: Packaging, version: SOAPVersion, action: String? = nil,
        attachments: [MessageAttachment]
    ) throws(AttachmentError) {
        let rootID = ContentID.fresh()
        var ids: Set<String> = [rootID]
        for attachment in attachments where !ids.insert(attachment.contentID).inserted {
            throw AttachmentError(
                .duplicateID,
                "Two attachments have the identifier “\(attachment.contentID.shown)”, so that a receiver could not tell them apart; give one of them another identifier."
            )
        }
        let types = try Types(packaging, version, version == .soap12 ? action : nil)
        let boundary = Self.boundary(foreignTo: envelope, attachments)
        let rootHeader =
            "Content-Type: \(types.root)\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <\(rootID)>\r\n"
        var segments = [Segment.bytes(Array("--\(boundary)\r\n\(rootHeader)\r\n".utf8)), .bytes(envelope)]
        for attachment in attachments {
            segments.append(.bytes(Array("\r\n--\(boundary)\r\n\(try attachment.header())\r\n".utf8)))
            segments.append(try Segment(attachment))
        }
        segments.append(.bytes(Array("\r\n--\(boundary)--\r\n".utf8)))
        contentType = "multipart/related; boundary=\"\(boundary)\"; start=\"<\(rootID)>\"; \(types.parameters)"
        body = Self.body(segments)
    }

    /// Makes a boundary that does not occur in the content.
    ///
    /// Content that is written while it is sent cannot be searched. It does not depend on the boundary, so that n bytes
    /// of it contain the 128 random bits with a probability of n / 2¹²⁸, which is less than that of an undetected
    /// memory fault. Content in memory is searched all the same.
    private static func boundary(foreignTo envelope: [UInt8], _ attachments: [MessageAttachment]) -> String {
        while true {
            // Neither base64 nor quoted-printable can contain the beginning of this boundary (RFC 2045 §6.7).
            let boundary = "=_\(ContentID.fresh().prefix(32))"
            let needle = Array(boundary.utf8)
            let stands = attachments.contains {
                if case .bytes(let bytes) = $0.content { needle.occurs(in: bytes) } else { false }
            }
            if !stands, !needle.occurs(in: envelope) { return boundary }
        }
    }

    // MARK: Content

    private enum Segment: Sendable {
        case bytes([UInt8])
        /// - count: the size in bytes; nil when it is unknown.
        case attachment(MessageAttachment, count: Int?)

        init(_ attachment: MessageAttachment) throws(AttachmentError) {
            switch attachment.content {
            case .bytes(let bytes): self = .bytes(bytes)
            case .body(let body): self = .attachment(attachment, count: body.count)
            case .file, .kept: self = .attachment(attachment, count: try attachment.source().count)
            }
        }

        var count: Int? {
            switch self {
            case .bytes(let bytes): bytes.count
            case .attachment(_, let count): count
            }
        }

        var isReplayable: Bool {
            if case .attachment(let attachment, _) = self { attachment.isReplayable } else { true }
        }
    }

    private static func body(_ segments: [Segment]) -> HTTPBody {
        let pieces = segments.compactMap { if case .bytes(let bytes) = $0 { bytes } else { nil } }
        if pieces.count == segments.count { return HTTPBody(Array(pieces.joined())) }
        let length = segments.reduce(Int?.some(0)) { sum, segment in
            guard let sum, let count = segment.count else { return nil }
            let (total, overflow) = sum.addingReportingOverflow(count)
            return overflow ? nil : total
        }
        return HTTPBody(length: length, isReplayable: segments.allSatisfy(\.isReplayable)) { writer in
            for segment in segments {
                switch segment {
                case .bytes(let bytes): try await writer.write(bytes)
                case .attachment(let attachment, let count):
                    try await attachment.write(expected: count) { try await writer.write($0) }
                }
            }
        }
    }

    // MARK: Types

    /// The media types that the message and its root part state for the envelope.
    private struct Types {
        /// The `Content-Type` of the root part.
        let root: String
        /// The parameters of the message's own `Content-Type`.
        let parameters: String

        /// - Parameter action: the action. It is written into the type of the envelope, as for an envelope without a
        ///   package (RFC 3902 §2), and once more into the type of the message, for receivers that do not read
        ///   `start-info`.
        init(_ packaging: Packaging, _ version: SOAPVersion, _ action: String?) throws(AttachmentError) {
            var suffix = ""
            if let action {
                guard action.isPrintableASCII else {
                    throw AttachmentError(
                        .unwritable,
                        "The action “\(action.shown)” cannot stand in a Content-Type; it must be a URI in ASCII."
                    )
                }
                suffix = "; action=\(action.quoted)"
            }
            let envelope = version.mediaType + suffix
            switch packaging {
            case .xop:
                root = "application/xop+xml; charset=UTF-8; type=\(envelope.quoted)"
                parameters = "type=\"application/xop+xml\"; start-info=\(envelope.quoted)\(suffix)"
            case .attachments:
                root = "\(version.mediaType); charset=UTF-8\(suffix)"
                parameters = "type=\"\(version.mediaType)\"\(suffix)"
            }
        }
    }
}

extension MessageAttachment {
    /// The fields before the part, each with its line end.
    ///
    /// - Throws: ``AttachmentError`` with `unwritable` for text that could end a field, or that is not ASCII where only
    ///   ASCII is allowed.
    fileprivate func header() throws(AttachmentError) -> String {
        func check(_ holds: Bool, _ what: String, _ value: String) throws(AttachmentError) {
            if holds { return }
            throw AttachmentError(
                .unwritable,
                "The \(what) “\(value.shown)” of an attachment cannot stand in a header: visible ASCII is allowed there."
            )
        }
        let isType = contentType.isPrintableASCII && !contentType.isEmpty
        try check(isType, "content type", contentType)
        try check(ContentID.isUsable(contentID) && contentID.isPrintableASCII, "identifier", contentID)
        var header =
            "Content-Type: \(contentType)\r\nContent-Transfer-Encoding: binary\r\nContent-ID: <\(contentID)>\r\n"
        if let contentLocation {
            let isURL = contentLocation.isPrintableASCII && !contentLocation.contains(" ") && !contentLocation.isEmpty
            try check(isURL, "content location", contentLocation)
            header += "Content-Location: \(contentLocation)\r\n"
        }
        if let fileName {
            if fileName.unicodeScalars.contains(where: \.isControl) { try check(false, "file name", fileName) }
            let plain = String(
                String.UnicodeScalarView(fileName.unicodeScalars.map { (0x20...0x7E).contains($0.value) ? $0 : "_" }))
            header += "Content-Disposition: attachment; filename=\(plain.quoted)"
            // RFC 2231 §4.
            if plain != fileName { header += "; filename*=UTF-8''\(ContentID.encode(fileName))" }
            header += "\r\n"
        }
        return header
    }
}

extension String {
    /// The text as a quoted string (RFC 2045 §5.1).
    package var quoted: String {
        // Characters are compared by scalars, because a combining mark may follow a quote.
        var result = "\"".unicodeScalars
        for scalar in unicodeScalars {
            if scalar == "\"" || scalar == "\\" { result.append("\\") }
            result.append(scalar)
        }
        result.append("\"")
        return String(result)
    }
}

extension [UInt8] {
    /// Fast when the first byte is rare.
    fileprivate func occurs(in bytes: [UInt8]) -> Bool {
        guard let first else { return true }
        return unsafe bytes.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return false }
            var next = 0
            while bytes.count - next >= count, let hit = unsafe memchr(base + next, CInt(first), bytes.count - next) {
                let place = unsafe base.distance(to: UnsafeRawPointer(hit))
                if unsafe bytes[place...].starts(with: self) { return true }
                next = place + 1
            }
            return false
        }
    }
}

import SignetHTTP
import SignetSOAP
import SignetSignature
import SignetXML

/// How the content of an attachment is signed, which depends on its media type (SOAP Messages with Attachments Profile 1.1.1
/// §5.4.2).
private enum AttachmentForm {
    case bytes
    /// With CR LF at the end of each line (RFC 2046 §4.1.1).
    case text
    /// In the exclusive canonical form.
    case xml

    /// - Throws: ``SecurityDefect`` for an encoding in which the form would be other content.
    init(_ contentType: String) throws(SecurityDefect) {
        let mediaType = MediaType(contentType)
        // Other receivers look only at the beginning of a type with parameters that cannot be read.
        let type = mediaType.defect?.essence ?? mediaType.essence
        let isImageOrApplication = type.hasPrefix("application/") || type.hasPrefix("image/")
        if type == "text/xml" || type == "application/xml" || isImageOrApplication && type.hasSuffix("+xml") {
            self = .xml
        } else {
            self = type.hasPrefix("text/") ? .text : .bytes
        }
        let charset = mediaType.charset ?? ""
        let isWide = ["utf-16", "utf16", "utf-32", "utf32", "ucs", "iso-10646"].contains { charset.hasPrefix($0) }
        guard self == .bytes || !isWide, self != .xml || MediaType.isUTF8(mediaType.charset) else {
            throw SecurityDefect(
                .invalidSecurity,
                "an attachment of the type “\(type.printable)” in the encoding “\(charset.printable)” has no form for a signature: send it in UTF-8, or as application/octet-stream"
            )
        }
    }
}

extension MessageAttachment {
    /// The hash of the content that a signature covers, and that content where it is not the content as it is.
    ///
    /// - Parameter limits: `documentBytes` is what the content may have in another form.
    fileprivate func signed(
        _ method: DigestMethod, _ limits: XMLLimits
    ) throws -> (digest: [UInt8], content: [UInt8]?) {
        let content: [UInt8]
        switch try AttachmentForm(contentType) {
        case .bytes: return (try method.digest { take in try readPieces(take) }, nil)
        case .text: content = Self.withNetworkLineEnds(try bytes(limit: limits.documentBytes))
        case .xml:
            content = try XMLCanonicalization(.exclusive10).content(
                of: nil, in: try bytes(limit: limits.documentBytes), limits: limits)
        }
        return (method.digest { $0(content) }, content)
    }

    private static func withNetworkLineEnds(_ bytes: [UInt8]) -> [UInt8] {
        let (cr, lf) = (UInt8(ascii: "\r"), UInt8(ascii: "\n"))
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 16)
        var last: UInt8 = 0
        for byte in bytes {
            if byte == cr || byte == lf && last != cr {
                result += [cr, lf]
            } else if byte != lf {
                result.append(byte)
            }
            last = byte
        }
        return result
    }
}

extension SignatureProfile {
    /// The references to the attachments of a message.
    ///
    /// - Throws: ``WSSecurityError``, `CancellationError`.
    func references(to attachments: [MessageAttachment], _ method: DigestMethod) throws -> [SignatureReference] {
        guard parts.contains(.attachments) || attachments.isEmpty else {
            throw WSSecurityError(
                .cannotSign,
                "The message has attachments, which the signature does not cover: add attachments to parts of the SignatureProfile, or, where the WSDL says what is signed, set signature of the SecurityHeader."
            )
        }
        try check(count: attachments.count)
        var limits = limits
        return try attachments.map { attachment in
            do {
                let (digest, content) = try attachment.signed(method, limits)
                limits.documentBytes -= content?.count ?? 0
                return SignatureReference(.init(url: attachment.url, digest: digest))
            } catch let error as CancellationError {
                throw error
            } catch {
                let reason = (error as? SecurityDefect)?.reason ?? "\(error)"
                throw WSSecurityError(.cannotSign, "An attachment cannot be signed: \(reason)", cause: error)
            }
        }
    }

    /// - Parameter count: of what is to be signed.
    func check(count: Int) throws(WSSecurityError) {
        guard count <= SignatureElement.maximumReferences else {
            throw WSSecurityError(
                .cannotSign,
                "The message has \(count) parts to sign; \(SignatureElement.maximumReferences) are the limit.")
        }
    }
}

extension SignaturePolicy {
    /// The attachments of a message as its signature covers them.
    ///
    /// - Throws: ``SecurityDefect`` for an attachment that is not signed, or not as it was signed, and for one that was removed;
    ///   `AttachmentError` for a file of this program that fails; `CancellationError`.
    func verified(
        _ attachments: [MessageAttachment], by signature: SignatureElement
    ) throws -> [MessageAttachment] {
        let mayBeUnsigned = unsigned.contains(.attachments) && !signed.contains(.attachments)
        guard attachments.isEmpty || signed.contains(.attachments) || mayBeUnsigned else {
            throw SecurityDefect(
                .invalidSecurity,
                "the message has attachments, which the policy names neither in signed nor in unsigned")
        }
        var result = attachments
        var places: Set<Int> = []
        var limits = limits
        for reference in signature.references where reference.isAttachment {
            let found = attachments.indices.filter { attachments[$0].isIdentified(by: reference.uri) }
            guard found.count == 1, let place = found.first, places.insert(place).inserted else {
                throw SecurityDefect(
                    .failedCheck,
                    "the reference “\(reference.uri.printable)” leads to \(found.count) attachments, or to one that was signed already"
                )
            }
            let (digest, content) = try attachments[place].signed(reference.digestMethod, limits)
            guard digest == reference.digest else {
                throw SecurityDefect(
                    .failedCheck, "the attachment “\(reference.uri.printable)” is not what was signed")
            }
            // No signature covers the name and the location; content in another form could be read in another way.
            if let content {
                result[place] = attachments[place].replacingContent(by: content)
                limits.documentBytes -= content.count
            }
            (result[place].contentLocation, result[place].fileName) = (nil, nil)
        }
        guard mayBeUnsigned || places.count == attachments.count else {
            throw SecurityDefect(
                .failedCheck, "\(attachments.count - places.count) attachments of the message are not signed")
        }
        return result
    }
}

import SignetHTTP
import SignetSOAP
import SignetSignature
import SignetXML

/// How the content of an attachment is signed, which depends on its media type (SOAP Messages with Attachments Profile 1.1.1 §5.4.2).
private enum AttachmentForm {
    case bytes
    /// With CR LF at the end of each line (RFC 2046 §4.1.1).
    case text
    /// In the exclusive canonical form.
    case xml

    init(_ contentType: String) {
        let type = MediaType(contentType).essence
        let isImageOrApplication = type.hasPrefix("application/") || type.hasPrefix("image/")
        self =
            type == "text/xml" || type == "application/xml" || isImageOrApplication && type.hasSuffix("+xml")
            ? .xml : type.hasPrefix("text/") ? .text : .bytes
    }
}

extension MessageAttachment {
    /// The hash of the content that a signature covers, and that content where it is not the content as it is.
    fileprivate func signed(
        _ method: DigestMethod, _ limits: XMLLimits
    ) throws -> (digest: [UInt8], content: [UInt8]?) {
        let content: [UInt8]
        switch AttachmentForm(contentType) {
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
    func references(
        to attachments: [MessageAttachment], _ method: DigestMethod
    ) throws(WSSecurityError) -> [SignatureReference] {
        guard parts.contains(.attachments) || attachments.isEmpty else {
            throw WSSecurityError(
                .cannotSign,
                "The message has attachments, which the signature does not cover. Nothing was sent: add attachments to parts of the SignatureProfile, or, where the WSDL says what is signed, set signature of the SecurityHeader."
            )
        }
        return try attachments.map { (attachment) throws(WSSecurityError) in
            do {
                let digest = try attachment.signed(method, limits).digest
                return SignatureReference(.init(url: attachment.url, digest: digest))
            } catch {
                throw WSSecurityError(
                    .cannotSign, "An attachment cannot be signed. Nothing was sent. \(error)", cause: error)
            }
        }
    }
}

extension SignaturePolicy {
    /// The attachments of a message as its signature covers them.
    ///
    /// - Throws: ``SecurityDefect`` for an attachment that is not signed, or not as it was signed, and for one that was removed.
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
            if let content { result[place] = attachments[place].replacingContent(by: content) }
            (result[place].contentLocation, result[place].fileName) = (nil, nil)
        }
        guard mayBeUnsigned || places.count == attachments.count else {
            throw SecurityDefect(
                .failedCheck, "\(attachments.count - places.count) attachments of the message are not signed")
        }
        return result
    }
}

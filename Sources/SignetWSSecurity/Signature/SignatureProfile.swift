public import SignetSOAP
public import SignetSignature
public import SignetTLS
import SignetXML

/// How messages are signed with a certificate (SOAP Message Security 1.1 §8, X.509 Certificate Token Profile 1.1).
///
/// ```swift
/// var security = SecurityHeader(lifetime: .seconds(300))
/// security.signature = try SignatureProfile(identity)
/// service.headerProviders = [security]
/// ```
public struct SignatureProfile: Sendable {
    /// What is signed. The default is the body, the Timestamp, and the header blocks of WS-Addressing and the attachments if there
    /// are any. A call whose message lacks another part that is named here ends with an error before anything is sent.
    public var parts: Set<MessagePart> = [.body, .timestamp, .addressing, .attachments]
    /// How a message brings or names the certificate of the signer. The default brings the certificate alone.
    public var reference = CertificateReference.certificate
    /// Whether the token of ``/SignetSOAP/MessagePart/signingToken`` is signed by STR-Transform in place of its identifier (SOAP Message Security 1.1
    /// §8.3), as some services demand.
    public var usesTokenTransform = false
    /// With which algorithm the key signs.
    public var algorithm: XMLSignatureAlgorithm {
        get { signer.algorithm }
        set { signer.algorithm = newValue }
    }
    /// The hash of the parts. The default is SHA-256.
    public var digest: XMLDigestAlgorithm {
        get { signer.digest }
        set { signer.digest = newValue }
    }
    /// The limits of the messages. Messages that exceed them are not sent; raise them with those of the calls
    /// (`CallSettings.xmlLimits`) or of the service.
    public var limits = XMLLimits()

    /// Whether messages may lack the header blocks that are named in ``parts``.
    var areHeaderBlocksOptional = false
    private var signer: XMLSigner
    /// The certificate of the signer, and those that lead to its authority.
    private let chain: [EncodedCertificate]

    /// - Parameter identity: whose key signs.
    /// - Throws: ``WSSecurityError`` with `cannotSign` for a key that offers no algorithm.
    public init(_ identity: Identity) throws(WSSecurityError) {
        chain = identity.chain
        do { signer = try XMLSigner(identity) } catch {
            throw WSSecurityError(.cannotSign, error.message, cause: error)
        }
    }
}

extension SignatureProfile {
    /// Whether the key of this identity signs.
    func isOf(_ identity: Identity) -> Bool { chain.first?.publicKeySHA256 == identity.leaf.publicKeySHA256 }

    /// Signs a message whose envelope has a Security header block.
    ///
    /// - Parameters:
    ///   - role: that of the Security header block.
    ///   - confirms: whether SignatureConfirmations are signed as well, which an answer must (§8.5).
    ///   - token: the token of the message that names the key; nil to name it by its certificate.
    /// - Returns: the envelope with the signature, and the value of the signature.
    /// - Throws: ``WSSecurityError``, `CancellationError`.
    func sign(
        _ message: SOAPMessage, role: SOAPRole?, confirms: Bool = false, by token: IssuedToken? = nil
    ) async throws -> (envelope: [UInt8], value: [UInt8]) {
        do {
            let attachments = try references(to: message.attachments, signer.digest.method)
            let prepared = try prepared(message.envelope, role, confirms, token)
            let references = prepared.references + attachments
            try check(count: references.count)
            guard !references.isEmpty else {
                // The header blocks that a WSDL wants signed are not in this message.
                if areHeaderBlocksOptional { return (message.envelope, []) }
                throw WSSecurityError(.cannotSign, "The message has nothing that the profile of the signature names.")
            }
            var signer = signer
            signer.limits = limits
            let signed = try await signer.sign(
                references, keyInfo: prepared.keyInfo, in: prepared.envelope, at: prepared.gap)
            return (signed.document, signed.value)
        } catch let error as WSSecurityError {
            throw error
        } catch let error as CancellationError {
            throw error
        } catch let defect as SecurityDefect {
            throw WSSecurityError(.cannotSign, "The message cannot be signed: \(defect.reason).")
        } catch {
            throw WSSecurityError(.cannotSign, "The message cannot be signed: \(error)", cause: error)
        }
    }

    private struct Prepared {
        var envelope: [UInt8]
        var references: [SignatureReference]
        var keyInfo: String
        var gap: DocumentGap
    }

    /// Adds the token, and identifiers to the parts that have none.
    private func prepared(
        _ given: [UInt8], _ role: SOAPRole?, _ confirms: Bool, _ issued: IssuedToken?
    ) throws -> Prepared {
        var envelope = given
        guard !usesTokenTransform || issued != nil || reference.bringsCertificate && self.parts.contains(.signingToken)
        else {
            throw WSSecurityError(
                .cannotSign,
                "usesTokenTransform of the SignatureProfile has no effect: parts must name the signingToken, and the message must bring it (reference)."
            )
        }
        // What signed an assertion would not cover an identifier of WS-Security in it.
        let usesTransform = usesTokenTransform || issued != nil && parts.contains(.signingToken)
        let identifier = usesTransform ? SecurityName.newIdentifier("Reference") : nil
        let (keyInfo, token, tokenIdentifier) =
            try issued?.text(identifier: identifier) ?? reference.text(of: chain, identifier: identifier)
        let block = try securityBlock(of: try SecuredEnvelope(signing: envelope, role: role, limits: limits))
        if !token.isEmpty {
            let gap = DocumentGap(endOf: block.element.range, in: envelope)
            Self.insert(Array(token.utf8), at: gap, in: &envelope)
        }
        let found = try wanted(
            try SecuredEnvelope(signing: envelope, role: role, limits: limits), tokenIdentifier, confirms)
        for part in found.reversed() where part.identifier == nil && part.assertion == nil {
            Self.identify(part, in: &envelope)
        }
        let parts = try SecuredEnvelope(signing: envelope, role: role, limits: limits)
        let places = try wanted(parts, tokenIdentifier, confirms)
        // The receiver has to find each part by its identifier.
        let index = try DocumentIndex(of: envelope, identifiers: Set(places.compactMap(\.identifier)), limits: limits)
        let references = try places.map { part in
            if let identifier, part.certificates != nil || part.assertion != nil {
                var reference = SignatureReference(
                    part.element, identifier: identifier, XMLCanonicalization(.exclusive10))
                reference.isTokenReference = true
                return reference
            }
            guard let identifier = part.identifier, XMLName.isNCName(identifier),
                try index.element(identifier: identifier) == part.element
            else {
                throw WSSecurityError(
                    .cannotSign, "“\(part.element.localName)” has a wsu:Id that is no identifier.")
            }
            var form = XMLCanonicalization(.exclusive10)
            form.inclusiveNamespaces = part.prefixesInValues(of: envelope)
            guard form.inclusiveNamespaces.joined(separator: " ").utf8.count <= SignatureElement.maximumListBytes else {
                throw WSSecurityError(
                    .cannotSign,
                    "“\(part.element.localName)” uses too many prefixes in values: their names have more than \(SignatureElement.maximumListBytes) bytes."
                )
            }
            return SignatureReference(part.element, identifier: identifier, form)
        }
        return Prepared(
            envelope: envelope, references: references, keyInfo: keyInfo,
            gap: DocumentGap(endOf: try securityBlock(of: parts).element.range, in: envelope))
    }

    private func securityBlock(of envelope: SecuredEnvelope) throws(WSSecurityError) -> SecuredEnvelope.Part {
        guard let security = envelope.security else {
            throw WSSecurityError(.cannotSign, "The message has no Security header block for its signature.")
        }
        return security
    }

    /// The elements to sign, in a fixed order.
    private func wanted(
        _ envelope: SecuredEnvelope, _ tokenIdentifier: String, _ confirms: Bool
    ) throws(WSSecurityError) -> [SecuredEnvelope.Part] {
        var found: [SecuredEnvelope.Part] = []
        for part in parts {
            var elements = envelope.elements(of: part)
            // A message can have other tokens, which stay as they are.
            if part == .signingToken {
                elements.removeAll { ($0.assertion ?? $0.identifier) != tokenIdentifier }
            }
            guard !elements.isEmpty || part.isGroup || areHeaderBlocksOptional && part.isHeaderBlock else {
                let advice = part == .timestamp ? ": give the SecurityHeader a lifetime" : ""
                throw WSSecurityError(
                    .cannotSign, "The message lacks \(part), which the profile of the signature names\(advice).")
            }
            found += elements
        }
        if confirms { found += envelope.securityParts.filter { $0.is(SecurityName.signatureConfirmation) } }
        var seen: Set<Int> = []
        return found.filter { seen.insert($0.element.range.lowerBound).inserted }
            .sorted { $0.element.range.lowerBound < $1.element.range.lowerBound }
    }

    static func insert(_ element: [UInt8], at gap: DocumentGap, in document: inout [UInt8]) {
        let edit = DocumentEdit(gap, element)
        document.replaceSubrange(edit.range, with: edit.bytes)
    }

    /// Gives the element an identifier.
    private static func identify(_ part: SecuredEnvelope.Part, in document: inout [UInt8]) {
        let start = part.element.range.lowerBound
        let name = document[start...].dropFirst().prefix { !" \t\r\n/>".utf8.contains($0) }
        // A prefix that has no meaning here: the names inside the element keep theirs.
        var prefix = "wsu"
        while part.prefixes.contains(prefix) { prefix += "u" }
        let attribute =
            " xmlns:\(prefix)=\"\(SecurityName.utility.uri)\" \(prefix):Id=\"\(SecurityName.newIdentifier(part.element.localName.asciiLetters))\""
        document.insert(contentsOf: Array(attribute.utf8), at: name.endIndex)
    }
}

extension String {
    /// The letters of a name with which an identifier can begin.
    fileprivate var asciiLetters: String {
        let letters = unicodeScalars.filter { ("a"..."z").contains($0) || ("A"..."Z").contains($0) }
        return letters.isEmpty ? "Part" : String(String.UnicodeScalarView(letters))
    }
}

extension SecuredEnvelope.Part {
    /// The prefixes that stand in texts or in values of attributes, as in `xsi:type="xs:string"`, whether they are declared
    /// around the element or inside. The result may include prefixes that only names use, which exclusive canonicalization permits.
    func prefixesInValues(of document: [UInt8]) -> [String] {
        var used: Set<String> = []
        var declared = prefixes
        let bytes = document[element.range]
        for colon in bytes.indices where bytes[colon] == UInt8(ascii: ":") {
            let start = bytes[..<colon].lastIndex { !Self.isNameByte($0) }.map { $0 + 1 } ?? bytes.startIndex
            guard start < colon, colon - start <= 1024 else { continue }
            let prefix = String(decoding: bytes[start..<colon], as: UTF8.self)
            if prefix == "xmlns" {
                let name = bytes[(colon + 1)...].prefix(while: Self.isNameByte)
                declared.insert(String(decoding: name, as: UTF8.self))
            } else if !Self.isTag(bytes[..<start]) {
                used.insert(prefix)
            }
            if Self.isUnprefixedType(bytes[colon...]) { used.insert("#default") }
        }
        return used.filter { declared.contains($0) && $0 != "xml" || $0 == "#default" }.sorted()
    }

    /// Whether a name follows that is the name of an element.
    private static func isTag(_ before: ArraySlice<UInt8>) -> Bool {
        before.last == UInt8(ascii: "<") || before.suffix(2).elementsEqual("</".utf8)
    }

    /// Whether `bytes` begin as the value of `xsi:type` does that has no prefix, and so means the default namespace.
    private static func isUnprefixedType(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard bytes.starts(with: ":type=".utf8), let quote = bytes.dropFirst(6).first,
            quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'")
        else { return false }
        return !bytes.dropFirst(7).prefix { $0 != quote }.contains(UInt8(ascii: ":"))
    }

    /// Whether a byte can stand in the name of a prefix.
    private static func isNameByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), 0x80...:
            true
        default: false
        }
    }
}

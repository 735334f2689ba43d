import SignetSOAP
import SignetSignature
import SignetTLS
import SignetXML

/// Where the parts of an envelope are that a signature can cover (SOAP Message Security 1.1 §5, §8).
struct SecuredEnvelope: Sendable {
    /// A header block, the body, or a child of the Security header block.
    struct Part: Sendable {
        var element: DocumentIndex.Element
        /// The value of `wsu:Id`.
        var identifier: String?
        var mustUnderstand = false
        var role: SOAPRole?
        /// The certificates of a BinarySecurityToken, the signer's first; nil for other elements.
        var certificates: [EncodedCertificate]?
        /// The identifier of a SAML assertion; nil for other elements. It does not change, because the assertion is signed.
        var assertion: String?
        /// The prefixes that are in scope at the element; empty for none.
        var prefixes: Set<String> = []
        /// Where the start tag ends.
        var contentStart: Int

        func `is`(_ name: XMLName) -> Bool {
            element.namespaceURI == name.namespace.uri && element.localName == name.localName
        }

        /// Whether the block is for a node that acts in one of these roles, besides those that every receiver has.
        func isFor(_ roles: Set<SOAPRole>) -> Bool { SOAPRole.isFor(role, roles) }
    }

    /// Limits the work for one message.
    private static let maximumSecurityParts = 64
    private static let maximumHeaderBlocks = 256

    private(set) var version = SOAPVersion.soap11
    private(set) var root: Range<Int> = 0..<0
    /// Nil without a Header.
    private(set) var header: Range<Int>?
    /// The Security header block included.
    private(set) var headerBlocks: [Part] = []
    private(set) var body: Part
    /// The one Security header block for this node; nil for none.
    private(set) var security: Part?
    /// The children of ``security``.
    private(set) var securityParts: [Part] = []

    /// Whether prefixes are collected, which only a signer needs.
    private var collectsPrefixes = false

    /// An envelope that arrives.
    ///
    /// - Parameter roles: in which this node acts, besides those that every receiver has.
    /// - Throws: ``SecurityDefect``.
    init(_ envelope: [UInt8], roles: Set<SOAPRole>, limits: XMLLimits) throws {
        try self.init(envelope, false, limits) { SOAPRole.isFor($0, roles) }
    }

    /// An envelope that is to be signed.
    ///
    /// - Parameter role: that of the Security header block.
    /// - Throws: ``SecurityDefect``.
    init(signing envelope: [UInt8], role: SOAPRole?, limits: XMLLimits) throws {
        try self.init(envelope, true, limits) { $0 == role }
    }

    private init(
        _ envelope: [UInt8], _ collectsPrefixes: Bool, _ limits: XMLLimits, isOurs: (SOAPRole?) -> Bool
    ) throws {
        self.collectsPrefixes = collectsPrefixes
        body = Part(element: .init(namespaceURI: "", localName: "", range: 0..<0), contentStart: 0)
        do {
            try XMLReader.read(envelope, limits: limits) { reader throws in try read(&reader, isOurs) }
        } catch let error as XMLError {
            throw SecurityDefect(.invalidSecurity, "the envelope cannot be read (\(error.code))")
        }
    }

    private mutating func read(_ reader: inout XMLReader, _ isOurs: (SOAPRole?) -> Bool) throws {
        guard reader.isInPlace else { throw SecurityDefect(.invalidSecurity, "the envelope is not in UTF-8") }
        try reader.root()
        guard let version = SOAPVersion.all.first(where: { reader.isElement($0.envelope) }) else {
            throw SecurityDefect(.invalidSecurity, "the message is no envelope")
        }
        self.version = version
        try refuseInherited(&reader)
        let begin = reader.startTagOffset ?? 0
        var hasBody = false
        while try reader.nextChild() {
            if !hasBody, header == nil, reader.isElement(version.header) {
                let start = reader.startTagOffset ?? 0
                try refuseInherited(&reader)
                while try reader.nextChild() { try readHeaderBlock(&reader, isOurs) }
                header = start..<reader.bytesRead
            } else if !hasBody, reader.isElement(version.body) {
                body = try part(&reader)
                hasBody = true
            } else {
                throw SecurityDefect(
                    .invalidSecurity, "“\(reader.elementName.printable)” has no place in the envelope")
            }
        }
        root = begin..<reader.bytesRead
        try reader.finish()
        guard hasBody else { throw SecurityDefect(.invalidSecurity, "the envelope has no Body") }
    }

    private mutating func readHeaderBlock(_ reader: inout XMLReader, _ isOurs: (SOAPRole?) -> Bool) throws {
        guard headerBlocks.count < Self.maximumHeaderBlocks else {
            throw SecurityDefect(.invalidSecurity, "more than \(Self.maximumHeaderBlocks) header blocks")
        }
        guard reader.isElement(SecurityName.security) else {
            headerBlocks.append(try part(&reader))
            return
        }
        guard isOurs(role(&reader)) else {
            headerBlocks.append(try part(&reader))
            return
        }
        // The standard does not say which of several blocks counts (SOAP Message Security 1.1 §5).
        guard security == nil else { throw SecurityDefect(.invalidSecurity, "several Security header blocks") }
        try refuseInherited(&reader)
        var parts: [Part] = []
        let block = try part(&reader) { reader in
            while try reader.nextChild() {
                guard parts.count < Self.maximumSecurityParts else {
                    throw SecurityDefect(
                        .invalidSecurity,
                        "more than \(Self.maximumSecurityParts) elements in the Security header block")
                }
                parts.append(try securityPart(&reader))
            }
        }
        headerBlocks.append(block)
        (security, securityParts) = (block, parts)
    }

    private func role(_ reader: inout XMLReader) -> SOAPRole? {
        reader.attribute(version.role.localName, namespace: version.namespace).map(SOAPRole.init(_:))
    }

    /// Refuses attributes that the inclusive form of an element inside has as well: an attacker could move them there, and the same
    /// message would look like another one.
    private func refuseInherited(_ reader: inout XMLReader) throws(SecurityDefect) {
        for name in ["lang", "space", "base", "id"] where reader.attribute(name, namespace: .xml) != nil {
            throw SecurityDefect(
                .invalidSecurity,
                "“\(reader.elementName.printable)” has the attribute xml:\(name), which is not accepted there")
        }
    }

    /// Reads the element whose start tag was read last.
    private func part(
        _ reader: inout XMLReader, content: (inout XMLReader) throws -> Void = { try $0.skipElement() }
    ) throws -> Part {
        var part = begin(&reader)
        let mustUnderstand = reader.attribute(version.mustUnderstand.localName, namespace: version.namespace)
        part.mustUnderstand = ["1", "true"].contains(mustUnderstand?.trimmedXMLSpace)
        part.role = role(&reader)
        try content(&reader)
        part.element.range = part.element.range.lowerBound..<reader.bytesRead
        return part
    }

    private func securityPart(_ reader: inout XMLReader) throws -> Part {
        var part = begin(&reader)
        if reader.isElement(SecurityName.binarySecurityToken) {
            part.certificates = try CertificateToken.certificates(&reader)
        } else {
            try reader.skipElement()
        }
        part.element.range = part.element.range.lowerBound..<reader.bytesRead
        return part
    }

    private func begin(_ reader: inout XMLReader) -> Part {
        let start = reader.startTagOffset ?? 0
        let element = DocumentIndex.Element(
            namespaceURI: reader.namespaceURI, localName: reader.elementName, range: start..<start)
        var part = Part(element: element, contentStart: reader.bytesRead)
        part.identifier = reader.attribute("Id", namespace: SecurityName.utility)
        let names = SAMLAssertion.Version.allCases.map(\.names).first { reader.isElement($0("Assertion")) }
        if let names { part.assertion = reader.attribute(names.identifierAttribute) ?? "" }
        if collectsPrefixes { part.prefixes = Set(reader.namespacesInScope.map(\.prefix)) }
        return part
    }
}

/// Certificates in the header of a message (X.509 Certificate Token Profile 1.1 §3.1).
enum CertificateToken {
    private static let profile =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-x509-token-profile-1.0#"
    static let certificate = profile + "X509v3"
    static let path = profile + "X509PKIPathv1"

    /// A BinarySecurityToken.
    ///
    /// - Parameters:
    ///   - bytes: a certificate, or a path of them, as `type` says.
    ///   - identifier: the value of its `wsu:Id`.
    static func text(_ bytes: [UInt8], _ type: String, identifier: String) -> String {
        """
        <wsse:BinarySecurityToken xmlns:wsse="\(SecurityName.extensions.uri)" xmlns:wsu="\(SecurityName.utility.uri)" \
        EncodingType="\(SecurityName.base64Binary)" ValueType="\(type)" wsu:Id="\(identifier)">\
        \(Text.base64(bytes))</wsse:BinarySecurityToken>
        """
    }

    /// The certificates of the token whose start tag was read last, the signer's first; none for a token of another
    /// kind.
    static func certificates(_ reader: inout XMLReader) throws -> [EncodedCertificate] {
        let type = reader.attribute("ValueType") ?? ""
        let encoding = reader.attribute("EncodingType")
        let text = try reader.elementText()
        guard [certificate, path].contains(type) else { return [] }
        guard encoding == nil || encoding == SecurityName.base64Binary, let bytes = Text.bytes(base64: text.utf8),
            !bytes.isEmpty
        else { throw SecurityDefect(.invalidSecurityToken, "a BinarySecurityToken is not in Base64") }
        guard type == path else { return [EncodedCertificate(der: bytes)] }
        guard let path = CertificatePathEncoding.certificates(pkiPath: bytes),
            path.count <= SignatureElement.maximumCertificates
        else {
            throw SecurityDefect(
                .invalidSecurityToken,
                "a BinarySecurityToken is no path of at most \(SignatureElement.maximumCertificates) certificates")
        }
        return path
    }
}

import SwiftASN1

/// A request to certify a key (PKCS#10, RFC 2986).
///
/// ```swift
/// let key = try KeyPair.generate(.p256)
/// let request = try await CertificateSigningRequest(
///     subject: SubjectName("CN=device 7, O=Bank"), purposes: [.client], key: key)
/// ```
///
/// The request has the public half of the key, and a signature that proves that the caller has the private one.
public struct CertificateSigningRequest: Sendable, Hashable {
    /// A name besides the subject, for the extension subjectAltName (RFC 5280 §4.2.1.6).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum AlternativeName: Sendable, Hashable {
        /// A host, `device-7.example`; letters of other scripts as A-labels.
        case dns(String)
        /// An IPv4 or IPv6 address without brackets.
        case ip(String)
        /// An address of mail, `device7@bank.example`.
        case email(String)
        /// An absolute URI, such as `urn:uuid:…`.
        case uri(String)
        /// A name in Microsoft's domains, `device7@corp.example` (otherName 1.3.6.1.4.1.311.20.2.3).
        case userPrincipalName(String)
    }

    /// What the certificate is to be used for (extKeyUsage, RFC 5280 §4.2.1.12).
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Purpose: Sendable, Hashable {
        /// To show to servers.
        case client
        /// To show to clients.
        case server
        /// An object identifier, such as `1.3.6.1.4.1.311.20.2.2`.
        case other(String)
    }

    /// An extension that is asked for by its encoding, such as a template of Microsoft's authorities.
    public struct Extension: Sendable, Hashable {
        /// An object identifier, such as `1.3.6.1.4.1.311.20.2`.
        public var identifier: String
        /// Whether peers must understand it (RFC 5280 §4.2).
        public var isCritical: Bool
        /// The value in DER.
        public var value: [UInt8]

        /// - Parameters:
        ///   - identifier: an object identifier.
        ///   - isCritical: whether peers must understand it.
        ///   - value: in DER.
        public init(_ identifier: String, isCritical: Bool = false, value: [UInt8]) {
            self.identifier = identifier
            self.isCritical = isCritical
            self.value = value
        }
    }

    /// The CertificationRequest in DER.
    public let der: [UInt8]

    /// The request as PEM (RFC 7468 §7).
    public var pem: [UInt8] { Array(PEMBlock.text("CERTIFICATE REQUEST", der).utf8) }

    /// Makes a request and signs it.
    ///
    /// - Parameters:
    ///   - subject: the name that is asked for; the authority may issue another.
    ///   - alternativeNames: other names; servers are found by them and not by the subject (RFC 9525 §2).
    ///   - purposes: what the certificate is for; when it is empty, the extension is left out.
    ///   - extensions: others that are asked for.
    ///   - challengePassword: a password that the authority knows the caller by (RFC 2985 §5.4.1), at most 255 characters;
    ///     nil for none. The request then is a secret.
    ///   - key: signs the request.
    /// - Throws: ``IdentityError`` with `invalidRequest`; ``SigningKeyError``.
    public init(
        subject: SubjectName, alternativeNames: [AlternativeName] = [], purposes: [Purpose] = [],
        extensions: [Extension] = [], challengePassword: String? = nil, key: KeyPair
    ) async throws {
        try await self.init(
            subject: try DER.bytes { try subject.serialize(into: &$0) },
            try Self.extensions(alternativeNames, purposes, extensions), challengePassword, key)
    }

    /// A request for a certificate that takes the place of another one: subject and alternative names are the same, byte
    /// for byte, as authorities demand (RFC 7030 §4.2.2).
    ///
    /// - Parameters:
    ///   - certificate: the one to replace.
    ///   - purposes: what the certificate is for; when it is empty, the extension is left out.
    ///   - extensions: others that are asked for.
    ///   - challengePassword: as for other requests.
    ///   - key: signs the request; a new one, or that of the certificate.
    /// - Throws: ``IdentityError`` with `invalidRequest`, or `damaged` when the certificate cannot be read;
    ///   ``SigningKeyError``.
    public init(
        renewing certificate: EncodedCertificate, purposes: [Purpose] = [], extensions: [Extension] = [],
        challengePassword: String? = nil, key: KeyPair
    ) async throws {
        guard let content = certificate.content else {
            throw IdentityError(.damaged, "The certificate to replace cannot be read: \(certificate.subject).")
        }
        let names = content.extensions.first { $0.identifier == .Request.alternativeNames }
        let kept = names.map {
            Extension("\($0.identifier)", isCritical: $0.isCritical, value: Array($0.value))
        }
        try await self.init(
            subject: Array(content.subjectBytes),
            try Self.extensions([], purposes, (kept.map { [$0] } ?? []) + extensions), challengePassword, key)
    }

    private init(
        subject: [UInt8], _ extensions: [Extension], _ challengePassword: String?, _ key: KeyPair
    ) async throws {
        let algorithm = try key.algorithm()
        let content = try Self.content(subject, extensions, challengePassword, key.publicKeyInfo)
        der = try await key.signed(content, algorithm)
    }

    // MARK: Encoding

    /// CertificationRequestInfo (RFC 2986 §4.1).
    private static func content(
        _ subject: [UInt8], _ extensions: [Extension], _ challengePassword: String?, _ publicKeyInfo: [UInt8]
    ) throws -> [UInt8] {
        var attributes: [[UInt8]] = []
        if !extensions.isEmpty {
            attributes.append(
                try DER.attribute(.Request.extensions) { coder in
                    try coder.appendSequence { coder in
                        for entry in extensions { try coder.append(entry) }
                    }
                })
        }
        if let challengePassword {
            guard (1...255).contains(challengePassword.unicodeScalars.count) else {
                throw IdentityError(.invalidRequest, "A challenge password has 1 to 255 characters.")
            }
            attributes.append(
                try DER.attribute(.Request.challengePassword) { coder in
                    // The form that old authorities expect, where it can be (RFC 2985 §5.4.1).
                    let isPrintable = challengePassword.utf8.allSatisfy(Self.printable.contains)
                    coder.appendPrimitiveNode(identifier: isPrintable ? .printableString : .utf8String) {
                        $0.append(contentsOf: challengePassword.utf8)
                    }
                })
        }
        return DER.bytes { coder in
            coder.appendSequence { coder in
                coder.appendPrimitiveNode(identifier: .integer) { $0.append(0) }
                coder.serializeRawBytes(subject)
                coder.serializeRawBytes(publicKeyInfo)
                coder.appendConstructedNode(identifier: .context(0)) { coder in
                    coder.appendSorted(attributes)
                }
            }
        }
    }

    /// The characters of PrintableString (X.680 §41.4).
    private static let printable = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789 '()+,-./:=?".utf8)

    /// All extensions that are asked for; none stands twice.
    static func extensions(
        _ names: [AlternativeName], _ purposes: [Purpose], _ others: [Extension]
    ) throws -> [Extension] {
        var all: [Extension] = []
        if !names.isEmpty {
            let value = try DER.bytes { coder in
                try coder.appendSequence { coder in for name in names { try coder.append(name) } }
            }
            all.append(Extension("2.5.29.17", value: value))
        }
        if !purposes.isEmpty {
            let value = try DER.bytes { coder in
                try coder.appendSequence { coder in
                    for purpose in purposes {
                        switch purpose {
                        case .client: try coder.serialize(ASN1ObjectIdentifier.clientAuthentication)
                        case .server: try coder.serialize(ASN1ObjectIdentifier.serverAuthentication)
                        case .other(let text): try coder.serialize(try ASN1ObjectIdentifier(request: text))
                        }
                    }
                }
            }
            all.append(Extension("2.5.29.37", value: value))
        }
        for other in others {
            guard !all.contains(where: { $0.identifier == other.identifier }) else {
                throw IdentityError(.invalidRequest, "The extension \(other.identifier) is asked for twice.")
            }
            all.append(other)
        }
        return all
    }
}

extension CertificateSigningRequest: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// It may hold a challenge password, which is not shown.
    public var description: String { "CertificateSigningRequest(\(der.count) bytes)" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

extension ASN1ObjectIdentifier {
    enum Request {
        static let extensions: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 14]
        static let alternativeNames: ASN1ObjectIdentifier = [2, 5, 29, 17]
        static let challengePassword: ASN1ObjectIdentifier = [1, 2, 840, 113_549, 1, 9, 7]
        static let userPrincipalName: ASN1ObjectIdentifier = [1, 3, 6, 1, 4, 1, 311, 20, 2, 3]
    }

    /// One that the user gave.
    fileprivate init(request text: String) throws(IdentityError) {
        guard let identifier = ASN1ObjectIdentifier(dotted: text)
        else {
            throw IdentityError(
                .invalidRequest,
                "“\(DistinguishedName.printable(text))” is no object identifier; write numbers with dots between them, such as 1.3.6.1.5.5.7.3.2."
            )
        }
        self = identifier
    }
}

extension DER.Serializer {
    mutating func append(_ entry: CertificateSigningRequest.Extension) throws {
        let identifier = try ASN1ObjectIdentifier(request: entry.identifier)
        guard (try? DER.parse(entry.value)) != nil else {
            throw IdentityError(.invalidRequest, "The value of the extension \(entry.identifier) is not DER.")
        }
        try appendSequence { coder in
            try coder.serialize(identifier)
            if entry.isCritical { try coder.serialize(true) }
            coder.appendOctets(entry.value)
        }
    }

    fileprivate mutating func append(_ name: CertificateSigningRequest.AlternativeName) throws {
        func ascii(_ text: String) throws(IdentityError) -> [UInt8] {
            guard !text.isEmpty, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
                throw IdentityError(
                    .invalidRequest,
                    "“\(DistinguishedName.printable(text))” cannot be an alternative name: it must have visible ASCII characters only, hosts as A-labels (xn--…)."
                )
            }
            return Array(text.utf8)
        }
        switch name {
        case .email(let text):
            let bytes = try ascii(text)
            appendPrimitiveNode(identifier: .context(1)) { $0.append(contentsOf: bytes) }
        case .dns(let text):
            let bytes = try ascii(text)
            appendPrimitiveNode(identifier: .context(2)) { $0.append(contentsOf: bytes) }
        case .uri(let text):
            let bytes = try ascii(text)
            appendPrimitiveNode(identifier: .context(6)) { $0.append(contentsOf: bytes) }
        case .ip(let text):
            guard let bytes = IPAddress.bytes(of: text) else {
                throw IdentityError(
                    .invalidRequest, "“\(DistinguishedName.printable(text))” is no IP address.")
            }
            appendPrimitiveNode(identifier: .context(7)) { $0.append(contentsOf: bytes) }
        case .userPrincipalName(let text):
            try appendConstructedNode(identifier: .context(0)) { coder in
                try coder.serialize(ASN1ObjectIdentifier.Request.userPrincipalName)
                coder.appendConstructedNode(identifier: .context(0)) { coder in
                    coder.appendPrimitiveNode(identifier: .utf8String) { $0.append(contentsOf: text.utf8) }
                }
            }
        }
    }

    /// The AlgorithmIdentifier of a signature (RFC 4055 §3, §5; RFC 5758 §3.2; RFC 8410 §3; RFC 9881 §2).
    mutating func appendSignatureAlgorithm(_ algorithm: SigningAlgorithm) throws {
        switch algorithm.value {
        case .rsaPKCS1(let hash):
            let identifier: ASN1ObjectIdentifier =
                switch hash {
                case .sha256: [1, 2, 840, 113_549, 1, 1, 11]
                case .sha384: [1, 2, 840, 113_549, 1, 1, 12]
                case .sha512: [1, 2, 840, 113_549, 1, 1, 13]
                }
            try appendAlgorithm(identifier) { $0.appendNull() }
        case .ecdsa(let hash):
            let identifier: ASN1ObjectIdentifier =
                switch hash {
                case .sha256: [1, 2, 840, 10_045, 4, 3, 2]
                case .sha384: [1, 2, 840, 10_045, 4, 3, 3]
                case .sha512: [1, 2, 840, 10_045, 4, 3, 4]
                }
            try appendAlgorithm(identifier) { _ in }
        case .ed25519: appendEd25519()
        case .mlDSA65: try appendAlgorithm([2, 16, 840, 1, 101, 3, 4, 3, 18]) { _ in }
        case .mlDSA87: try appendAlgorithm([2, 16, 840, 1, 101, 3, 4, 3, 19]) { _ in }
        case .rsaPSS(let hash):
            let (identifier, size): (ASN1ObjectIdentifier, Int) =
                switch hash {
                case .sha256: ([2, 16, 840, 1, 101, 3, 4, 2, 1], 32)
                case .sha384: ([2, 16, 840, 1, 101, 3, 4, 2, 2], 48)
                case .sha512: ([2, 16, 840, 1, 101, 3, 4, 2, 3], 64)
                }
            try appendAlgorithm([1, 2, 840, 113_549, 1, 1, 10]) { coder in
                try coder.appendSequence { coder in
                    try coder.appendConstructedNode(identifier: .context(0)) {
                        try $0.appendAlgorithm(identifier) { $0.appendNull() }
                    }
                    try coder.appendConstructedNode(identifier: .context(1)) {
                        try $0.appendAlgorithm([1, 2, 840, 113_549, 1, 1, 8]) {
                            try $0.appendAlgorithm(identifier) { $0.appendNull() }
                        }
                    }
                    try coder.appendConstructedNode(identifier: .context(2)) { try $0.serialize(size) }
                }
            }
        }
    }
}

import Crypto
import CryptoExtras
import SwiftASN1

/// SignedData of CMS with one signature, over attributes and, by them, over the content (RFC 5652 §5).
package struct SignedMessage: Sendable {
    /// An attribute with one value (RFC 5652 §5.3).
    package struct Attribute: Sendable, Equatable {
        /// An object identifier in numbers.
        package let type: String
        /// In DER.
        package let value: [UInt8]

        package init(type: String, value: [UInt8]) {
            self.type = type
            self.value = value
        }

        package static func printable(_ type: String, _ text: String) -> Attribute {
            value(type, .printableString, Array(text.utf8))
        }

        package static func utf8(_ type: String, _ text: String) -> Attribute {
            value(type, .utf8String, Array(text.utf8))
        }

        package static func octets(_ type: String, _ bytes: [UInt8]) -> Attribute { value(type, .octetString, bytes) }

        private static func value(_ type: String, _ tag: ASN1Identifier, _ bytes: [UInt8]) -> Attribute {
            Attribute(
                type: type,
                value: DER.bytes { $0.appendPrimitiveNode(identifier: tag) { $0.append(contentsOf: bytes) } })
        }

        /// The bytes of a value that is a string of characters or bytes; nil for any other.
        package var bytes: [UInt8]? {
            guard let node = try? DER.parse(value), node.identifier.tagClass == .universal,
                case .primitive(let bytes) = node.content
            else { return nil }
            return Array(bytes)
        }
    }

    /// What the signature is about; empty when the message has no content.
    package let content: [UInt8]
    /// All but those of CMS itself.
    package let attributes: [Attribute]
    /// Certificates that the sender added, in any order.
    package let certificates: [EncodedCertificate]
    /// The signed attributes in DER, with the tag of a SET (RFC 5652 §5.4).
    private let signedBytes: [UInt8]
    private let messageDigest: [UInt8]
    private let digest: ASN1ObjectIdentifier
    private let algorithm: AlgorithmIdentifier
    private let signature: [UInt8]

    /// What a protocol of requests for certificates sends has a few kilobytes.
    package static let maximumBytes = 1 << 20
    private static let maximumCertificates = 32
    private static let maximumAttributes = 32
}

// MARK: Reading

extension SignedMessage {
    /// Reads a message, and does not check its signature: ``isSigned(by:acceptingSHA1:)`` does.
    package init(_ bytes: [UInt8]) throws(CMSProblem) {
        guard bytes.count <= Self.maximumBytes else {
            throw .malformed("it has \(bytes.count) bytes, and at most \(Self.maximumBytes) are read")
        }
        self = try CMSProblem.reading { try SignedMessage(reading: bytes) }
    }

    private init(reading bytes: [UInt8]) throws {
        var fields = try ContentInfo.fields(of: bytes, as: .PKCS12.signedData)
        _ = try fields.next().integer()
        _ = try NodeReader(try fields.next(), .set)
        var encapsulated = try NodeReader(try fields.next())
        let type = try encapsulated.next().objectIdentifier()
        content = try encapsulated.next(ifContext: 0).map { Array(try $0.explicit().octets()) } ?? []
        try encapsulated.end()
        certificates = try ContentInfo.certificates(
            in: fields.next(ifContext: 0), atMost: Self.maximumCertificates)
        _ = fields.next(ifContext: 1)
        var signers = try NodeReader(try fields.next(), .set)
        try fields.end()
        var signer = try NodeReader(try signers.next())
        guard signers.nextIfAny() == nil else { throw EncodingError("more than one signature") }

        _ = try signer.next().integer()
        // Which certificate the sender names does not matter: the caller knows whose signature it wants.
        _ = try signer.next()
        digest = try AlgorithmIdentifier(try signer.next()).algorithm
        guard let signed = signer.next(ifContext: 0) else { throw EncodingError("a signature without attributes") }
        signedBytes = [0x31] + signed.encodedBytes.dropFirst()
        algorithm = try AlgorithmIdentifier(try signer.next())
        signature = Array(try signer.next().octets())
        _ = signer.next(ifContext: 1)
        try signer.end()

        let all = try Self.attributes(signed)
        func value(_ type: ASN1ObjectIdentifier) throws -> ASN1Node? {
            try all.first { $0.type == "\(type)" }.map { try DER.parse($0.value) }
        }
        guard try value(.CMS.contentType)?.objectIdentifier() == type,
            let digest = try value(.CMS.messageDigest)?.octets()
        else { throw EncodingError("a signature without the type or the digest of its content") }
        messageDigest = Array(digest)
        attributes = all.filter {
            !["\(ASN1ObjectIdentifier.CMS.contentType)", "\(ASN1ObjectIdentifier.CMS.messageDigest)"].contains($0.type)
        }
    }

    private static func attributes(_ set: ASN1Node) throws -> [Attribute] {
        var nodes = try NodeReader(contentsOf: set)
        var result: [Attribute] = []
        while let node = nodes.nextIfAny() {
            guard result.count < maximumAttributes else {
                throw EncodingError("more than \(maximumAttributes) attributes")
            }
            var fields = try NodeReader(node)
            let type = "\(try fields.next().objectIdentifier())"
            var values = try NodeReader(try fields.next(), .set)
            let value = Array(try values.next().encodedBytes)
            try fields.end()
            guard values.nextIfAny() == nil, !result.contains(where: { $0.type == type }) else {
                throw EncodingError("the attribute \(type) twice")
            }
            result.append(Attribute(type: type, value: value))
        }
        return result
    }

    /// Whether the key of this certificate signed the message.
    ///
    /// - Parameter acceptingSHA1: whether a signature over SHA-1 is accepted.
    /// - Throws: ``CMSProblem`` with `weak` for a right signature over SHA-1 that is not accepted; with `unsupported` when
    ///   the signature cannot be checked with this key.
    package func isSigned(by certificate: EncodedCertificate, acceptingSHA1: Bool = false) throws(CMSProblem) -> Bool {
        guard let content = certificate.content else { return false }
        do {
            if digest == .sha1 {
                guard try isSignedOverSHA1(with: PublicKey(publicKeyInfo: content.publicKeyInfo)) else { return false }
                guard acceptingSHA1 else { throw CMSProblem.weak("a signature over SHA-1") }
                return true
            }
            guard let hash = SignatureAlgorithm.Hash(digest) else {
                throw CMSProblem.unsupported("a digest by the algorithm \(digest)")
            }
            guard hash.digest(self.content[...]) == messageDigest else { return false }
            // The algorithm may be that of the key alone (RFC 3370 §3.2).
            guard algorithm.algorithm == .AlgorithmIdentifier.rsaEncryption else {
                return try content.hasSigned(signedBytes[...], signature[...], algorithm)
            }
            guard PublicKey.signatureRestriction(content.publicKeyInfo) == nil else { return false }
            let key = try PublicKey(publicKeyInfo: content.publicKeyInfo)
            return SignatureAlgorithm.rsa(hash).isValid(signature[...], over: signedBytes[...], by: key)
        } catch let problem as CMSProblem { throw problem } catch { throw .unsupported("\(error)") }
    }

    private func isSignedOverSHA1(with key: PublicKey) -> Bool {
        guard algorithm.algorithm == .AlgorithmIdentifier.rsaEncryption || algorithm.algorithm == .CMS.sha1WithRSA,
            case .rsa(let key) = key, Insecure.SHA1.hash(data: content).elementsEqual(messageDigest)
        else { return false }
        return key.isValidSignature(
            .init(rawRepresentation: signature), for: Insecure.SHA1.hash(data: signedBytes),
            padding: .insecurePKCS1v1_5)
    }
}

// MARK: Writing

extension SignedMessage {
    /// A signed message in DER.
    ///
    /// - Parameters:
    ///   - content: what the signature is about; nil for no content.
    ///   - attributes: others than those of CMS itself.
    ///   - identity: signs, and its certificate is in the message.
    /// - Throws: `SigningKeyError`; ``CMSProblem`` when the certificate of the identity cannot be read.
    package static func signed(
        _ content: [UInt8]?, _ attributes: [Attribute], by identity: Identity
    ) async throws -> [UInt8] {
        guard let own = identity.leaf.content else { throw CMSProblem.malformed("the certificate cannot be read") }
        let key = KeyPair(of: identity)
        let algorithm = try key.algorithm()
        let (digest, hash) = Self.digest(of: content ?? [], for: algorithm)
        let type = try DER.bytes { try $0.serialize(ASN1ObjectIdentifier.PKCS12.data) }
        let all =
            [
                Attribute(type: "\(ASN1ObjectIdentifier.CMS.contentType)", value: type),
                .octets("\(ASN1ObjectIdentifier.CMS.messageDigest)", digest),
            ] + attributes
        let encoded = try all.map { attribute in
            try DER.attribute(try ASN1ObjectIdentifier(numbers: attribute.type)) {
                $0.serializeRawBytes(attribute.value)
            }
        }
        let set = DER.bytes { coder in
            coder.appendConstructedNode(identifier: .set) { $0.appendSorted(encoded) }
        }
        let signature = try await key.signature(algorithm, over: set)
        return try DER.bytes { coder in
            try coder.appendContent(.PKCS12.signedData) { coder in
                try coder.appendSequence { coder in
                    try coder.serialize(1)
                    try coder.appendConstructedNode(identifier: .set) {
                        try $0.appendAlgorithm(hash) { $0.appendNull() }
                    }
                    try coder.appendSequence { coder in
                        try coder.serialize(ASN1ObjectIdentifier.PKCS12.data)
                        if let content {
                            coder.appendConstructedNode(identifier: .context(0)) { $0.appendOctets(content) }
                        }
                    }
                    coder.appendConstructedNode(identifier: .context(0)) { $0.serializeRawBytes(identity.leaf.der) }
                    try coder.appendConstructedNode(identifier: .set) { coder in
                        try coder.appendSequence { coder in
                            try coder.serialize(1)
                            coder.appendName(of: own)
                            try coder.appendAlgorithm(hash) { $0.appendNull() }
                            coder.serializeRawBytes([0xA0] + set.dropFirst())
                            // Old programs know the algorithm of the key, and no other (RFC 3370 §3.2).
                            if case .rsaPKCS1 = algorithm.value {
                                try coder.appendAlgorithm(.AlgorithmIdentifier.rsaEncryption) { $0.appendNull() }
                            } else {
                                try coder.appendSignatureAlgorithm(algorithm)
                            }
                            coder.appendOctets(signature)
                        }
                    }
                }
            }
        }
    }

    private static func digest(
        of content: [UInt8], for algorithm: SigningAlgorithm
    ) -> (bytes: [UInt8], algorithm: ASN1ObjectIdentifier) {
        switch algorithm.hash?.value {
        case .sha256: (Array(SHA256.hash(data: content)), .sha256)
        case .sha384: (Array(SHA384.hash(data: content)), [2, 16, 840, 1, 101, 3, 4, 2, 2])
        // Ed25519 goes with SHA-512 (RFC 8419 §2.3).
        case .sha512, nil: (Array(SHA512.hash(data: content)), [2, 16, 840, 1, 101, 3, 4, 2, 3])
        }
    }
}

extension ASN1ObjectIdentifier {
    fileprivate init(numbers text: String) throws(CMSProblem) {
        guard let identifier = ASN1ObjectIdentifier(dotted: text) else { throw .malformed("the type \(text)") }
        self = identifier
    }
}

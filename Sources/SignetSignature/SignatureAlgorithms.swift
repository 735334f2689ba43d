import Crypto
package import SignetTLS
import SignetXML

/// The closed list of algorithms, each with its identifier (XML Signature 1.1 §6, RFC 9231).
enum SignatureAlgorithms {
    static let signature: [(uri: String, method: SignatureMethod)] = [
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", .strong(.rsaPKCS1(.sha256))),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha384", .strong(.rsaPKCS1(.sha384))),
        ("http://www.w3.org/2001/04/xmldsig-more#rsa-sha512", .strong(.rsaPKCS1(.sha512))),
        ("http://www.w3.org/2007/05/xmldsig-more#sha256-rsa-MGF1", .strong(.rsaPSS(.sha256))),
        ("http://www.w3.org/2007/05/xmldsig-more#sha384-rsa-MGF1", .strong(.rsaPSS(.sha384))),
        ("http://www.w3.org/2007/05/xmldsig-more#sha512-rsa-MGF1", .strong(.rsaPSS(.sha512))),
        ("http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha256", .strong(.ecdsa(.sha256))),
        ("http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha384", .strong(.ecdsa(.sha384))),
        ("http://www.w3.org/2001/04/xmldsig-more#ecdsa-sha512", .strong(.ecdsa(.sha512))),
        ("http://www.w3.org/2021/04/xmldsig-more#eddsa-ed25519", .strong(.ed25519)),
        ("http://www.w3.org/2000/09/xmldsig#rsa-sha1", .rsaSHA1),
        // A draft.
        ("http://www.w3.org/2026/08/xmldsig-more#ml-dsa-65", .mldsa(.mlDSA65)),
        ("http://www.w3.org/2026/08/xmldsig-more#ml-dsa-87", .mldsa(.mlDSA87)),
    ]

    static let digest: [(uri: String, method: DigestMethod)] = [
        ("http://www.w3.org/2001/04/xmlenc#sha256", .strong(.sha256)),
        ("http://www.w3.org/2001/04/xmldsig-more#sha384", .strong(.sha384)),
        ("http://www.w3.org/2001/04/xmlenc#sha512", .strong(.sha512)),
        ("http://www.w3.org/2000/09/xmldsig#sha1", .sha1),
    ]

    static let canonicalization: [(uri: String, method: XMLCanonicalization.Method)] = [
        ("http://www.w3.org/2001/10/xml-exc-c14n#", .exclusive10),
        ("http://www.w3.org/TR/2001/REC-xml-c14n-20010315", .inclusive10),
        ("http://www.w3.org/2006/12/xml-c14n11", .inclusive11),
        // What is signed has no comments all the same: see SignatureElement.
        ("http://www.w3.org/2001/10/xml-exc-c14n#WithComments", .exclusive10),
        ("http://www.w3.org/TR/2001/REC-xml-c14n-20010315#WithComments", .inclusive10),
        ("http://www.w3.org/2006/12/xml-c14n11#WithComments", .inclusive11),
    ]

    /// The tables have each method.
    static func uri(_ method: SignatureMethod) -> String { signature.first { $0.method == method }?.uri ?? "" }
    static func uri(_ method: DigestMethod) -> String { digest.first { $0.method == method }?.uri ?? "" }
    static func uri(_ method: XMLCanonicalization.Method) -> String {
        canonicalization.first { $0.method == method }?.uri ?? ""
    }

    static let enveloped = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
    /// Signs a token in place of the reference that leads to it (SOAP Message Security 1.1 §8.3).
    static let token =
        "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-soap-message-security-1.0#STR-Transform"

    /// Signs the content of an attachment (SOAP Messages with Attachments Profile 1.1.1 §5.4.2).
    static let attachment =
        "http://docs.oasis-open.org/wss/oasis-wss-SwAProfile-1.1#Attachment-Content-Signature-Transform"

    static func unknown(_ what: String, _ uri: String) -> XMLSignatureError {
        let sentence = UnknownAlgorithm.sentence(what, uri)
        return XMLSignatureError(.unsupported, "\(sentence.prefix(1).uppercased())\(sentence.dropFirst()).")
    }
}

enum SignatureMethod: Sendable, Hashable {
    case strong(SigningAlgorithm)
    case rsaSHA1
    /// Made by keys without certificates.
    case mldsa(MLDSAParameters)

    func isValid(_ signature: [UInt8], over message: [UInt8], by key: VerificationKey) -> Bool {
        switch self {
        case .strong(let algorithm): key.isValid(signature, algorithm, over: message)
        case .rsaSHA1: key.isValidInsecureSHA1(signature, over: message)
        case .mldsa: false
        }
    }
}

package enum DigestMethod: Sendable, Hashable {
    case strong(SigningAlgorithm.Hash)
    case sha1

    func digest(of bytes: [UInt8]) -> [UInt8] {
        switch self {
        case .strong(let hash): hash.digest(of: bytes)
        case .sha1: Array(Insecure.SHA1.hash(data: bytes))
        }
    }

    /// The hash of content that `pass` hands over in pieces.
    package func digest(of pass: ((([UInt8]) -> Void) throws -> Void)) rethrows -> [UInt8] {
        switch self {
        case .strong(let hash):
            switch hash.value {
            case .sha256: try Self.digest(SHA256(), pass)
            case .sha384: try Self.digest(SHA384(), pass)
            case .sha512: try Self.digest(SHA512(), pass)
            }
        case .sha1: try Self.digest(Insecure.SHA1(), pass)
        }
    }

    private static func digest(
        _ empty: some HashFunction, _ pass: ((([UInt8]) -> Void) throws -> Void)
    ) rethrows -> [UInt8] {
        var hash = empty
        try pass { hash.update(data: $0) }
        return Array(hash.finalize())
    }
}

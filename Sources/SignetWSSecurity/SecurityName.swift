import SignetSOAP
import SignetTLS

/// Names of SOAP Message Security 1.1 (§4) and of the UsernameToken Profile 1.1, whose namespaces are those of 1.0.
enum SecurityName {
    private static let base = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-"

    static let extensions = XMLNamespace(base + "wssecurity-secext-1.0.xsd")
    static let utility = XMLNamespace(base + "wssecurity-utility-1.0.xsd")

    static let security = XMLName(extensions, "Security")
    static let usernameToken = XMLName(extensions, "UsernameToken")
    static let username = XMLName(extensions, "Username")
    static let password = XMLName(extensions, "Password")
    static let nonce = XMLName(extensions, "Nonce")
    static let timestamp = XMLName(utility, "Timestamp")
    static let created = XMLName(utility, "Created")
    static let expires = XMLName(utility, "Expires")
    static let id = XMLName(utility, "Id")
    static let binarySecurityToken = XMLName(extensions, "BinarySecurityToken")
    static let reference = XMLName(extensions, "Reference")
    static let keyIdentifier = XMLName(extensions, "KeyIdentifier")
    static let signature = XMLName(XMLNamespace("http://www.w3.org/2000/09/xmldsig#"), "Signature")
    /// Names of 1.1 that 1.0 does not have.
    static let extensions11 = XMLNamespace("http://docs.oasis-open.org/wss/oasis-wss-wssecurity-secext-1.1.xsd")
    /// SOAP Message Security 1.1 §8.5.
    static let signatureConfirmation = XMLName(extensions11, "SignatureConfirmation")
    static let type = XMLName(.none, "Type")
    static let value = XMLName(.none, "Value")
    static let encodingType = XMLName(.none, "EncodingType")

    /// An identifier that no other element of a message has.
    static func newIdentifier(_ name: String) -> String {
        "\(name)-\(XSDHexBinary([UInt8].random(16)).lexicalForm)"
    }

    private static let base11 = "http://docs.oasis-open.org/wss/oasis-wss-soap-message-security-1.1#"
    /// SOAP Message Security 1.1 §7.3.
    static let thumbprintType = base11 + "ThumbprintSHA1"
    /// SOAP Message Security 1.1 §7.7.
    static let encryptedKeyType = base11 + "EncryptedKey"
    /// X.509 Certificate Token Profile 1.1 §3.2.1.
    static let subjectKeyIdentifierType = base + "x509-token-profile-1.0#X509SubjectKeyIdentifier"

    /// SOAP Message Security 1.1 §6.3.
    static let base64Binary = base + "soap-message-security-1.0#Base64Binary"
}

extension UsernameTokenForm {
    /// Whether every reader of the message learns the password.
    var isText: Bool { self == .text || self == .textWithNonce }
    /// The URI of the type of the password (UsernameToken Profile 1.1 §3.1).
    var uri: String {
        let profile = "http://docs.oasis-open.org/wss/2004/01/oasis-200401-wss-username-token-profile-1.0#"
        return profile + (self == .digest ? "PasswordDigest" : "PasswordText")
    }
}

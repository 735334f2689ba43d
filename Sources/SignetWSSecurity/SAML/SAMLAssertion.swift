public import SignetSOAP
import SignetSignature
public import SignetTLS
import SignetXML

/// A SAML assertion of version 1.1 or 2.0: what an issuer states about a subject, and for whom and how long.
///
/// A value says nothing about the signature of the assertion: on a server, handlers find one that was verified in
/// ``/SignetSOAP/PeerDescription``.
public struct SAMLAssertion: Sendable, Hashable {
    /// The version of SAML.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Version: Sendable, Hashable, CaseIterable {
        /// SAML 1.1.
        case v11
        /// SAML 2.0.
        case v20
    }

    /// How the sender of a message confirms that the assertion is about him.
    public struct Confirmation: Sendable, Hashable {
        /// Such as `urn:oasis:names:tc:SAML:2.0:cm:bearer`.
        public let method: String
        /// Seconds since 1970; nil where the assertion says nothing (SAML 2.0 §2.4.1.2).
        public let notBefore: Int64?
        /// Seconds since 1970; nil where the assertion says nothing.
        public let notOnOrAfter: Int64?
        /// The address to which alone the assertion may be sent; nil for any.
        public let recipient: String?
        /// The certificate of the holder of the key, and those that lead to its authority; empty where the assertion names the key in another way.
        public let certificates: [EncodedCertificate]

        /// The certificate of the holder: the one that has issued none of the others, which have no fixed order (XML Signature 1.1 §4.5.4).
        var holder: EncodedCertificate? {
            certificates.first { one in !certificates.contains { $0 != one && $0.issuer == one.subject } }
        }

        var isBearer: Bool { method == SAMLName.v20.bearer || method == SAMLName.v11.bearer }
        var isHolderOfKey: Bool { method == SAMLName.v20.holderOfKey || method == SAMLName.v11.holderOfKey }
    }

    /// The version of SAML.
    public let version: Version
    /// The identifier of the assertion.
    public let identifier: String
    /// The name of the issuer.
    public let issuer: String
    /// The name of the subject; nil where the assertion names none, or an encrypted one.
    public let subject: String?
    /// The format of the name, such as `urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress`; nil where the assertion says nothing.
    public let subjectFormat: String?
    /// The domain in which the name has a meaning (`NameQualifier`, then `SPNameQualifier`); nil where the assertion says nothing.
    public let subjectQualifier: String?
    /// Seconds since 1970; nil where the assertion says nothing.
    public let notBefore: Int64?
    /// Seconds since 1970; nil where the assertion says nothing.
    public let notOnOrAfter: Int64?
    /// The services for which the assertion is meant: of each list, one has to be the receiver (SAML 2.0 §2.5.1.4).
    public let audiences: [[String]]
    /// How the sender can confirm that the assertion is about him: one way suffices.
    public let confirmations: [Confirmation]
    /// What the issuer states about the subject.
    public let attributes: [PeerDescription.Claim]
    /// Whether the assertion may be used once only (`OneTimeUse`, `DoNotCacheCondition`).
    public let isForOneUse: Bool
    /// Conditions that this library does not know. A receiver must not accept the assertion.
    let unknownConditions: [String]
}

/// Names of a version of SAML.
struct SAMLName: Sendable {
    let namespace: XMLNamespace
    let methods: String
    let identifierAttribute: String
    /// The type of a KeyIdentifier that names an assertion (SAML Token Profile 1.1 §3.4).
    let keyIdentifierType: String
    let tokenType: TokenType

    static let v20 = SAMLName(
        namespace: XMLNamespace("urn:oasis:names:tc:SAML:2.0:assertion"),
        methods: "urn:oasis:names:tc:SAML:2.0:cm:", identifierAttribute: "ID",
        keyIdentifierType: "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.1#SAMLID",
        tokenType: .saml20)
    static let v11 = SAMLName(
        namespace: XMLNamespace("urn:oasis:names:tc:SAML:1.0:assertion"),
        methods: "urn:oasis:names:tc:SAML:1.0:cm:", identifierAttribute: "AssertionID",
        keyIdentifierType: "http://docs.oasis-open.org/wss/oasis-wss-saml-token-profile-1.0#SAMLAssertionID",
        tokenType: .saml11)

    var bearer: String { methods + "bearer" }
    var holderOfKey: String { methods + "holder-of-key" }

    func callAsFunction(_ localName: String) -> XMLName { XMLName(namespace, localName) }
}

extension SAMLAssertion.Version {
    var names: SAMLName { self == .v20 ? .v20 : .v11 }
}

extension SAMLAssertion: CustomStringConvertible {
    /// Names no subject: who uses a service may be secret.
    public var description: String { "a SAML assertion of “\(issuer.printable)”" }
}

import Crypto
import Foundation
public import SignetTLS
import SwiftASN1
import X509

/// A throw-away authority with P-256 keys that issues identities for tests, good and bad ones.
///
/// It is not meant to outlive a test: keys are new every time and exist in memory only.
public struct CertificateAuthority: Sendable {
    /// The authority's own certificate.
    public let certificate: EncodedCertificate
    /// The authority's certificate and the certificates from it up to its root.
    public let chain: [EncodedCertificate]
    private let key: P256.Signing.PrivateKey
    private let name: DistinguishedName

    /// The root of the authority, to make a trust policy from.
    public var bundle: CertificateBundle { CertificateBundle(chain.suffix(1)) }

    /// The authority's own key and certificates, for a program that issues certificates by itself, such as a
    /// `RegistrationAuthority`.
    public var identity: Identity {
        get throws { try Self.identity(chain, key) }
    }

    /// Makes a self-signed root authority.
    ///
    /// - Parameters:
    ///   - commonName: of the subject.
    ///   - profile: the content of its certificate; change it to make a bad authority.
    public init(commonName: String = "Test authority", _ profile: CertificateProfile = .authority) throws {
        key = P256.Signing.PrivateKey()
        name = try DistinguishedName { CommonName(commonName) }
        certificate = try Self.certificate(
            subject: name, key: .init(key.publicKey), issuer: name, issuerKey: key, profile: profile)
        chain = [certificate]
    }

    private init(subordinateTo parent: CertificateAuthority, commonName: String, _ profile: CertificateProfile) throws {
        key = P256.Signing.PrivateKey()
        name = try DistinguishedName { CommonName(commonName) }
        certificate = try Self.certificate(
            subject: name, key: .init(key.publicKey), issuer: parent.name, issuerKey: parent.key, profile: profile)
        chain = [certificate] + parent.chain
    }

    /// Makes an authority below this one.
    public func issueIntermediate(
        commonName: String = "Test intermediate authority", _ profile: CertificateProfile = .authority
    ) throws -> CertificateAuthority {
        try CertificateAuthority(subordinateTo: self, commonName: commonName, profile)
    }

    /// Issues another certificate for the key of a different authority (cross-signing).
    public func crossSign(
        _ other: CertificateAuthority, _ profile: CertificateProfile = .authority
    ) throws -> EncodedCertificate {
        try Self.certificate(
            subject: other.name, key: .init(other.key.publicKey), issuer: name, issuerKey: key, profile: profile)
    }

    /// Issues the identity of a server.
    ///
    /// - Parameters:
    ///   - dnsNames: the names of the server, beside those of the profile.
    ///   - ipAddresses: as literals, `127.0.0.1` or `::1`, beside those of the profile.
    ///   - commonName: of the subject; the first DNS name or nothing when nil.
    ///   - profile: the content of its certificate; change it to make a bad identity.
    public func issueServer(
        dnsNames: [String] = [], ipAddresses: [String] = [], commonName: String? = nil,
        _ profile: CertificateProfile = .server
    ) throws -> Identity {
        var profile = profile
        profile.dnsNames += dnsNames
        profile.ipAddresses += ipAddresses
        return try issue(commonName: commonName ?? dnsNames.first, profile)
    }

    /// Issues the identity of a client.
    public func issueClient(
        commonName: String = "Test client", _ profile: CertificateProfile = .client
    ) throws -> Identity {
        try issue(commonName: commonName, profile)
    }

    /// Issues the identity of a server whose key only signs.
    public func issueServer(
        signingKey: any SigningKey, dnsNames: [String] = [], ipAddresses: [String] = [],
        _ profile: CertificateProfile = .server
    ) throws -> Identity {
        var profile = profile
        profile.dnsNames += dnsNames
        profile.ipAddresses += ipAddresses
        return try issue(signingKey, commonName: dnsNames.first, profile)
    }

    /// Issues the identity of a client whose key only signs.
    public func issueClient(
        signingKey: any SigningKey, commonName: String = "Test client", _ profile: CertificateProfile = .client
    ) throws -> Identity {
        try issue(signingKey, commonName: commonName, profile)
    }

    private func issue(
        _ signingKey: any SigningKey, commonName: String?, _ profile: CertificateProfile
    ) throws -> Identity {
        let leaf = try leaf(
            .init(derEncoded: signingKey.publicKeyInfo), commonName: commonName, profile)
        return try Identity(certificates: [leaf] + chain, signingKey: signingKey)
    }

    private func issue(commonName: String?, _ profile: CertificateProfile) throws -> Identity {
        let leafKey = P256.Signing.PrivateKey()
        let leaf = try leaf(.init(leafKey.publicKey), commonName: commonName, profile)
        return try Self.identity([leaf] + chain, leafKey)
    }

    private static func identity(
        _ certificates: [EncodedCertificate], _ key: P256.Signing.PrivateKey
    ) throws -> Identity {
        try Identity(pem: CertificateBundle(certificates).pem, privateKey: Array(key.pemRepresentation.utf8))
    }

    private func leaf(
        _ publicKey: Certificate.PublicKey, commonName: String?, _ profile: CertificateProfile
    ) throws -> EncodedCertificate {
        let subject = try DistinguishedName { if let commonName { CommonName(commonName) } }
        return try Self.certificate(subject: subject, key: publicKey, issuer: name, issuerKey: key, profile: profile)
    }

    private static func certificate(
        subject: DistinguishedName, key: Certificate.PublicKey, issuer: DistinguishedName,
        issuerKey: P256.Signing.PrivateKey, profile: CertificateProfile
    ) throws -> EncodedCertificate {
        let certificate = try Certificate(
            version: .v3, serialNumber: .init(), publicKey: key,
            notValidBefore: .init(timeIntervalSince1970: Double(profile.notBefore)),
            notValidAfter: .init(timeIntervalSince1970: Double(profile.notAfter)),
            issuer: issuer, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: try profile.extensions(key: key, issuerKey: .init(issuerKey.publicKey)),
            issuerPrivateKey: .init(issuerKey))
        var coder = DER.Serializer()
        try coder.serialize(certificate)
        return EncodedCertificate(der: coder.serializedBytes)
    }
}

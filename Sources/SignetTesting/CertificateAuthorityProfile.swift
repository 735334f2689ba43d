import Crypto
import Foundation
import SignetTLS
import SwiftASN1
import X509

/// The content of a certificate of ``CertificateAuthority``. Change a good profile to make a bad certificate.
public struct CertificateProfile: Sendable {
    /// The purposes of RFC 5280 §4.2.1.12 that tests need.
    public enum Purpose: Sendable {
        /// A TLS server (`id-kp-serverAuth`).
        case server
        /// A TLS client (`id-kp-clientAuth`).
        case client
        /// Neither of them (`id-kp-codeSigning`): peers must refuse such a certificate.
        case codeSigning
    }

    /// The first and the last second of the validity, counted from 1970 in UTC: one hour ago and in ten days.
    public var notBefore: Int64
    /// The last second of the validity; ten days from now unless changed.
    public var notAfter: Int64
    /// Host names of the subject alternative name (RFC 5280 §4.2.1.6); it is left out when there are no addresses
    /// either.
    public var dnsNames: [String] = []
    /// IP addresses as literals, `127.0.0.1` or `::1`; other texts are left out.
    public var ipAddresses: [String] = []
    /// Nil leaves the extension out.
    public var purposes: [Purpose]?
    /// Nil leaves the extension out.
    public var isAuthority: Bool?
    /// How many authorities may follow below this one (RFC 5280 §4.2.1.9); nil for any number. Authorities only.
    public var pathLength: Int?
    /// Whether keyUsage allows signing certificates, and only that; nil leaves the extension out.
    public var signsCertificates: Bool?
    /// DNS domains of the name constraints.
    public var permittedDomains: [String] = []
    /// DNS domains for which the authority must not certify anything (RFC 5280 §4.2.1.10).
    public var excludedDomains: [String] = []
    /// Adds an unknown critical extension.
    public var hasUnknownCriticalExtension = false

    private init() {
        let now = Int64(Date().timeIntervalSince1970)
        notBefore = now - 3_600
        notAfter = now + 864_000
    }

    /// An authority that may certify for every purpose and every name, to any depth.
    public static var authority: CertificateProfile {
        var profile = CertificateProfile()
        profile.isAuthority = true
        profile.signsCertificates = true
        return profile
    }

    /// An end-entity certificate for a TLS server. It names no host until ``dnsNames`` or ``ipAddresses`` are set.
    public static var server: CertificateProfile {
        var profile = CertificateProfile()
        profile.purposes = [.server]
        profile.isAuthority = false
        profile.signsCertificates = false
        return profile
    }

    /// An end-entity certificate for a TLS client.
    public static var client: CertificateProfile {
        var profile = server
        profile.purposes = [.client]
        return profile
    }

    /// The same, expired an hour ago.
    public var expired: CertificateProfile {
        var profile = self
        profile.notAfter = notBefore
        profile.notBefore = notBefore - 3_600
        return profile
    }

    /// The same, valid from tomorrow.
    public var notYetValid: CertificateProfile {
        var profile = self
        profile.notBefore = notBefore + 90_000
        return profile
    }

    func extensions(key: Certificate.PublicKey, issuerKey: Certificate.PublicKey) throws -> Certificate.Extensions {
        var result = Certificate.Extensions()
        if let isAuthority {
            let constraints: BasicConstraints =
                isAuthority ? .isCertificateAuthority(maxPathLength: pathLength) : .notCertificateAuthority
            try result.append(try Certificate.Extension(constraints, critical: true))
        }
        if let signsCertificates {
            let usage = KeyUsage(
                digitalSignature: !signsCertificates, keyCertSign: signsCertificates, cRLSign: signsCertificates)
            try result.append(try Certificate.Extension(usage, critical: true))
        }
        if let purposes {
            let usages = purposes.map { purpose -> ExtendedKeyUsage.Usage in
                switch purpose {
                case .server: .serverAuth
                case .client: .clientAuth
                case .codeSigning: .codeSigning
                }
            }
            try result.append(try Certificate.Extension(try ExtendedKeyUsage(usages), critical: false))
        }
        let names =
            dnsNames.map { GeneralName.dnsName($0) }
            + ipAddresses.compactMap { text in
                guard case .ip(let bytes) = ReferenceIdentifier(host: text) else { return nil }
                return GeneralName.ipAddress(ASN1OctetString(contentBytes: bytes[...]))
            }
        if !names.isEmpty {
            try result.append(try Certificate.Extension(SubjectAlternativeNames(names), critical: false))
        }
        if !permittedDomains.isEmpty || !excludedDomains.isEmpty {
            let constraints = NameConstraints(
                permittedDNSDomains: permittedDomains, excludedDNSDomains: excludedDomains)
            try result.append(try Certificate.Extension(constraints, critical: true))
        }
        try result.append(
            try Certificate.Extension(SubjectKeyIdentifier(hash: key), critical: false))
        try result.append(
            try Certificate.Extension(
                AuthorityKeyIdentifier(keyIdentifier: SubjectKeyIdentifier(hash: issuerKey).keyIdentifier),
                critical: false))
        if hasUnknownCriticalExtension {
            result = try Certificate.Extensions(
                Array(result) + [Certificate.Extension(oid: [1, 2, 3, 4], critical: true, value: [5, 0])])
        }
        return result
    }
}

#if CommandLine
/// The content of a file of keys and certificates, as `signet identity show --json` prints it. Names and meanings stay
/// stable; more may be added. It holds no key and no password.
struct IdentityReport: Encodable, Hashable {
    /// The file as the user named it.
    var file: String
    /// `PKCS#12`, `PEM`, `PKCS#7`, `certificate in DER` or `private key in DER`.
    var format: String
    /// The algorithms that protect the file, in its order; empty when it is not protected.
    var protections: [String]
    /// When it was judged, in UTC: `2026-11-21T09:30:00Z`.
    var checkedAt: String
    /// Keys with their certificates.
    var identities: [Path]
    /// Keys without a certificate in the file, and keys that TLS cannot use.
    var keys: [Key]
    /// Certificates that belong to no identity.
    var certificates: [Path]
    /// The number of certificates left out, because a longer report would not be readable.
    var certificatesNotShown: Int
    /// The problems of the file as a whole, one sentence each.
    var problems: [String]
    /// Whether the file works for the requested purpose; without a purpose, for any.
    var works: Bool

    struct Key: Encodable, Hashable {
        /// `RSA 2048`, `P-256` and the like.
        var algorithm: String
        /// The friendly name.
        var label: String?
        /// In hexadecimal.
        var localKeyID: String?
        /// The reason why TLS cannot use it; absent when TLS can.
        var reasonNotUsable: String?
    }

    /// A certificate and its issuers.
    struct Path: Encodable, Hashable {
        var label: String?
        /// Absent for a certificate without its key.
        var key: Key?
        /// The first certificate, then each issuer of the one before.
        var path: [Certificate]
        var end: End
        /// The problems that do not depend on the use; errors first.
        var problems: [Problem]
        /// The uses it would work for; empty for an authority's certificate.
        var uses: [Use]
    }

    /// How a path ends.
    struct End: Encodable, Hashable {
        enum Kind: String, Encodable {
            /// The last certificate is a root.
            case root
            /// The issuer of the last one is absent.
            case missing
            /// The certificate with the issuer's name did not sign the last one.
            case broken
            /// There are more certificates than a path may have.
            case tooLong
        }

        var kind: Kind
        /// The subject of the issuer that is missing, or whose namesake is present.
        var issuer: String?
    }

    struct Certificate: Encodable, Hashable {
        var subject: String
        var issuer: String
        /// In hexadecimal.
        var serialNumber: String
        /// `2026-11-21T09:30:00Z`.
        var notBefore: String
        var notAfter: String
        /// Whole days until the end; below zero when it has passed.
        var daysLeft: Int64
        /// `dns:…`, `ip:…`, `email:…`, `uri:…`, `upn:…`, `directory:…`, `other:…`.
        var names: [String]
        var isAuthority: Bool
        /// How many authorities may follow below this one.
        var pathLength: Int?
        /// Absent when the certificate does not have the extension.
        var keyUsage: [String]?
        /// Absent when the certificate does not have the extension.
        var extendedKeyUsage: [String]?
        var key: String
        var signature: String
        /// The digest of the certificate, in hexadecimal.
        var sha256: String
        /// The digest of the key, in the form of `--pin`: `sha256//` and Base64.
        var pin: String
        /// Whether it is sent in a handshake; a root is not.
        var isSent: Bool
        /// Whether it comes from `--authorities`, not from the file.
        var isFromAuthorities: Bool
    }

    struct Problem: Encodable, Hashable {
        /// `expired`, `chainIncomplete` and the like; for a refusal by the given authorities, the refusal's code.
        var code: String
        /// `error` or `note`.
        var severity: String
        /// The subject of the certificate.
        var certificate: String
        var message: String
    }

    struct Use: Encodable, Hashable {
        enum Role: String, Encodable { case client, server, signing }

        var role: Role
        var works: Bool
        /// For a server: the hosts for which it is valid.
        var hosts: [String]
        /// Whether it chains to the given authorities; absent when none were given, or another problem prevents the
        /// check.
        var isTrusted: Bool?
        /// The problems of this use only.
        var problems: [Problem]
    }
}
#endif

#if CommandLine
/// What a file of keys and certificates holds, as `signet identity show --json` prints it. Names and meanings stay; more
/// may be added. No key and no password is in it.
struct IdentityReport: Encodable, Hashable {
    /// The file as it was named.
    var file: String
    /// `PKCS#12`, `PEM`, `PKCS#7`, `certificate in DER` or `private key in DER`.
    var format: String
    /// The algorithms that protect the file, in its order; empty when nothing does.
    var protections: [String]
    /// When it was judged, in UTC: `2026-11-21T09:30:00Z`.
    var checkedAt: String
    /// Keys with their certificates.
    var identities: [Path]
    /// Keys that have no certificate here, or cannot be used for TLS.
    var keys: [Key]
    /// Certificates that belong to no identity.
    var certificates: [Path]
    /// Certificates left out, because there are more than anybody reads.
    var certificatesNotShown: Int
    /// What is wrong with the file as a whole, a sentence each.
    var problems: [String]
    /// Whether what is in the file can be used for what was asked; without a question, for anything.
    var works: Bool

    struct Key: Encodable, Hashable {
        /// `RSA 2048`, `P-256` and the like.
        var algorithm: String
        /// The friendly name.
        var label: String?
        /// In hexadecimal.
        var localKeyID: String?
        /// Why TLS cannot use it; absent when it can.
        var reasonNotUsable: String?
    }

    /// A certificate and whoever issued it.
    struct Path: Encodable, Hashable {
        var label: String?
        /// Absent for a certificate without its key.
        var key: Key?
        /// The first certificate, then each issuer of the one before.
        var path: [Certificate]
        var end: End
        /// What stands against it, whatever it is used for; errors first.
        var problems: [Problem]
        /// What it would work for; empty for an authority's certificate.
        var uses: [Use]
    }

    /// Where a path ends.
    struct End: Encodable, Hashable {
        enum Kind: String, Encodable {
            /// The last certificate is a root.
            case root
            /// The issuer of the last one is absent.
            case missing
            /// Who has the issuer's name did not sign the last one.
            case broken
            /// There are more certificates than a path may have.
            case tooLong
        }

        var kind: Kind
        /// The subject of the issuer that is missing, or is another's namesake.
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
        /// How many authorities may stand below.
        var pathLength: Int?
        /// Absent where the certificate does not say.
        var keyUsage: [String]?
        /// Absent where the certificate does not say.
        var extendedKeyUsage: [String]?
        var key: String
        var signature: String
        /// Of the certificate, in hexadecimal.
        var sha256: String
        /// Of the key, as `--pin` takes it: `sha256//` and Base64.
        var pin: String
        /// Whether it is sent in a handshake; a root is not.
        var isSent: Bool
        /// Whether it came from `--authorities`, and not from the file.
        var isFromAuthorities: Bool
    }

    struct Problem: Encodable, Hashable {
        /// `expired`, `chainIncomplete` and the like; of a refusal by the authorities given, its code.
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
        /// For a server: the hosts it can stand for.
        var hosts: [String]
        /// Whether the authorities given vouch for it; absent when none were given, or something else stands against it.
        var isTrusted: Bool?
        /// What stands against this use only.
        var problems: [Problem]
    }
}
#endif

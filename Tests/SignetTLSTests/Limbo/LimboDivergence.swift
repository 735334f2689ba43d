@testable import SignetTLS

/// A case of x509-limbo that is decided otherwise than the suite expects.
struct LimboDivergence {
    /// `accepted`, or the rule by which it is refused; the suite expects the contrary.
    let ours: String
    let why: String

    static func all(of profile: TrustPolicy.Profile) -> [String: LimboDivergence] {
        var result: [String: LimboDivergence] = [:]
        let lines = common + (profile == .webPKI ? webPKI : privateAuthority)
        for (id, ours, why) in lines { result[id] = LimboDivergence(ours: ours, why: why) }
        return result
    }

    /// In both profiles.
    private static let common: [(id: String, ours: String, why: String)] = [
        (
            "crl::revoked-certificate-with-crl", "accepted",
            "needs a revocation list, which another test reads"
        ),
        ("crl::crlnumber-missing", "accepted", "needs a revocation list, which another test reads"),
        ("crl::crlnumber-critical", "accepted", "needs a revocation list, which another test reads"),
        ("crl::issuer-missing-crlsign", "accepted", "needs a revocation list, which another test reads"),
        (
            "pathlen::validation-ignores-pathlen-in-leaf", "endEntity",
            "the leaf is an authority whose key may only sign certificates: it cannot be a TLS peer"
        ),
        ("rfc5280::ca-as-leaf", "endEntity", "the leaf is an authority; “webpki::ca-as-leaf” expects the contrary"),
        (
            "rfc5280::nc::permitted-dns-match-noncritical", "accepted",
            "the constraint is obeyed; “webpki::nc::permitted-dns-match-noncritical” expects the contrary"
        ),
        (
            "rfc5280::aki::cross-signed-root-missing-aki", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "rfc5280::ski::root-missing-ski", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "rfc5280::root-non-critical-basic-constraints", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "webpki::aki::root-with-aki-missing-keyidentifier", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "webpki::aki::root-with-aki-authoritycertissuer", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "webpki::aki::root-with-aki-authoritycertserialnumber", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "webpki::aki::root-with-aki-all-fields", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        (
            "webpki::aki::root-with-aki-ski-mismatch", "accepted",
            "an anchor counts by its name and key (RFC 5280 §6.1.1 d), and real roots are like this"
        ),
        ("webpki::cn::ipv4-hex-mismatch", "accepted", "a Common Name is never looked at: it can neither help nor harm"),
        (
            "webpki::cn::ipv4-leading-zeros-mismatch", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        (
            "webpki::cn::ipv6-uppercase-mismatch", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        (
            "webpki::cn::ipv6-uncompressed-mismatch", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        (
            "webpki::cn::ipv6-non-rfc5952-mismatch", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        (
            "webpki::cn::punycode-not-in-san", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        (
            "webpki::cn::utf8-vs-punycode-mismatch", "accepted",
            "a Common Name is never looked at: it can neither help nor harm"
        ),
        ("webpki::cn::not-in-san", "accepted", "a Common Name is never looked at: it can neither help nor harm"),
        ("webpki::cn::case-mismatch", "accepted", "a Common Name is never looked at: it can neither help nor harm"),
        (
            "webpki::san::public-suffix-multi-label-wildcard-san", "accepted",
            "needs the list of public suffixes, which changes weekly; a wildcard over two labels is believed"
        ),
        (
            "webpki::san::public-suffix-private-namespace-wildcard-san", "accepted",
            "needs the list of public suffixes, which changes weekly; a wildcard over two labels is believed"
        ),
    ]

    private static let webPKI: [(id: String, ours: String, why: String)] = [
        ("rfc5280::eku::ee-without-eku", "extendedKeyUsage", "“webpki::eku::ee-without-eku” expects the contrary")
    ]

    private static let privateAuthority: [(id: String, ours: String, why: String)] = [
        ("rfc5280::aki::critical-aki", "accepted", "it is understood, critical or not"),
        ("rfc5280::ski::critical-ski", "accepted", "it is understood, critical or not"),
        (
            "rfc5280::aki::leaf-missing-aki", "accepted",
            "key identifiers only help to find a path; OpenSSL before 3.0 wrote none"
        ),
        (
            "rfc5280::aki::intermediate-missing-aki", "accepted",
            "key identifiers only help to find a path; OpenSSL before 3.0 wrote none"
        ),
        (
            "rfc5280::ski::intermediate-missing-ski", "accepted",
            "key identifiers only help to find a path; OpenSSL before 3.0 wrote none"
        ),
        (
            "rfc5280::nc::invalid-dnsname-leading-period", "accepted",
            "the dot is common and its meaning clear: the names below the domain"
        ),
        (
            "rfc5280::pc::ica-noncritical-pc", "accepted",
            "policies matter only where a program demands one, and Signet has no setting for that"
        ),
        ("rfc5280::san::noncritical-with-empty-subject", "accepted", "the subjectAltName is read, critical or not"),
        ("rfc5280::san::underscore-dns", "accepted", "hosts of companies have underscores in their names"),
        ("rfc5280::serial::too-long", "accepted", "serial numbers are not used for anything"),
        (
            "rfc5280::serial::zero", "accepted",
            "serial numbers are not used for anything; OpenSSL is told zero in many a guide"
        ),
        (
            "rfc5280::leaf-ku-keycertsign", "accepted",
            "without basicConstraints it is no authority, and is refused as one"
        ),
        ("webpki::eku::ee-anyeku", "accepted", "any purpose includes this one (RFC 5280 §4.2.1.12)"),
        ("webpki::eku::ee-critical-eku", "accepted", "it is understood, critical or not"),
        (
            "webpki::eku::ee-without-eku", "accepted",
            "without extendedKeyUsage there is no restriction (RFC 5280 §4.2.1.12)"
        ),
        ("webpki::eku::root-has-eku", "accepted", "the purposes are obeyed, and the wanted one is among them"),
        ("webpki::san::san-critical-with-nonempty-subject", "accepted", "the subjectAltName is read, critical or not"),
        (
            "webpki::forbidden-rsa-not-divisible-by-8-in-root", "accepted",
            "a key of 2,052 bits is no weaker than one of 2,048"
        ),
        (
            "webpki::forbidden-rsa-key-not-divisible-by-8-in-leaf", "accepted",
            "a key of 2,052 bits is no weaker than one of 2,048"
        ),
    ]

    /// Cases that would admit an unauthorised peer: they must never be accepted, whatever a line above says.
    static let security: Set<String> = [
        "cve::cve-2025-61727", "rfc5280::nc::nc-forbids-dnsname-wildcard-san", "rfc5280::eku::ee-wrong-eku",
        "rfc5280::eku::ee-eku-empty", "rfc5280::root-inconsistent-ca-extensions", "webpki::v1-cert",
        "webpki::ca-as-leaf", "webpki::san::no-san", "webpki::san::wildcard-embedded-leftmost-san",
        "webpki::san::san-wildcard-only-tld", "rfc5280::ca-empty-subject", "rfc5280::nc::not-allowed-in-ee-noncritical",
        "rfc5280::nc::not-allowed-in-ee-critical", "pathological::nc-dos-1", "pathological::nc-dos-2",
        "pathological::nc-dos-3", "webpki::nc::intermediate-permitted-excluded-subtrees-both-null",
        "webpki::nc::intermediate-permitted-excluded-subtrees-both-empty-sequences", "webpki::malformed-aia",
    ]
}

/// Whether, and how strictly, it is looked up that the authorities have not revoked a peer's certificates.
///
/// The certificates of a trusted path are looked up where they say: at OCSP servers (RFC 6960, authorityInfoAccess) and
/// in revocation lists (RFC 5280 §5, cRLDistributionPoints), over HTTP only. The trust anchor is not looked up, and
/// neither is an end-entity certificate whose authority publishes no revocation (noRevAvail, RFC 9608). At most four
/// OCSP servers and four lists are asked for each certificate, one after the other, until one of them has an answer
/// that was signed by the right authority and is not outdated.
///
/// An OCSP answer counts when the issuer of the certificate signed it, or a delegate to whom the issuer gave a
/// certificate for OCSPSigning. Whether that certificate is revoked itself is not looked up; it must therefore have
/// ocsp-nocheck, or be valid for at most 31 days. A list counts when the issuer itself signed it and it is complete: no
/// list of changes (delta), and none for several authorities (indirect). Answers and lists without a next update count
/// for a day.
///
/// Each lookup tells the OCSP server, and those who can read the network, which certificate the peer has. The addresses
/// are those in the certificates, so an authority that is trusted can have a program send a request to any host over
/// HTTP; nothing of the answer is shown to the peer.
public struct RevocationPolicy: Sendable, Hashable {
    /// What happens when it cannot be found out whether a certificate is revoked.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Mode: String, Sendable, Hashable, CaseIterable {
        /// Nothing is looked up.
        case off
        /// The peer is trusted all the same, and the report says why nothing was found out. This stops no attacker who
        /// can suppress the answers.
        case soft
        /// The peer is refused. This includes certificates that name no place for a lookup, those of intermediate
        /// authorities as well, and an answer that comes too late.
        case hard
    }

    /// What happens when it cannot be found out whether a certificate is revoked.
    public var mode: Mode
    /// Whether OCSP servers are asked before lists are fetched, and not after. The default is true: an answer is small,
    /// and often newer than a list.
    public var prefersOCSP = true
    /// Whether OCSP servers get a random number to repeat (RFC 9654), so that an answer cannot be an earlier one. The
    /// default is false: many servers have only prepared answers, which count for their time in either case.
    public var sendsNonce = false
    /// The limit of the whole lookup for one peer. The default is five seconds. One server may take half of it, so that
    /// there is time to ask another one. The handshake waits, and the limit of opening a connection counts as well.
    public var timeLimit = Duration.seconds(5)
    /// The limit of one revocation list, in bytes. The default is 10 MiB, which has room for about 300,000 entries.
    public var maximumListBytes = CertificateRevocationList.usualMaximumBytes
    /// For how long an answer or a list is used again, at most; never longer than it says itself (nextUpdate). The
    /// default is one day; zero means that everything is fetched each time.
    public var cacheLifetime = Duration.seconds(86_400)

    private init(_ mode: Mode) { self.mode = mode }

    /// Nothing is looked up. This is the default.
    public static let off = RevocationPolicy(.off)
    /// A revoked certificate is refused; one whose status cannot be found out is accepted, with the reasons reported.
    public static let soft = RevocationPolicy(.soft)
    /// Only certificates that are known not to be revoked are accepted.
    public static let hard = RevocationPolicy(.hard)

    /// What is wrong with the options; nil when they can be used.
    package var problem: String? {
        if timeLimit <= .zero {
            return "The time limit for looking up revocation must be above zero; it is \(timeLimit)."
        }
        if maximumListBytes < 1 {
            return "The limit of a revocation list must be at least one byte; it is \(maximumListBytes)."
        }
        if cacheLifetime < .zero {
            return "The time for which revocation is remembered must not be negative; it is \(cacheLifetime)."
        }
        return nil
    }
}

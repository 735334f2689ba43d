/// Whom we believe: trust anchors and, in addition, pins.
///
/// A policy is a value. It judges certificates without any input or output of its own; see
/// ``evaluate(_:as:at:)``.
public struct TrustPolicy: Sendable, Hashable {
    /// Certificates accepted from a peer; more are refused unread.
    static let maximumPresented = 10
    /// Certificates in a path, anchor included.
    static let maximumDepth = 8
    /// Signatures checked for one evaluation, whatever the peer presents.
    static let maximumSignatureChecks = 64

    private var usesSystemAnchors = false
    private var anchors = AnchorSet()
    private var pins: PinSet?

    /// The anchors of the operating system, read once for the process when they are first needed.
    ///
    /// On Linux these are the certificates in the file `SSL_CERT_FILE` and the authorities in the folders `SSL_CERT_DIR`
    /// (several apart by colons; the files may have any names) when one of the two is set, or else the distribution's:
    /// those of Debian, Ubuntu, Fedora, RHEL, Amazon Linux, Alpine, Arch and openSUSE are known. A `TRUSTED CERTIFICATE`
    /// of OpenSSL counts when it is trusted for servers. Files that cannot be read are passed over; at most 4,096 files
    /// and 64 MiB are read. When there are no anchors, every evaluation fails with `invalidPolicy`.
    public static var system: TrustPolicy {
        var policy = TrustPolicy()
        policy.usesSystemAnchors = true
        return policy
    }

    /// The given certificates, and no others, are trust anchors.
    public static func anchors(_ bundle: CertificateBundle) -> TrustPolicy {
        TrustPolicy().addingAnchors(bundle)
    }

    /// The same policy with more trust anchors.
    public func addingAnchors(_ bundle: CertificateBundle) -> TrustPolicy {
        var policy = self
        policy.anchors.add(bundle.certificates)
        return policy
    }

    /// The same policy, which moreover wants one of `pins` in the validated certification path (RFC 7469 §2.6).
    ///
    /// Where several paths are valid, one that holds a pin is looked for, and is the one returned.
    ///
    /// - Parameter pins: at least two different public-key pins or at least two different certificate pins, one in use
    ///   and one in reserve. A mixed list must have two of one kind, since a key and a certificate of that key change
    ///   together. Anything less, or a malformed pin, makes every evaluation fail with `invalidPolicy`.
    public func pinned(to pins: [Pin]) -> TrustPolicy {
        var policy = self
        policy.pins = PinSet(pins: pins)
        return policy
    }

    /// Judges what a peer presented.
    ///
    /// Follows RFC 5280 §6 and, for the name of a server, RFC 9525: subjectAltName only. Of the peer's certificates at
    /// most ten are accepted, paths have at most eight, and at most 64 signatures are checked, so that nobody can make
    /// this slow. Revocation is not looked at.
    ///
    /// - Parameters:
    ///   - presented: the peer's own certificate first; the others in any order.
    ///   - role: what the peer is to us.
    ///   - now: seconds since 1970 in UTC.
    /// - Returns: the path that is believed, or why none is.
    public func evaluate(
        _ presented: [EncodedCertificate], as role: PeerRole, at now: Int64
    ) -> Result<CertificationPath, TrustError> {
        do throws(Refusal) {
            if let problem = pins?.problem { throw Refusal(.invalidPolicy, problem) }
            var anchors = usesSystemAnchors ? SystemAnchors.shared : AnchorSet()
            if anchors.isEmpty {
                anchors = self.anchors
            } else {
                anchors.add(self.anchors.bySubject.values.flatMap { $0 })
            }
            if anchors.isEmpty {
                throw Refusal(
                    .invalidPolicy,
                    usesSystemAnchors
                        ? "The system has no trust anchors where they are looked for. Install ca-certificates or set SSL_CERT_FILE."
                        : "The policy has no readable trust anchor, so that no certificate can be believed.")
            }
            var builder = PathBuilder(presented: presented, anchors: anchors, pins: pins, role: role, now: now)
            return .success(CertificationPath(certificates: try builder.path()))
        } catch {
            return .failure(TrustError(error.code, error.message, certificates: presented))
        }
    }
}

/// What the other side of a connection is to us.
public enum PeerRole: Sendable, Hashable {
    /// A server that must be the one we wanted to reach.
    case server(ReferenceIdentifier)
    /// A client; who it is, is for the application to read from the path.
    case client
}

/// A believed chain of certificates: the end-entity certificate first, the trust anchor last.
public struct CertificationPath: Sendable, Hashable {
    public let certificates: [EncodedCertificate]

    package init(certificates: [EncodedCertificate]) { self.certificates = certificates }

    /// The end-entity certificate; nil only for an empty path, which no evaluation returns.
    public var leaf: EncodedCertificate? { certificates.first }
}

/// A ``TrustError`` on its way out, before what was presented is put beside it.
struct Refusal: Error {
    let code: TrustError.Code
    let message: String

    init(_ code: TrustError.Code, _ message: String) {
        self.code = code
        self.message = message
    }
}

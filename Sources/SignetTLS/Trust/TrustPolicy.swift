/// Whom we believe: trust anchors and, in addition, pins.
///
/// A policy is a value. It judges certificates without any input or output of its own; see
/// ``evaluate(_:as:at:)``. Its copies share a memory of the paths that were good, which makes judging a peer that comes
/// again cheap and changes no verdict.
public struct TrustPolicy: Sendable, Hashable {
    /// Certificates accepted from a peer; more are refused unread.
    static let maximumPresented = 10
    /// Certificates in a path, anchor included.
    static let maximumDepth = 8
    /// Signatures checked for one evaluation, whatever the peer presents.
    static let maximumSignatureChecks = 64

    /// How strictly certificates are read: ``Profile/webPKI`` of a policy that began with the system's anchors, otherwise
    /// ``Profile/privateAuthority``.
    public var profile = Profile.privateAuthority { didSet { cache = PathCache() } }
    /// Authorities that may stand between the trust anchor and the end entity, self-issued ones not counted (the initial
    /// value of max_path_length in RFC 5280 §6.1.2 k); nil, the default, leaves it to the certificates.
    public var maximumIntermediates: Int? { didSet { cache = PathCache() } }

    private(set) var usesSystemAnchors = false
    private(set) var anchors = AnchorSet()
    private(set) var intermediates: [EncodedCertificate] = []
    private(set) var pinSets: [PinSet] = []
    private(set) var cache = PathCache()

    /// The anchors of the operating system, read once for the process when they are first needed.
    ///
    /// On Linux these are the certificates in the file `SSL_CERT_FILE` and the authorities in the folders `SSL_CERT_DIR`
    /// (several apart by colons; the files may have any names) when one of the two is set, or else the distribution's:
    /// those of Debian, Ubuntu, Fedora, RHEL, Amazon Linux, Alpine, Arch and openSUSE are known. A `TRUSTED CERTIFICATE`
    /// of OpenSSL counts when it is trusted for servers. Files that cannot be read are passed over; at most 4,096 files
    /// and 64 MiB are read. When there are no anchors, every evaluation fails with `invalidPolicy`.
    ///
    /// On Apple platforms the operating system finds the path, and this policy judges it.
    public static let system: TrustPolicy = {
        var policy = TrustPolicy()
        policy.usesSystemAnchors = true
        policy.profile = .webPKI
        return policy
    }()

    /// The given certificates, and no others, are trust anchors.
    public static func anchors(_ bundle: CertificateBundle) -> TrustPolicy {
        TrustPolicy().addingAnchors(bundle)
    }

    /// The same policy with more trust anchors; its profile stays.
    public func addingAnchors(_ bundle: CertificateBundle) -> TrustPolicy {
        changed { $0.anchors.add(bundle.certificates) }
    }

    /// The same policy, which moreover knows certificates of authorities that peers leave out.
    ///
    /// They are not trusted, only used to find the way to a trust anchor.
    public func addingIntermediates(_ bundle: CertificateBundle) -> TrustPolicy {
        changed { $0.intermediates += bundle.certificates.filter { !intermediates.contains($0) } }
    }

    /// The same policy, which moreover wants one of `pins` in the validated certification path to any host; see
    /// ``pinned(to:)-(PinSet)``.
    ///
    /// - Parameter pins: at least two different public-key pins or at least two different certificate pins, one in use
    ///   and one in reserve.
    public func pinned(to pins: [Pin]) -> TrustPolicy { pinned(to: PinSet(pins)) }

    /// Whether the policy wants pins of any host.
    package var hasPins: Bool { !pinSets.isEmpty }

    /// The same policy, which moreover wants one of the pins in the validated certification path to the hosts that they are for
    /// (RFC 7469 §2.6).
    ///
    /// It may be the pin of the peer, of an intermediate or of an anchor, and it holds whatever other anchors there are and
    /// whatever proxy is on the way. Where several paths are valid, one that holds a pin is looked for, and is the one returned.
    /// Of several sets those that are meant most closely for the host count: all of them, if they are for the same.
    ///
    /// Pins that cannot be used, such as a single one without ``PinSet/allowsSinglePin``, make every evaluation fail with
    /// `invalidPolicy`.
    public func pinned(to pins: PinSet) -> TrustPolicy {
        changed { $0.pinSets.append(pins) }
    }

    /// What one policy has found good, another need not.
    private func changed(_ change: (inout TrustPolicy) -> Void) -> TrustPolicy {
        var policy = self
        change(&policy)
        policy.cache = PathCache()
        return policy
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
    /// The end-entity certificate first, the trust anchor last; the peer's certificate alone where an exception
    /// believes it.
    public let certificates: [EncodedCertificate]
    /// Which of the pins that are only reported it lacks.
    public let pinMismatches: [PinMismatch]

    package init(certificates: [EncodedCertificate], pinMismatches: [PinMismatch] = []) {
        self.certificates = certificates
        self.pinMismatches = pinMismatches
    }

    /// The end-entity certificate; nil only for an empty path, which no evaluation returns.
    public var leaf: EncodedCertificate? { certificates.first }
}

/// Which peers are trusted: trust anchors and, in addition, pins.
///
/// A policy is a value. It judges certificates without any input or output of its own; see ``evaluate(_:as:at:)``. Its
/// copies share a cache of accepted paths, which makes judging a known peer cheap and changes no verdict.
public struct TrustPolicy: Sendable, Hashable {
    /// The limit of certificates from a peer; a peer that presents more is refused without reading them.
    static let maximumPresented = 10
    /// The limit of certificates in a path, the trust anchor included.
    static let maximumDepth = 8
    /// The limit of signatures that are checked in one evaluation, whatever the peer presents.
    static let maximumSignatureChecks = 64

    /// How strictly certificates are read: ``Profile/webPKI`` of a policy that began with the system's anchors,
    /// otherwise ``Profile/privateAuthority``.
    public var profile = Profile.privateAuthority { didSet { cache = PathCache() } }
    /// How many authorities may stand between the trust anchor and the end entity, self-issued ones not counted (the
    /// initial value of max_path_length in RFC 5280 §6.1.2 k). With nil, the default, only the certificates set limits.
    public var maximumIntermediates: Int? { didSet { cache = PathCache() } }
    /// Whether it is looked up that no certificate of a trusted path is revoked, other than the trust anchor. The default
    /// is ``RevocationPolicy/off``. Transports and servers look it up before they send anything else; a transport that
    /// cannot refuses the setting. ``evaluate(_:as:at:)`` looks nothing up.
    ///
    /// With ``RevocationPolicy/hard``, no exception to the policy can be recorded or used (``TrustError/canBeOverruled``).
    /// With ``RevocationPolicy/soft``, a certificate that only an exception accepts is not looked up, since no authority
    /// vouches for it.
    public var revocation = RevocationPolicy.off { didSet { cache = PathCache() } }

    private(set) var usesSystemAnchors = false
    private(set) var anchors = AnchorSet()
    private(set) var intermediates: [EncodedCertificate] = []
    private(set) var pinSets: [PinSet] = []
    private(set) var cache = PathCache()

    /// The certificates of the authorities that a server names when it asks for a certificate (RFC 8446 §4.2.4), one for
    /// each name: those of the policy. Those of the operating system are too many, and so may others be, for clients
    /// that limit the size of the list; then no authority is named.
    package var namedAuthorities: [EncodedCertificate] {
        guard !usesSystemAnchors else { return [] }
        var authorities = anchors
        authorities.add(intermediates)
        let names = authorities.bySubject.keys.sorted { $0.text < $1.text }
        guard names.reduce(0, { $0 + $1.text.utf8.count }) <= 8 << 10 else { return [] }
        return names.compactMap { authorities.bySubject[$0]?.first }
    }

    /// The trust anchors of the operating system, read once for the process when they are first needed.
    ///
    /// On Linux, these are the certificates in the file `SSL_CERT_FILE` and the authorities in the folders
    /// `SSL_CERT_DIR` (separated by colons; the files may have any names) when one of the two is set. Otherwise they
    /// are the distribution's: those of Debian, Ubuntu, Fedora, RHEL, Amazon Linux, Alpine, Arch and openSUSE are
    /// known. A `TRUSTED CERTIFICATE` of OpenSSL counts when it is trusted for servers. Files that cannot be read are
    /// skipped; at most 4,096 files and 64 MiB are read. When there are no trust anchors, every evaluation fails with
    /// `invalidPolicy`.
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

    /// The same policy with more certificates of authorities, which peers may leave out of their chains.
    ///
    /// They are not trusted; they only help to find the path to a trust anchor.
    public func addingIntermediates(_ bundle: CertificateBundle) -> TrustPolicy {
        changed { $0.intermediates += bundle.certificates.filter { !intermediates.contains($0) } }
    }

    /// The same policy, which also requires one of `pins` in the certification path to any host; see
    /// ``pinned(to:)-(TrustPolicy.PinSet)``.
    ///
    /// - Parameter pins: at least two different public-key pins or at least two different certificate pins, one in use
    ///   and one in reserve.
    public func pinned(to pins: [Pin]) -> TrustPolicy { pinned(to: PinSet(pins)) }

    /// Whether the trust anchors are the operating system's, with or without others.
    package var isOfSystem: Bool { usesSystemAnchors }

    /// The subjects of the policy's own trust anchors, those of the system not included.
    package var anchorNames: [String] { anchors.bySubject.values.flatMap { $0 }.map(\.subject).sorted() }

    /// Whether the policy requires pins of any host.
    package var hasPins: Bool { !pinSets.isEmpty }

    /// When the pins that are meant for a server expire, in seconds since 1970: the first of the sets that match its host
    /// most closely, whether it has expired or not. Nil when none of them expires.
    package func pinExpiry(of host: String) -> Int64? {
        ActivePins(pinSets, for: .server(ReferenceIdentifier(host: host)), at: .min).expiry
    }

    /// The same policy, which also requires one of the pins in the certification path to the hosts that they are for
    /// (RFC 7469 §2.6).
    ///
    /// A pin may be that of the peer, of an intermediate or of a trust anchor. It is required whatever other trust
    /// anchors there are, and also when the connection goes through a proxy. When several paths are valid, the result
    /// is one that matches a pin. When several sets match the host, only the closest matches count; sets for the same
    /// host all count.
    ///
    /// Pins that cannot be used, such as a single one without ``PinSet/allowsSinglePin``, make every evaluation fail
    /// with `invalidPolicy`.
    public func pinned(to pins: PinSet) -> TrustPolicy {
        changed { $0.pinSets.append(pins) }
    }

    /// A changed policy must not reuse the cached paths of this one.
    private func changed(_ change: (inout TrustPolicy) -> Void) -> TrustPolicy {
        var policy = self
        change(&policy)
        policy.cache = PathCache()
        return policy
    }
}

/// The role of the peer on a connection.
public enum PeerRole: Sendable, Hashable {
    /// A server that must be the one that the client wants to reach.
    case server(ReferenceIdentifier)
    /// A client. The application reads its name from the path.
    case client
    /// The maker of a signature over a document or a message. Its key must be for signatures (keyUsage); its purposes
    /// (extendedKeyUsage) do not matter.
    case signer
}

/// A trusted chain of certificates: the end-entity certificate first, the trust anchor last.
public struct CertificationPath: Sendable, Hashable {
    /// The end-entity certificate first, the trust anchor last. Only the peer's certificate when an exception accepts
    /// it.
    public let certificates: [EncodedCertificate]
    /// The pins in report mode that the path does not match.
    public let pinMismatches: [PinMismatch]
    /// What was found out about revocation when the connection was opened. Empty when the policy looks nothing up.
    public let revocation: RevocationReport

    /// A path for tests of closures that get trusted paths. Its ``pinMismatches`` and ``revocation`` are empty. Nothing checks
    /// the certificates: only a ``TrustPolicy`` can say that a path is trusted.
    ///
    /// - Parameter certificates: the end-entity certificate first, the trust anchor last.
    public init(certificates: [EncodedCertificate]) {
        self.init(certificates: certificates, pinMismatches: [])
    }

    package init(
        certificates: [EncodedCertificate], pinMismatches: [PinMismatch],
        revocation: RevocationReport = RevocationReport([])
    ) {
        self.certificates = certificates
        self.pinMismatches = pinMismatches
        self.revocation = revocation
    }

    /// The end-entity certificate; nil only for an empty path, which no evaluation returns.
    public var leaf: EncodedCertificate? { certificates.first }
}

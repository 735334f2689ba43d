public import SignetTLS

/// A certificate that an authority of the program has issued.
public struct IssuedCertificate: Sendable, Hashable {
    /// Why and since when a certificate is no longer good.
    public struct Revocation: Sendable, Hashable {
        /// In seconds since 1970 in UTC.
        public var time: Int64
        public var reason: RevocationReason

        /// - Parameters:
        ///   - time: in seconds since 1970 in UTC.
        ///   - reason: why.
        public init(at time: Int64, for reason: RevocationReason) {
            self.time = time
            self.reason = reason
        }
    }

    /// The certificate.
    public let certificate: EncodedCertificate
    /// Nil as long as the certificate is good.
    public var revocation: Revocation?

    /// - Parameters:
    ///   - certificate: as it was issued.
    ///   - revocation: nil for one that is good.
    public init(_ certificate: EncodedCertificate, revocation: Revocation? = nil) {
        self.certificate = certificate
        self.revocation = revocation
    }

    /// Marks the certificate as revoked, as ``IssuedCertificateStore/revoke(serialNumber:_:)`` says.
    package mutating func revoke(_ new: Revocation) {
        guard let known = revocation else {
            revocation = new
            return
        }
        if new.reason == .keyCompromise, known.reason != .keyCompromise {
            revocation = Revocation(at: known.time, for: .keyCompromise)
        }
    }
}

/// Keeps what an authority has issued, by serial number: the content of the INTEGER (RFC 5280 §4.1.2.2).
public protocol IssuedCertificateStore: Sendable {
    /// Keeps a certificate before it is given away.
    func add(_ certificate: IssuedCertificate) async throws

    /// The certificate with this number; nil when none was issued with it.
    func certificate(serialNumber: [UInt8]) async throws -> IssuedCertificate?

    /// The certificates for a public key, in no particular order.
    ///
    /// - Parameter publicKeySHA256: as ``/SignetTLS/EncodedCertificate/publicKeySHA256``.
    func certificates(publicKeySHA256: [UInt8]) async throws -> [IssuedCertificate]

    /// Marks a certificate as revoked. One that is revoked already stays as it is, but `keyCompromise` takes the place of any
    /// other reason.
    ///
    /// - Returns: false when no certificate was issued with this number.
    func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) async throws -> Bool

    /// All certificates, in no particular order.
    func certificates() async throws -> [IssuedCertificate]
}

/// Keeps what an authority has issued as long as the process runs: for tests.
public actor MemoryIssuedCertificates: IssuedCertificateStore {
    private var all: [[UInt8]: IssuedCertificate] = [:]

    /// An empty store.
    public init() {}

    public func add(_ certificate: IssuedCertificate) { all[certificate.certificate.serialNumber ?? []] = certificate }

    public func certificate(serialNumber: [UInt8]) -> IssuedCertificate? { all[serialNumber] }

    public func certificates(publicKeySHA256: [UInt8]) -> [IssuedCertificate] {
        all.values.filter { $0.certificate.publicKeySHA256 == publicKeySHA256 }
    }

    public func revoke(serialNumber: [UInt8], _ revocation: IssuedCertificate.Revocation) -> Bool {
        guard var found = all[serialNumber] else { return false }
        found.revoke(revocation)
        all[serialNumber] = found
        return true
    }

    public func certificates() -> [IssuedCertificate] { Array(all.values) }
}

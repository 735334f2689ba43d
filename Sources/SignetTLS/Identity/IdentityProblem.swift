/// Why an identity will not be believed, or may soon not be any more: found without asking anybody.
///
/// It is an error too, so that it can stand as the cause of one.
public struct IdentityProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The certificate's validity has ended.
        public static let expired = Code("expired")
        /// The certificate's validity has not begun, or our clock is behind.
        public static let notYetValid = Code("notYetValid")
        /// The extended key usage leaves out what a TLS client or server does (RFC 5280 §4.2.1.12).
        public static let wrongExtendedKeyUsage = Code("wrongExtendedKeyUsage")
        /// The key usage does not allow signatures, by which TLS proves the key (RFC 5280 §4.2.1.3).
        public static let wrongKeyUsage = Code("wrongKeyUsage")
        /// A certificate is none: its DER is damaged, or an extension is.
        public static let unreadable = Code("unreadable")
        /// The certificate of an issuer is absent. Nothing is wrong when that is a root which the peer has.
        public static let chainIncomplete = Code("chainIncomplete")
        /// There is a certificate with the name of an issuer, and its key did not make the signature.
        public static let chainBroken = Code("chainBroken")
        /// The key is too short, or of a kind that most peers cannot use.
        public static let weakKey = Code("weakKey")
        /// The certificate was signed with an algorithm that many peers refuse, such as SHA-1.
        public static let weakSignature = Code("weakSignature")
        /// A server's certificate names no host: a Common Name does not count (RFC 9525 §2).
        public static let noHostName = Code("noHostName")
        /// The validity ends within thirty days.
        public static let expiresSoon = Code("expiresSoon")
    }

    /// How bad it is.
    public enum Severity: Sendable, Hashable {
        /// Whoever checks certificates refuses this one. No connection is made with such an identity.
        case error
        /// Some peers may refuse it, or it needs attention soon.
        case note
    }

    /// The kind of problem, for a program to act on, as with `ConnectionConfiguration.toleratedIdentityProblems`.
    public let code: Code
    /// What is wrong with the end-entity certificate itself can be an error. What concerns its issuers is a note, since
    /// the peer may know another path.
    public let severity: Severity
    /// The certificate that it is about.
    public let certificate: EncodedCertificate
    /// What is wrong, and what to do.
    public let message: String

    public var description: String { message }
}

extension Identity {
    /// What an identity is used as.
    public enum Role: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// It is shown to servers that ask for a certificate.
        case client
        /// It is shown to clients that connect.
        case server

        public var description: String {
            switch self {
            case .client: "TLS client"
            case .server: "TLS server"
            }
        }
    }

    /// What stands against this identity, as far as can be told without the peer.
    ///
    /// The transports and the server ask this before a handshake and go no further where there is an error.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970 in UTC.
    ///   - role: what the identity is to be used as.
    /// - Returns: errors first; empty when all is well.
    public func problems(at now: Int64, for role: Role) -> [IdentityProblem] {
        CertificateAppraisal(chain: chain, others: authorities.certificates, now: now).problems(for: role)
    }

    /// Refuses an identity that no peer would accept. Only the end-entity certificate is looked at, which is quick.
    ///
    /// - Parameter tolerated: what may be wrong all the same.
    /// - Throws: the first error.
    package func requireUsable(
        at now: Int64, as role: Role, tolerating tolerated: Set<IdentityProblem.Code>
    ) throws(IdentityProblem) {
        let appraisal = CertificateAppraisal(chain: [leaf], others: [], now: now)
        let found = appraisal.certificateProblems(for: role).first {
            $0.severity == .error && !tolerated.contains($0.code)
        }
        if let found { throw found }
    }
}

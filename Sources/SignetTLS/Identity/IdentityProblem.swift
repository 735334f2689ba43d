/// A reason why peers will refuse an identity, now or soon. It is found without contacting a peer.
///
/// It conforms to `Error` so that it can be the cause of another error.
public struct IdentityProblem: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of problem. New codes may be added: keep a `default` when switching.
    public struct Code: Sendable, Hashable, CustomStringConvertible {
        public let description: String
        private init(_ description: String) { self.description = description }

        /// The certificate's validity has ended.
        public static let expired = Code("expired")
        /// The certificate's validity has not begun, or the local clock is slow.
        public static let notYetValid = Code("notYetValid")
        /// The extended key usage does not include the role of a TLS client or server (RFC 5280 §4.2.1.12).
        public static let wrongExtendedKeyUsage = Code("wrongExtendedKeyUsage")
        /// The key usage does not allow signatures, by which TLS proves the key (RFC 5280 §4.2.1.3).
        public static let wrongKeyUsage = Code("wrongKeyUsage")
        /// The bytes are not a readable certificate: the DER or an extension is damaged.
        public static let unreadable = Code("unreadable")
        /// The certificate of an issuer is absent. This is correct when that issuer is a root which the peer has.
        public static let chainIncomplete = Code("chainIncomplete")
        /// A certificate has the name of an issuer, but its key did not make the signature.
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

    /// How serious the problem is.
    public enum Severity: Sendable, Hashable {
        /// Every peer that checks certificates refuses this one. No connection is made with such an identity.
        case error
        /// Some peers may refuse it, or it needs attention soon.
        case note
    }

    /// The kind of problem, for a program to act on, as with `ConnectionConfiguration.toleratedIdentityProblems`.
    public let code: Code
    /// A problem of the end-entity certificate itself can be an error. A problem of an issuer is a note, since the peer
    /// may know another path.
    public let severity: Severity
    /// The certificate that has the problem.
    public let certificate: EncodedCertificate
    /// What is wrong, and what to do.
    public let message: String

    public var description: String { message }
}

extension Identity {
    /// The role in which an identity is used.
    public enum Role: Sendable, Hashable, CaseIterable, CustomStringConvertible {
        /// The client shows it to servers that ask for a certificate.
        case client
        /// The server shows it to clients that connect.
        case server

        public var description: String {
            switch self {
            case .client: "TLS client"
            case .server: "TLS server"
            }
        }
    }

    /// The problems of this identity that can be found without the peer.
    ///
    /// The transports and the server call this before a handshake, and do not connect when it finds an error.
    ///
    /// - Parameters:
    ///   - now: seconds since 1970 in UTC.
    ///   - role: the role in which the identity is to be used.
    /// - Returns: errors first; empty when there is no problem.
    public func problems(at now: Int64, for role: Role) -> [IdentityProblem] {
        CertificateAppraisal(chain: chain, others: authorities.certificates, now: now).problems(for: role)
    }

    /// Refuses an identity that no peer would accept. Only the end-entity certificate is checked, which is quick.
    ///
    /// - Parameter tolerated: the problems that are ignored.
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

package import SignetTLS

/// What a certificate says, as far as a diagnosis needs it.
package struct CertificateFacts: Sendable, Hashable, Codable {
    package var subject: String
    package var issuer: String
    /// In seconds since 1970; nil when the certificate cannot be read.
    package var notBefore: Int64?
    package var notAfter: Int64?
    /// The hosts that it names.
    package var hosts: [String] = []
    /// `RSA 2048`, `P-256` and the like.
    package var key = ""
    /// `RSA with SHA-256` and the like.
    package var signature = ""
    /// `clientAuth` and the like; nil when the certificate does not say.
    package var extendedKeyUsage: [String]?
    /// Of the whole certificate, in hexadecimal.
    package var sha256 = ""
    /// The pin of its public key: `sha256//` and SHA-256 of the SubjectPublicKeyInfo in Base64.
    package var pin = ""

    package init(subject: String, issuer: String, notBefore: Int64? = nil, notAfter: Int64? = nil) {
        self.subject = subject
        self.issuer = issuer
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    package init(_ certificate: EncodedCertificate) {
        self.init(
            subject: certificate.subject, issuer: certificate.issuer ?? "", notBefore: certificate.notBefore,
            notAfter: certificate.notAfter)
        let details = certificate.details
        hosts = details?.hosts ?? []
        key = details?.key ?? ""
        signature = details?.signature ?? ""
        extendedKeyUsage = details?.extendedKeyUsage
        sha256 = Text.hexadecimal(certificate.sha256)
        pin = certificate.publicKeySHA256.map { "sha256//\(Text.base64($0))" } ?? ""
    }

    package var isSelfIssued: Bool { !subject.isEmpty && subject == issuer }

    /// Why it is not valid at a time that no clock shows yet; nil when it is valid then.
    func lapse(at time: Int64) -> String? {
        if let notBefore, notBefore > time {
            return "“\(subject)” is valid from \(UnixTime.text(notBefore)), after \(UnixTime.text(time))."
        }
        guard let notAfter, notAfter < time else { return nil }
        return "“\(subject)” expires at \(UnixTime.text(notAfter)), before \(UnixTime.text(time))."
    }
}

/// The client's identity.
package struct IdentityFacts: Sendable, Hashable, Codable {
    /// Where the path of certificates ends that the client sends.
    package enum PathEnd: String, Sendable, Hashable, Codable {
        /// The issuer of the last one sent is a root whose certificate is known.
        case root
        /// The certificate of the last one's issuer is not there.
        case missing
        /// The certificate of the issuer that is there has another key.
        case broken
        /// Only the identity's own certificate is known.
        case unknown
    }

    package struct Problem: Sendable, Hashable, Codable {
        /// As `IdentityProblem.Code` names it.
        package var code: String
        /// Whether every server refuses the certificate for it.
        package var isError: Bool
        /// Whether it is one of the identity's own certificate, not of an issuer.
        package var isOfLeaf: Bool
        package var message: String

        package init(_ code: String, isError: Bool = true, isOfLeaf: Bool = true, message: String = "") {
            self.code = code
            self.isError = isError
            self.isOfLeaf = isOfLeaf
            self.message = message
        }

        /// - Parameter later: the time that is judged, in seconds since 1970; nil for the present.
        package init(_ problem: IdentityProblem, isOfLeaf: Bool, judgedFor later: Int64? = nil) {
            let isAboutTime = [.expired, .notYetValid].contains(problem.code)
            let lapse = isAboutTime ? later.flatMap { CertificateFacts(problem.certificate).lapse(at: $0) } : nil
            self.init(
                problem.code.description, isError: problem.severity == .error, isOfLeaf: isOfLeaf,
                message: lapse ?? problem.message)
        }
    }

    /// The certificates that are sent, the identity's own first.
    package var chain: [CertificateFacts]
    package var pathEnd: PathEnd
    package var problems: [Problem]
    /// The IANA names of the schemes with which the key signs.
    package var signatureSchemes: [String]
    /// Whether the client may show it when a server asks late.
    package var mayBeShownLate: Bool

    package init(
        chain: [CertificateFacts], pathEnd: PathEnd = .root, problems: [Problem] = [],
        signatureSchemes: [String] = [], mayBeShownLate: Bool = false
    ) {
        self.chain = chain
        self.pathEnd = pathEnd
        self.problems = problems
        self.signatureSchemes = signatureSchemes
        self.mayBeShownLate = mayBeShownLate
    }

    /// - Parameters:
    ///   - now: the time that is judged, in seconds since 1970.
    ///   - isLater: whether that is a later time than the present.
    ///   - mayBeShownLate: whether the client may show it when a server asks late.
    package init(_ identity: PublicIdentity, at now: Int64, isLater: Bool = false, mayBeShownLate: Bool = false) {
        let appraisal = CertificateAppraisal(chain: identity.chain, others: identity.authorities, now: now)
        var end = PathEnd.unknown
        if let leaf = identity.chain.first {
            let path = IssuancePath(from: leaf, among: identity.chain.dropFirst() + identity.authorities)
            end =
                switch path.end {
                case .root: .root
                case .missing, .tooLong: .missing
                case .broken: .broken
                }
        }
        self.init(
            chain: identity.chain.map(CertificateFacts.init), pathEnd: end,
            problems: appraisal.problems(for: .client).map {
                Problem($0, isOfLeaf: $0.certificate == identity.chain.first, judgedFor: isLater ? now : nil)
            },
            signatureSchemes: identity.signatureSchemes.map(\.description), mayBeShownLate: mayBeShownLate)
    }

    package var subject: String { chain.first?.subject ?? "" }
    /// The issuer that a server must know: that of the last certificate sent.
    package var topIssuer: String { chain.last?.issuer ?? "" }
    package var isSelfSigned: Bool { chain.first?.isSelfIssued == true }

    package func has(_ code: IdentityProblem.Code) -> Problem? { problems.first { $0.code == code.description } }
}

/// Why a file with an identity cannot be used.
package struct IdentityFileProblem: Sendable, Hashable, Codable {
    /// As `IdentityError.Code` names it.
    package var code: String
    package var message: String

    package init(_ error: IdentityError) { (code, message) = (error.code.description, error.message) }
}

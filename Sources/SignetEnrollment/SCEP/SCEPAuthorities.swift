import SignetHTTP
import SignetTLS

/// The certificates of a SCEP server (RFC 8894 §4.2), as far as fingerprints vouch for them. An attacker may have changed
/// what came over plain HTTP.
struct SCEPAuthorities: Sendable {
    /// Those of the authority, by their fingerprints.
    let authorities: [EncodedCertificate]
    /// Those that act for the authority.
    let registration: [EncodedCertificate]
    /// Whom requests are encrypted for.
    let recipient: EncodedCertificate
    /// Who issues certificates.
    let issuer: EncodedCertificate
    /// All that the server sent: they may lead from an issued certificate to a root.
    let others: [EncodedCertificate]

    /// Whose signature an answer must have.
    var signers: [EncodedCertificate] { registration + authorities }

    /// Servers send three or four.
    static let maximumCertificates = 32

    /// - Parameters:
    ///   - certificates: what the server sent.
    ///   - fingerprints: SHA-256 of the authority's certificate, and of registration authorities.
    ///   - now: seconds since 1970 in UTC.
    init(
        _ certificates: [EncodedCertificate], fingerprints: Set<[UInt8]>, at origin: Origin, now: Int64
    ) throws(EnrollmentError) {
        guard certificates.count <= Self.maximumCertificates else {
            throw EnrollmentError(
                .malformedAnswer,
                "The server \(origin) sent \(certificates.count) certificates; at most \(Self.maximumCertificates) are read."
            )
        }
        var seen: Set<EncodedCertificate> = []
        let all = certificates.filter { seen.insert($0).inserted }
        others = all
        func isValid(_ certificate: EncodedCertificate) -> Bool {
            (certificate.notBefore ?? .max) <= now && now <= (certificate.notAfter ?? .min)
        }
        let named = all.filter { fingerprints.contains($0.sha256) }
        let authorities = named.filter { $0.isAuthority && isValid($0) }
        guard let first = authorities.first else {
            throw Self.unknown(named.first(where: \.isAuthority), of: all, origin)
        }
        self.authorities = authorities
        // Not every certificate of the authority may answer for it: a device could send its own.
        let below = all.filter { certificate in
            !certificate.isAuthority && authorities.contains { certificate.isIssued(by: $0) }
        }
        let namedAgents = named.filter { !$0.isAuthority }
        let agents = namedAgents.isEmpty ? below.filter(\.isRegistrationAuthority) : namedAgents
        registration = agents.filter(isValid)
        guard agents.isEmpty || !registration.isEmpty else {
            throw EnrollmentError(
                .unsupported,
                "The certificate of the registration authority of \(origin), “\(agents.first?.subject ?? "")”, is not valid now. Its operator has to renew it; or compare the clocks."
            )
        }
        if registration.isEmpty, let other = below.first(where: isValid) {
            throw EnrollmentError(
                .unsupported,
                "The server \(origin) sent the certificate “\(other.subject)”, which does not say that it acts for the authority (extended key usage). If its operator confirms the SHA-256 \(Text.hexadecimal(other.sha256)), add it to the fingerprints."
            )
        }
        // The certificates of some authorities leave keyEncipherment out, although requests are encrypted for them.
        let recipient =
            registration.isEmpty
            ? authorities.first(where: \.takesEncryptedKeys) ?? authorities.first(where: \.hasRSAKey)
            : registration.first(where: \.takesEncryptedKeys)
        guard let recipient else {
            throw EnrollmentError(
                .unsupported,
                "The authority \(origin) has no certificate that requests can be encrypted for: with an RSA key and, for a registration authority, the usage keyEncipherment."
            )
        }
        self.recipient = recipient
        issuer =
            recipient.isAuthority ? recipient : authorities.first { recipient.isIssued(by: $0) } ?? first
    }

    private static func unknown(
        _ expired: EncodedCertificate?, of all: [EncodedCertificate], _ origin: Origin
    ) -> EnrollmentError {
        if let expired {
            return EnrollmentError(
                .wrongFingerprint,
                "The certificate of the authority \(origin), “\(expired.subject)”, is not valid now. Compare the clocks, or ask its operator for the new fingerprint."
            )
        }
        let found = all.filter(\.isAuthority).prefix(8).map { "“\($0.subject)” with \(Text.hexadecimal($0.sha256))" }
            .joined(separator: ", ")
        return EnrollmentError(
            .wrongFingerprint,
            "No authority of \(origin) has an expected SHA-256. It sent \(found.isEmpty ? "no certificate of an authority" : found). Compare with what the operator of the authority told you; if it differs, an attacker may answer."
        )
    }
}

/// What a SCEP server says it can do (RFC 8894 §3.5.2).
struct SCEPCapabilities: Sendable {
    private let words: Set<String>
    /// How the server answered the question, for an error.
    private let answer: String

    /// - Parameters:
    ///   - content: the words that the server knows, one a line.
    ///   - answer: the status and the media type with which they came.
    init(_ content: [UInt8], answer: String) {
        self.answer = answer
        // Servers have about ten words. Other content, such as a page, has none of those that are known.
        let text = String(decoding: content.prefix(4096), as: UTF8.self)
        words = Set(text.split(whereSeparator: \.isWhitespace).map { $0.lowercased() })
    }

    private var isStandard: Bool { words.contains("scepstandard") }
    /// Whether messages are sent with POST.
    var takesPost: Bool { isStandard || words.contains("postpkioperation") }
    /// Whether a renewal is signed with the identity in use.
    var renews: Bool { words.contains("renewal") }

    /// - Throws: ``EnrollmentError`` with `unsupported` for a server that knows no algorithm that still protects.
    func cipher(_ origin: Origin) throws(EnrollmentError) -> EnvelopedMessage.Cipher {
        guard isStandard || !words.isDisjoint(with: ["sha-256", "sha-512"]) else {
            throw EnrollmentError(
                .unsupported,
                "The server \(origin) does not say that it takes signatures over SHA-256: it answered GetCACaps with \(answer). Check that this is the address of a SCEP server; if it is, update it, for older algorithms no longer protect."
            )
        }
        if isStandard || words.contains("aes") { return .aes128 }
        guard words.contains("des3") else {
            throw EnrollmentError(
                .unsupported,
                "The server \(origin) says that it takes neither AES nor triple DES (GetCACaps). Update the server, or check the address."
            )
        }
        return .tripleDES
    }
}

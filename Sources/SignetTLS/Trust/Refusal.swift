/// A ``TrustError`` before the certificates that the peer presented are added to it.
struct Refusal: Error {
    let rule: TrustError.Rule
    /// The certificate that broke the rule; nil when no single certificate did.
    let certificate: EncodedCertificate?
    let message: String
    /// Whether the rule applies to public authorities only. It does not count against an authority that the user chose.
    var isOfProfile = false

    init(_ rule: TrustError.Rule, _ message: String) {
        self.init(rule, nil, message)
    }

    init(_ rule: TrustError.Rule, _ certificate: EncodedCertificate?, _ message: String) {
        self.rule = rule
        self.certificate = certificate
        self.message = message
    }

    static let tooDeep = Refusal(
        .depth, "The certification path has more than \(TrustPolicy.maximumDepth) certificates.")

    static func unknownIssuer(of certificate: EncodedCertificate, isLeaf: Bool) -> Refusal {
        if isLeaf, certificate.content?.isSelfIssued == true {
            return Refusal(
                .notSelfSigned, certificate,
                """
                “\(certificate.subject)” signed itself and is not a trust anchor. If it is the right one (compare \
                SHA-256 \(Text.hexadecimal(certificate.sha256))), add it to the anchors of the trust policy \
                (TrustPolicy.anchors; signet: --ca).
                """)
        }
        if certificate.content?.isSelfIssued == true {
            return Refusal(
                .knownAuthority, certificate,
                "No trust anchor vouches for the root “\(certificate.subject)”, which the peer sent. Add it to the anchors of the trust policy (TrustPolicy.anchors; signet: --ca) if you trust it."
            )
        }
        return Refusal(
            .knownAuthority, certificate,
            """
            No trust anchor vouches for “\(certificate.subject)”: its issuer “\(certificate.issuer ?? "?")” is neither \
            trusted nor among the certificates sent. Add that authority to the anchors of the trust policy \
            (TrustPolicy.anchors; signet: --ca), or have the peer send its chain.
            """)
    }
}

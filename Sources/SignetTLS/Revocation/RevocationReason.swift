/// Why an authority revoked a certificate (RFC 5280 §5.3.1), with the numbers of the standard.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum RevocationReason: Int, Sendable, Hashable, CaseIterable, CustomStringConvertible {
    /// The authority gives no particular reason.
    case unspecified = 0
    /// The key of the certificate is, or may be, in other hands.
    case keyCompromise = 1
    /// The key of an authority is, or may be, in other hands.
    case authorityCompromise = 2
    /// The subject's name or another statement of the certificate has changed.
    case affiliationChanged = 3
    /// Another certificate has replaced this one.
    case superseded = 4
    /// The certificate is no longer needed.
    case cessationOfOperation = 5
    /// The certificate is suspended: it may become good again.
    case certificateHold = 6
    /// The certificate was suspended and has expired, or is no longer suspended.
    case removeFromList = 8
    /// A right that the certificate stated was withdrawn.
    case privilegeWithdrawn = 9
    /// The key of an attribute authority is, or may be, in other hands.
    case attributeAuthorityCompromise = 10

    /// The name of the reason in the standard.
    public var description: String {
        switch self {
        case .unspecified: "unspecified"
        case .keyCompromise: "keyCompromise"
        case .authorityCompromise: "cACompromise"
        case .affiliationChanged: "affiliationChanged"
        case .superseded: "superseded"
        case .cessationOfOperation: "cessationOfOperation"
        case .certificateHold: "certificateHold"
        case .removeFromList: "removeFromCRL"
        case .privilegeWithdrawn: "privilegeWithdrawn"
        case .attributeAuthorityCompromise: "aACompromise"
        }
    }
}

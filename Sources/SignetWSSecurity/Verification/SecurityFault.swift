public import SignetSOAP

/// The fault codes of WS-Security (SOAP Message Security 1.1 §12). A fault of SOAP 1.1 has such a code as its code, a
/// fault of SOAP 1.2 as its first subcode.
extension SOAPFault.Code {
    /// A token of a kind that is not supported.
    public static let unsupportedSecurityToken = security("UnsupportedSecurityToken")
    /// A signature or an encryption by an algorithm that is not supported.
    public static let unsupportedAlgorithm = security("UnsupportedAlgorithm")
    /// The `Security` header block is invalid or absent.
    public static let invalidSecurity = security("InvalidSecurity")
    /// A token is invalid.
    public static let invalidSecurityToken = security("InvalidSecurityToken")
    /// A token cannot be authenticated: a wrong user name or password.
    public static let failedAuthentication = security("FailedAuthentication")
    /// A signature or an encryption is wrong.
    public static let failedCheck = security("FailedCheck")
    /// A token to which the message refers is not available.
    public static let securityTokenUnavailable = security("SecurityTokenUnavailable")
    /// The message is too old, or its time is in the future (§10): the clocks may differ.
    public static let messageExpired = SOAPFault.Code(
        namespaceURI: SecurityName.utility.uri, localName: "MessageExpired")

    private static func security(_ localName: String) -> SOAPFault.Code {
        SOAPFault.Code(namespaceURI: SecurityName.extensions.uri, localName: localName)
    }
}

/// What is wrong with a `Security` header block: a code for the peer, a reason without secrets for the operator.
struct SecurityDefect: Error {
    let code: SOAPFault.Code
    let reason: String

    init(_ code: SOAPFault.Code, _ reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The peer gets the standard's words, which reveal no more than the code does.
    var refusal: RequestRefusal {
        let words =
            switch code {
            case .unsupportedSecurityToken: "An unsupported token was provided."
            case .invalidSecurityToken: "An invalid security token was provided."
            case .failedAuthentication: "The security token could not be authenticated or authorized."
            case .unsupportedAlgorithm: "An unsupported signature or encryption algorithm was used."
            case .failedCheck: "The signature or decryption was invalid."
            case .securityTokenUnavailable: "Referenced security token could not be retrieved."
            case .messageExpired: "The message has expired."
            default: "An error was discovered processing the Security header."
            }
        return RequestRefusal(SOAPFault(.client, words, subcodes: [code]), reason: reason)
    }
}

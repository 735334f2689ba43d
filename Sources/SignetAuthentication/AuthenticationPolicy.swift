/// Which credentials a client has for a service, and when it may send them.
public struct AuthenticationPolicy: Sendable {
    public var credentials: CredentialSource
    /// What may be used, the strongest first; of what a server offers, the first of these is taken.
    public var schemes: [AuthenticationScheme] = [.digest, .basic]
    /// The weakest hash function that Digest may use. MD5 hides a password from nobody who has time.
    public var weakestDigest = DigestAlgorithm.md5
    /// Sends Basic credentials with the first request, before the server has asked. It saves one request a
    /// connection, and gives the credentials to a server that may not need them.
    public var sendsWithoutChallenge: Bool
    /// Lets Basic credentials travel over plain HTTP, where everybody on the way can read them.
    public var allowsPlaintext: Bool

    public init(
        credentials: CredentialSource = .none, sendsWithoutChallenge: Bool = false, allowsPlaintext: Bool = false
    ) {
        self.credentials = credentials
        self.sendsWithoutChallenge = sendsWithoutChallenge
        self.allowsPlaintext = allowsPlaintext
    }
}

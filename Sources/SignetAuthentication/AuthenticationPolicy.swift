/// Which credentials a client has for a service, and when it may send them.
public struct AuthenticationPolicy: Sendable {
    public var credentials: CredentialSource
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

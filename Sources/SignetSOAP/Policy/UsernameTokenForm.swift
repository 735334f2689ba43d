/// The contents of a UsernameToken besides the user's name (UsernameToken Profile 1.1 §3.1). New forms may be added: keep a `default` when
/// switching.
public struct UsernameTokenForm: Sendable, Hashable, CustomStringConvertible {
    /// In words, such as `with the password in text`.
    public let description: String
    private init(_ description: String) { self.description = description }

    /// Nothing: the token names the user and proves nothing (`sp:NoPassword`, WS-SecurityPolicy 1.2 §5.4.1).
    public static let noPassword = UsernameTokenForm("without a password")
    /// The password as it is. Every reader of the message learns it.
    public static let text = UsernameTokenForm("with the password in text")
    /// The password as it is, a nonce and the time.
    public static let textWithNonce = UsernameTokenForm("with the password in text, a nonce and the time")
    /// A digest of the password, a nonce and the time. A reader of the message can try passwords against it.
    public static let digest = UsernameTokenForm("with a digest of the password")
}

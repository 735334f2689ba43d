/// How a password stands in a UsernameToken (UsernameToken Profile 1.1 §3.1).
public enum PasswordForm: Sendable, Hashable {
    /// As it is: whoever reads the message has it.
    case text
    /// As a digest of it, a nonce and a time stamp. Whoever reads the message can try passwords against it.
    case digest
}

/// A user name and a password to send in each message (UsernameToken Profile 1.1). The password appears in no description, dump or
/// mirror.
public struct UsernameToken: Sendable {
    public let form: PasswordForm
    /// Whether a nonce and the time go with a password in text too; with a digest they always do.
    public var hasNonce: Bool
    let account: @Sendable () async throws -> (user: String, password: String)

    public init(_ form: PasswordForm, user: String, password: String) {
        self.init(form) { (user, password) }
    }

    /// - Parameter account: asked for each attempt of a call; what it throws ends the call before anything is sent.
    public init(
        _ form: PasswordForm, asking account: @escaping @Sendable () async throws -> (user: String, password: String)
    ) {
        self.form = form
        self.account = account
        hasNonce = form == .digest
    }
}

extension UsernameToken: CustomStringConvertible, CustomReflectable {
    public var description: String { "a UsernameToken with a password \(form == .digest ? "digest" : "in text")" }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

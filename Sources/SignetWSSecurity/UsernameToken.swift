public import SignetSOAP

/// How a UsernameToken contains a password (UsernameToken Profile 1.1 §3.1).
public enum PasswordForm: Sendable, Hashable {
    /// The password as it is. Every reader of the message learns it.
    case text
    /// As a digest of the password, a nonce and a time stamp. A reader of the message can try passwords against it.
    case digest
}

/// A user name and a password to send in each message (UsernameToken Profile 1.1). The password appears in no
/// description, dump or mirror.
public struct UsernameToken: Sendable {
    /// How the message contains the password; ``PasswordForm/text`` also for a token without one.
    public let form: PasswordForm
    /// Whether a nonce and the time accompany a password in text too; they always accompany a digest.
    public var hasNonce: Bool
    /// Whether the token has a password; without one it only names the caller.
    let hasPassword: Bool
    /// The text shown instead of the password or its digest in a message that is displayed and never sent.
    private(set) var placeholder: String?
    /// The refusals, shared by all tokens that are made from one account.
    var refusals = RefusalCount()
    private let account: @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)

    /// Makes a token with a name and no password, for services that identify their callers by other means, such as a
    /// certificate.
    public init(user: String) { self.init(withoutPassword: { _ in (user, "") }) }

    init(
        withoutPassword account:
            @escaping @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)
    ) {
        form = .text
        hasNonce = false
        hasPassword = false
        self.account = account
    }

    /// Makes a token that always has the same account.
    ///
    /// - Parameters:
    ///   - form: how the message contains the password.
    ///   - user: the name of the user.
    ///   - password: kept in memory, in no description.
    public init(_ form: PasswordForm, user: String, password: String) {
        self.init(form) { _ in (user, password) }
    }

    /// Makes a token that is never sent, to show what a message looks like.
    package init(showing form: PasswordForm, user: String) {
        self.init(form, user: user, password: "")
        placeholder = "…"
    }

    /// - Parameters:
    ///   - form: how the message contains the password.
    ///   - account: called for each attempt of a call. An error that it throws ends the call before anything is sent.
    ///     The credentials that it returns are sent even when the service has just refused the same ones, because
    ///     services also refuse correct credentials when clocks differ.
    public init(
        _ form: PasswordForm,
        asking account: @escaping @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)
    ) {
        self.form = form
        self.account = account
        hasPassword = true
        hasNonce = form == .digest
    }
}

extension UsernameToken {
    func account(for attempt: CallAttempt) async throws -> (user: String, password: String) {
        try await account(UsernameTokenRequest(endpoint: attempt.endpoint, refusals: refusals.asked(for: attempt)))
    }
}

extension UsernameToken: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "a UsernameToken \(hasPassword ? "with a password \(form == .digest ? "digest" : "in text")" : "without a password")"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// The question that a call asks to get a user name and a password.
public struct UsernameTokenRequest: Sendable, Hashable {
    /// The address to which the client sends the message.
    public var endpoint: Endpoint
    /// How often in succession the origin of ``endpoint`` has refused the given credentials with
    /// `wsse:FailedAuthentication`. It is 0 when the origin accepted the last ones or has not answered yet. When
    /// several messages were under way together, one of their refusals counts.
    public var refusals: Int

    /// Makes a question for tests of a source of accounts. Calls make their own questions.
    public init(endpoint: Endpoint, refusals: Int = 0) {
        self.endpoint = endpoint
        self.refusals = refusals
    }
}

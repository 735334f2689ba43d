public import SignetSOAP

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
    /// How the password stands in the message; ``PasswordForm/text`` also for a token without one.
    public let form: PasswordForm
    /// Whether a nonce and the time go with a password in text too; with a digest they always do.
    public var hasNonce: Bool
    /// Whether there is a password in it; without one it only says who calls.
    let hasPassword: Bool
    /// Stands in a message that is only shown, in place of the password or its digest.
    private(set) var placeholder: String?
    /// Shared by all that are made of one account.
    var refusals = RefusalCount()
    private let account: @Sendable (UsernameTokenQuestion) async throws -> (user: String, password: String)

    /// A name without a password, for services that know their callers by something else, such as a certificate.
    public init(user: String) { self.init(withoutPassword: { _ in (user, "") }) }

    init(
        withoutPassword account:
            @escaping @Sendable (UsernameTokenQuestion) async throws -> (user: String, password: String)
    ) {
        form = .text
        hasNonce = false
        hasPassword = false
        self.account = account
    }

    /// A token that is always of the same account.
    ///
    /// - Parameter password: kept in memory, in no description.
    public init(_ form: PasswordForm, user: String, password: String) {
        self.init(form) { _ in (user, password) }
    }

    /// One that is never sent, to show what a message looks like.
    package init(showing form: PasswordForm, user: String) {
        self.init(form, user: user, password: "")
        placeholder = "…"
    }

    /// - Parameter account: asked for each attempt of a call; what it throws ends the call before anything is sent. What it gives is sent,
    ///   also where the service has refused just that before, since services refuse what is right as well when clocks differ.
    public init(
        _ form: PasswordForm,
        asking account: @escaping @Sendable (UsernameTokenQuestion) async throws -> (user: String, password: String)
    ) {
        self.form = form
        self.account = account
        hasPassword = true
        hasNonce = form == .digest
    }
}

extension UsernameToken {
    func account(for attempt: CallAttempt) async throws -> (user: String, password: String) {
        try await account(UsernameTokenQuestion(endpoint: attempt.endpoint, refusals: refusals.asked(for: attempt)))
    }
}

extension UsernameToken: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "a UsernameToken \(hasPassword ? "with a password \(form == .digest ? "digest" : "in text")" : "without a password")"
    }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// What is asked for a user name and a password.
public struct UsernameTokenQuestion: Sendable, Hashable {
    /// Where the message goes.
    public var endpoint: Endpoint
    /// How often the origin of ``endpoint`` has refused with `wsse:FailedAuthentication` what was given, one time after the other; 0 when it
    /// took the last, or has not said. Of messages that were under way together one counts.
    public var refusals: Int

    /// A question for tests of a source of accounts. Calls ask their own.
    public init(endpoint: Endpoint, refusals: Int = 0) {
        self.endpoint = endpoint
        self.refusals = refusals
    }
}

public import SignetSOAP

/// A user name and a password to send in each message (UsernameToken Profile 1.1). The password appears in no
/// description, dump or mirror.
public struct UsernameToken: Sendable {
    /// What the message contains besides the name.
    public let form: UsernameTokenForm
    /// The refusals, shared by all tokens that are made from one account.
    var refusals = RefusalCount()
    private let account: @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)

    /// Makes a token with a name and no password, for services that identify their callers by other means, such as a
    /// certificate.
    public init(user: String) { self.init(.noPassword) { _ in (user, "") } }

    /// Makes a token that always has the same account.
    ///
    /// - Parameters:
    ///   - form: what the message contains besides the name.
    ///   - user: the name of the user.
    ///   - password: kept in memory, in no description; not sent by ``/SignetSOAP/UsernameTokenForm/noPassword``.
    public init(_ form: UsernameTokenForm, user: String, password: String) {
        self.init(form) { _ in (user, password) }
    }

    /// - Parameters:
    ///   - form: what the message contains besides the name.
    ///   - account: called for each attempt of a call. An error that it throws ends the call before anything is sent.
    ///     The credentials that it returns are sent even when the service has just refused the same ones, because
    ///     services also refuse correct credentials when clocks differ.
    public init(
        _ form: UsernameTokenForm,
        asking account: @escaping @Sendable (UsernameTokenRequest) async throws -> (user: String, password: String)
    ) {
        self.form = form
        self.account = account
    }
}

extension UsernameToken {
    func account(for attempt: CallAttempt) async throws -> (user: String, password: String) {
        try await account(UsernameTokenRequest(endpoint: attempt.endpoint, refusals: refusals.asked(for: attempt)))
    }
}

extension UsernameToken: CustomStringConvertible, CustomReflectable {
    public var description: String {
        "a UsernameToken \(form)"
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

/// Where credentials come from when a server asks.
public struct CredentialSource: Sendable {
    package enum Kind: Sendable {
        case none
        case fixed(Credentials)
        case asking(@Sendable (CredentialQuestion) async throws -> Credentials?)
        case tokens(any TokenSource)
    }
    package let kind: Kind
    /// Is given what it has answered, when the server has accepted it.
    package var keep: (@Sendable (Credentials, CredentialQuestion) async -> Void)?

    /// Whether it is asked for what a scheme takes, and says where it has only something else.
    package var tellsSchemesApart = false

    package init(kind: Kind) { self.kind = kind }

    /// No credentials at all.
    public static let none = CredentialSource(kind: .none)

    /// Always the same credentials.
    public static func fixed(_ credentials: Credentials) -> CredentialSource { .init(kind: .fixed(credentials)) }

    /// Asks for credentials once a protection space, however many calls wait, and once more when they were refused.
    ///
    /// - Parameter answer: Returns nil to give up. What the server refused before is not sent again if returned again.
    public static func asking(
        _ answer: @escaping @Sendable (CredentialQuestion) async throws -> Credentials?
    ) -> CredentialSource { .init(kind: .asking(answer)) }

    /// Bearer tokens that are got, and got anew, when needed (RFC 6750).
    public static func tokens(_ source: any TokenSource) -> CredentialSource { .init(kind: .tokens(source)) }

    package var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether it may have another answer when it is asked again.
    package var isAsking: Bool {
        switch kind {
        case .asking, .tokens: true
        case .none, .fixed: false
        }
    }

    /// Whether what was accepted may be outdated before the next request.
    var isRenewing: Bool {
        if case .tokens = kind { true } else { false }
    }

    /// Whether it may have what a scheme takes.
    func serves(_ scheme: AuthenticationScheme) -> Bool {
        switch kind {
        case .none, .asking: true
        case .tokens: scheme == .bearer
        case .fixed(let credentials):
            switch credentials.kind {
            case .account: scheme != .bearer && scheme != .oauth1
            case .token: scheme == .bearer
            case .ticket: scheme == .negotiate
            case .consumer: scheme == .oauth1
            }
        }
    }

    package func answer(_ question: CredentialQuestion) async throws -> Credentials? {
        do { return try await search(question) } catch is NothingForScheme { return nil }
    }

    /// - Throws: ``NothingForScheme`` where another scheme may be served.
    func search(_ question: CredentialQuestion) async throws -> Credentials? {
        switch kind {
        case .none: nil
        case .fixed(let credentials): credentials
        case .asking(let answer): try await answer(question)
        case .tokens(let source): try await Credentials(source.token(for: question))
        }
    }
}

extension CredentialSource: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch kind {
        case .none: "no credentials"
        case .fixed(let credentials): "fixed \(credentials)"
        case .asking: "credentials on demand"
        case .tokens: "tokens on demand"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["source": description], displayStyle: .struct) }
}

/// A source has nothing for this scheme, and may have something for another.
package struct NothingForScheme: Error {
    package init() {}
}

/// What a ``CredentialSource`` is asked.
public struct CredentialQuestion: Sendable, Hashable {
    /// Why credentials are asked for.
    public enum Reason: Sendable, Hashable {
        /// None were sent to this protection space so far.
        case first
        /// The server refused those that were given before.
        case rejected
        /// What was accepted before holds no longer.
        case expired
        /// The server accepted credentials, and now names another realm.
        case realmChanged
    }

    /// Who asks: an origin or a proxy, and its realm.
    public let space: ProtectionSpace
    /// The path of the request that was asked; empty where a proxy asks.
    public let path: String
    /// The scheme the credentials will be used with.
    public let scheme: AuthenticationScheme
    /// Why the client asks. To give what was refused once more is to give up.
    public let reason: Reason
    /// Counts the questions for this protection space, from 1.
    public let attempt: Int
    /// What was refused or is outdated; nil the first time.
    package var refused: Credentials?
    /// All that this client was ever refused there: to answer one of them is to give up.
    package var everRefused: Set<Credentials> = []

    /// Whether a user name and a password are wanted; a token, or nothing, otherwise.
    public var requiresUserNameAndPassword: Bool { scheme.requiresUserNameAndPassword }
    /// Whether the account's domain is wanted as well, unless the user name has it.
    public var requiresAccountDomain: Bool { scheme.requiresAccountDomain }

    /// A question for tests of a source. Calls ask their own.
    public init(
        space: ProtectionSpace, path: String = "", scheme: AuthenticationScheme, reason: Reason = .first,
        attempt: Int = 1
    ) {
        self.space = space
        self.path = path
        self.scheme = scheme
        self.reason = reason
        self.attempt = attempt
    }
}

extension AuthenticationScheme {
    /// Whether credentials for it are a user name and a password. For Negotiate they may be.
    public var requiresUserNameAndPassword: Bool { [.basic, .digest, .ntlm].contains(self) }
    /// Whether the domain of an account is part of its credentials.
    public var requiresAccountDomain: Bool { self == .ntlm }
}

/// The source of credentials for a server's challenge.
public struct CredentialSource: Sendable {
    package enum Kind: Sendable {
        case none
        case fixed(Credentials)
        case asking(@Sendable (CredentialQuestion) async throws -> Credentials?)
        case tokens(any TokenSource)
    }
    package let kind: Kind
    /// Gets its own answer back when the server has accepted it.
    package var keep: (@Sendable (Credentials, CredentialQuestion) async -> Void)?

    /// Whether it distinguishes schemes, and throws ``NothingForScheme`` when it has credentials for another scheme
    /// only.
    package var tellsSchemesApart = false

    package init(kind: Kind) { self.kind = kind }

    /// No credentials at all.
    public static let none = CredentialSource(kind: .none)

    /// Always the same credentials.
    public static func fixed(_ credentials: Credentials) -> CredentialSource { .init(kind: .fixed(credentials)) }

    /// Asks for credentials once for each protection space, however many calls wait, and again when they were refused.
    ///
    /// - Parameter answer: Returns nil to give up. Credentials that the server refused before are not sent again when
    ///   they are returned again.
    public static func asking(
        _ answer: @escaping @Sendable (CredentialQuestion) async throws -> Credentials?
    ) -> CredentialSource { .init(kind: .asking(answer)) }

    /// Bearer tokens that are obtained and renewed when needed (RFC 6750).
    public static func tokens(_ source: any TokenSource) -> CredentialSource { .init(kind: .tokens(source)) }

    package var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether it may answer differently when it is asked again.
    package var isAsking: Bool {
        switch kind {
        case .asking, .tokens: true
        case .none, .fixed: false
        }
    }

    /// Whether accepted credentials may expire before the next request.
    var isRenewing: Bool {
        if case .tokens = kind { true } else { false }
    }

    /// Whether it may have credentials for a scheme.
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

    /// - Throws: ``NothingForScheme`` when it may have credentials for another scheme.
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

/// A source has nothing for this scheme, but may have something for another.
package struct NothingForScheme: Error {
    package init() {}
}

/// The input of a ``CredentialSource``.
public struct CredentialQuestion: Sendable, Hashable {
    /// Why credentials are asked for.
    #if hasAttribute(nonexhaustive)
    @nonexhaustive
    #endif
    public enum Reason: Sendable, Hashable {
        /// No credentials were sent to this protection space so far.
        case first
        /// The server refused the earlier credentials.
        case rejected
        /// The earlier credentials have expired.
        case expired
        /// The server accepted credentials, and now names another realm.
        case realmChanged
    }

    /// The protection space that asks: an origin or a proxy, and its realm.
    public let space: ProtectionSpace
    /// The path of the challenged request; empty for a proxy.
    public let path: String
    /// The scheme for which the credentials will be used.
    public let scheme: AuthenticationScheme
    /// Why the client asks. To return refused credentials again means to give up.
    public let reason: Reason
    /// The number of this question for the protection space, from 1.
    public let attempt: Int
    /// The refused or expired credentials; nil the first time.
    package var refused: Credentials?
    /// All credentials that this peer has ever refused: to return one of them means to give up.
    package var everRefused: Set<Credentials> = []

    /// Whether the answer must be a user name and a password.
    public var requiresUserNameAndPassword: Bool { scheme.requiresUserNameAndPassword }
    /// Whether it must include the account's domain, unless the user name contains it.
    public var requiresAccountDomain: Bool { scheme.requiresAccountDomain }

    /// A question for tests of a source. Calls make their own questions.
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
    /// Whether its credentials are a user name and a password. For Negotiate they may be.
    public var requiresUserNameAndPassword: Bool { [.basic, .digest, .ntlm].contains(self) }
    /// Whether the domain of an account is part of its credentials.
    public var requiresAccountDomain: Bool { self == .ntlm }
}

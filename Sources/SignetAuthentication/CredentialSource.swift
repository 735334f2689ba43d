/// Where credentials come from when a server asks.
public struct CredentialSource: Sendable {
    package enum Kind: Sendable {
        case none
        case fixed(Credentials)
        case asking(@Sendable (CredentialQuestion) async throws -> Credentials?)
    }
    package let kind: Kind

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

    package var isNone: Bool {
        if case .none = kind { true } else { false }
    }

    /// Whether it may have another answer when it is asked again.
    package var isAsking: Bool {
        if case .asking = kind { true } else { false }
    }

    package func answer(_ question: CredentialQuestion) async throws -> Credentials? {
        switch kind {
        case .none: nil
        case .fixed(let credentials): credentials
        case .asking(let answer): try await answer(question)
        }
    }
}

extension CredentialSource: CustomStringConvertible, CustomReflectable {
    public var description: String {
        switch kind {
        case .none: "no credentials"
        case .fixed(let credentials): "fixed \(credentials)"
        case .asking: "credentials on demand"
        }
    }
    public var customMirror: Mirror { Mirror(self, children: ["source": description], displayStyle: .struct) }
}

/// What a ``CredentialSource`` is asked.
public struct CredentialQuestion: Sendable, Hashable {
    /// Who asks.
    public let space: ProtectionSpace
    /// The scheme the credentials will be used with, for example `Basic`.
    public let scheme: String
    /// Whether the server refused what was given before.
    public let isRetry: Bool

    public init(space: ProtectionSpace, scheme: String, isRetry: Bool) {
        self.space = space
        self.scheme = scheme
        self.isRetry = isRetry
    }
}

/// The credentials for a protection space. No description, dump or mirror shows a password or token.
public struct Credentials: Sendable, Hashable {
    package enum Kind: Sendable, Hashable {
        case account(Account)
        /// Bound to the client certificate with this hash; nil for none.
        case token(String, certificate: [UInt8]?)
        case ticket
        case consumer(OAuth1Consumer)
    }
    package let kind: Kind

    /// A name, and a password that only its owner knows.
    package struct Account: Sendable, Hashable {
        package let user: String
        package let password: String
        package let domain: String

        /// `DOMAIN\user` is split; `user@domain` is a complete name (MS-NLMP §3.1.5.1).
        package var split: (user: String, domain: String) {
            guard domain.isEmpty, let backslash = user.firstIndex(of: "\\") else { return (user, domain) }
            return (String(user[user.index(after: backslash)...]), String(user[..<backslash]))
        }
    }

    /// A user name and a password, for Basic (RFC 7617), Digest (RFC 7616), NTLM and Negotiate.
    ///
    /// Values that a scheme cannot carry, such as a user name with a colon in Basic, are refused when the credentials
    /// are used.
    ///
    /// - Parameters:
    ///   - user: the user name.
    ///   - password: the password; never logged.
    ///   - domain: the account's domain, for NTLM and Negotiate. Empty for the server's own domain, or when the user
    ///     name contains it: `DOMAIN\user`, `user@domain`.
    public static func account(user: String, password: String, domain: String = "") -> Credentials {
        .init(kind: .account(.init(user: user, password: password, domain: domain)))
    }

    /// A token that can be used by anyone who has it (RFC 6750). If it expires, use a ``TokenSource`` instead.
    public static func bearer(_ token: String) -> Credentials { .init(kind: .token(token, certificate: nil)) }

    /// The Kerberos ticket that the system has for the user of the program, or gets with a key table: Negotiate (RFC
    /// 4559).
    public static let ticket = Credentials(kind: .ticket)

    /// A consumer's key, which signs each request (RFC 5849).
    public static func consumer(_ consumer: OAuth1Consumer) -> Credentials { .init(kind: .consumer(consumer)) }

    package static func account(_ account: Account) -> Credentials { .init(kind: .account(account)) }

    package var account: Account? {
        if case .account(let account) = kind { account } else { nil }
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String {
        switch kind {
        case .account(let account):
            "credentials of “\(account.domain.isEmpty ? "" : "\(account.domain.printable)\\")\(account.user.printable)”"
        case .token: "a bearer token"
        case .ticket: "the system's ticket"
        case .consumer(let consumer): "\(consumer)"
        }
    }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["credentials": description], displayStyle: .struct) }
}

extension Credentials.Account: CustomStringConvertible, CustomReflectable {
    package var description: String { "the account “\(user.printable)”" }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

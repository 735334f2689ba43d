/// What proves who we are to a protection space. The password appears in no description, dump or mirror.
public struct Credentials: Sendable, Hashable {
    package let user: String
    package let password: String

    /// A user name and a password, for the Basic scheme (RFC 7617).
    ///
    /// A user name with a colon, and control characters in either, are refused when the credentials are used.
    public static func basic(user: String, password: String) -> Credentials {
        .init(user: user, password: password)
    }
}

extension Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "credentials of “\(user)”" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: ["user": user], displayStyle: .struct) }
}

#if Server
import SignetAuthentication

/// The credentials that a server requires from its clients over HTTP (RFC 9110 §11), besides their certificates. The
/// dispatcher's `verifiers` check credentials inside messages.
public struct ServerAuthentication: Sendable {
    /// Returns whether the password is that of the user. When it throws, the server logs the error and answers with
    /// 500. Compare with `ConstantTime.equal`, so that the time taken reveals nothing.
    public typealias Check = @Sendable (_ user: String, _ password: String) async throws -> Bool

    let realm: String
    let check: Check?

    /// The server requires no credentials.
    public static let none = ServerAuthentication(realm: "", check: nil)

    /// The Basic scheme (RFC 7617).
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: called for every request.
    public static func basic(realm: String, check: @escaping Check) -> ServerAuthentication {
        ServerAuthentication(realm: realm, check: check)
    }
}
#endif

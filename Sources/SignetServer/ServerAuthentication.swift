#if Server
import SignetAuthentication

/// What a server asks of its clients over HTTP (RFC 9110 §11), beside their certificates. Credentials in the messages themselves are
/// checked by the dispatcher's `verifiers`.
public struct ServerAuthentication: Sendable {
    /// Says whether the password is that of the user. A thrown error is answered with 500, and logged. Compare with
    /// `ConstantTime.equal`, so that the time taken gives nothing away.
    public typealias Check = @Sendable (_ user: String, _ password: String) async throws -> Bool

    let realm: String
    let check: Check?

    /// Nothing is asked.
    public static let none = ServerAuthentication(realm: "", check: nil)

    /// The Basic scheme (RFC 7617).
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: asked for every request.
    public static func basic(realm: String, check: @escaping Check) -> ServerAuthentication {
        ServerAuthentication(realm: realm, check: check)
    }
}
#endif

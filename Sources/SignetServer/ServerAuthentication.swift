#if Server
import SignetAuthentication
public import SignetSOAP

/// The credentials that a server requires from its clients over HTTP (RFC 9110 §11), besides their certificates. The
/// dispatcher's `verifiers` check credentials inside messages.
public struct ServerAuthentication: Sendable {
    /// Returns whether the password is that of the user. When it throws, the server logs the error and answers with
    /// 500. Compare with `ConstantTime.equal`, so that the time taken reveals nothing.
    public typealias Check = @Sendable (_ user: String, _ password: String) async throws -> Bool

    /// Returns the user to whom a token was issued, a name in printable characters; nil for a token that is not good: unknown, expired, or
    /// for another service. When it throws, the server logs the error and answers with 500.
    ///
    /// `peer` has the client's certificate, if it has shown one: a token that is bound to a certificate (RFC 8705 §3) is good only with
    /// that certificate.
    public typealias TokenCheck = @Sendable (_ token: String, _ peer: PeerDescription) async throws -> String?

    enum Scheme: Sendable {
        case none
        case basic(realm: String, Check)
        case bearer(realm: String, TokenCheck)
    }

    let scheme: Scheme

    /// The server requires no credentials.
    public static let none = ServerAuthentication(scheme: .none)

    /// The Basic scheme (RFC 7617).
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: called for every request.
    public static func basic(realm: String, check: @escaping Check) -> ServerAuthentication {
        ServerAuthentication(scheme: .basic(realm: realm, check))
    }

    /// The Bearer scheme (RFC 6750), with tokens in the field `Authorization` only.
    ///
    /// - Parameters:
    ///   - realm: names the protection space to people; it cannot hold control characters.
    ///   - check: called for every request.
    public static func bearer(realm: String, check: @escaping TokenCheck) -> ServerAuthentication {
        ServerAuthentication(scheme: .bearer(realm: realm, check))
    }
}
#endif

/// The server's side of the Bearer scheme (RFC 6750): writes the challenges and reads the client's token. The caller decides whether
/// the token is good.
package struct BearerAuthenticator: Sendable, Hashable {
    package typealias Presented = PresentedCredentials<String>

    private let realm: Realm

    /// - Throws: ``AuthenticationError`` when the realm contains a control character.
    package init(realm: String) throws(AuthenticationError) { self.realm = try Realm(realm) }

    /// The value of the `WWW-Authenticate` field of a 401 (RFC 6750 §3).
    ///
    /// - Parameter isRefused: whether the client has presented a token.
    package func challenge(isRefused: Bool) -> String {
        "Bearer realm=\(realm.quoted)" + (isRefused ? ", error=\"invalid_token\"" : "")
    }

    /// Reads the lines of the `Authorization` field of a request.
    package func read(_ lines: [String]) -> Presented { Presented(lines, of: "Bearer") { .value($0) } }
}
